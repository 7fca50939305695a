"""The documents say what there is: names, options, reasons, codes, numbers and links."""

import importlib
import re
from pathlib import Path

import pytest
from typer.main import get_command

import turnfold
from tests.docs.documents import DOCUMENTS, ROOT, anchors, links
from turnfold import errors
from turnfold.cli import app
from turnfold.decision import Reason

_DOCS = ROOT / "docs"
_NAMES = [str(document.relative_to(ROOT)) for document in DOCUMENTS]
_POLICY_PAGES = sorted((_DOCS / "policies").glob("*.md"))
_POLICY_HEADINGS = [
    "What it does",
    "Why",
    "What it will not do",
    "Example",
    "Options",
    "Reasons it gives",
]
_NUMBER = re.compile(r"\b[A-Z]\d{1,2}\b")


def _read(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text("utf-8")


def _promised() -> set[str]:
    text = _read("docs", "reference", "guarantees.md")
    return set(re.findall(r"^- \**([A-Z]\d+)\**", text, re.MULTILINE))


def _claimed() -> set[str]:
    return set(re.findall(r'@claim\("(\w+)"', _read("acceptance", "plan_and_apply.py")))


@pytest.mark.parametrize("name", _NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    document = ROOT / name
    for target in links(document):
        path, _, anchor = target.partition("#")
        linked = (document.parent / path).resolve() if path else document
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def test_every_page_is_reached_from_the_index() -> None:
    index = _DOCS / "README.md"
    listed = {(_DOCS / target).resolve() for target in links(index)}
    assert listed == set(_DOCS.rglob("*.md")) - {index}


@pytest.mark.parametrize("package", ["turnfold", "turnfold.formats", "turnfold.fulfil"])
def test_every_public_name_is_in_the_reference(package: str) -> None:
    text = _read("docs", "reference", "api.md")
    exported = importlib.import_module(package).__all__
    assert not [name for name in exported if not re.search(rf"\b{name}\b", text)]


def test_every_error_is_in_the_reference_with_its_code() -> None:
    text = _read("docs", "reference", "errors.md")
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, turnfold.TurnfoldError):
            assert f"`{name}`" in text
            if not kind.__subclasses__() and kind is not errors.SummaryRejected:
                assert f"`{kind.default_code}`" in text


def test_every_option_of_the_command_line_is_in_the_reference() -> None:
    text = _read("docs", "reference", "cli.md")
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"`turnfold {name} " in text
        for parameter in command.params:
            given = (*parameter.opts, *parameter.secondary_opts)
            missing = [each for each in given if each.startswith("-") and f"`{each}" not in text]
            assert not missing, name


@pytest.mark.parametrize("page", _POLICY_PAGES, ids=lambda page: page.stem)
def test_every_page_of_a_policy_has_the_same_headings(page: Path) -> None:
    headings = re.findall(r"^## (.*)$", page.read_text("utf-8"), re.MULTILINE)
    assert headings == _POLICY_HEADINGS


def test_every_policy_has_a_page_and_stands_in_the_readme() -> None:
    policies = importlib.import_module("turnfold.policies").__all__
    named = {name for name in policies if name.endswith(("Policy", "Chain", "_chain"))}
    titles = {page.read_text("utf-8").splitlines()[0].removeprefix("# ") for page in _POLICY_PAGES}
    assert titles == named
    readme = _read("README.md")
    assert all(f"`{name}`" in readme for name in named)


def test_every_reason_stands_on_a_page_of_a_policy() -> None:
    text = "".join(page.read_text("utf-8") for page in _POLICY_PAGES)
    for name, reason in vars(Reason).items():
        if name.isupper():
            assert f"`{reason}`" in text, name


def test_every_number_that_the_source_cites_is_a_guarantee() -> None:
    cited = set()
    for path in (ROOT / "src").rglob("*.py"):
        for numbers in re.findall(r"\(contracts? ([^)]*)\)", path.read_text("utf-8")):
            cited |= set(_NUMBER.findall(numbers))
    assert cited <= _promised()


def test_the_readme_promises_only_what_the_acceptance_script_checks() -> None:
    table = _read("README.md").partition("## What it guarantees")[2].partition("\n## ")[0]
    numbers = set(_NUMBER.findall(table.replace("L1 to L3", "L1, L2, L3")))
    assert numbers
    assert numbers <= _claimed() <= _promised()


def test_the_guarantees_that_the_acceptance_script_checks_are_in_bold() -> None:
    text = _read("docs", "reference", "guarantees.md")
    assert set(re.findall(r"^- \*\*([A-Z]\d+)\*\*", text, re.MULTILINE)) == _claimed()


def test_every_key_of_the_stored_records_is_in_the_reference() -> None:
    text = _read("docs", "reference", "plan-json.md")
    transcript = turnfold.Transcript()
    plan = turnfold.DropOldestPolicy().decide(transcript, turnfold.CompactionBudget(1))
    view = turnfold.CompactionExecutor().apply(transcript, plan)
    for record in (plan.to_dict(), view.report.to_dict(), view.ledger.to_dict()):
        assert not [key for key in record if f"`{key}`" not in text]
        assert f"`{record['schema']}`" in text
