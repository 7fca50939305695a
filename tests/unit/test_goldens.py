"""The same bytes everywhere (contract P7, known failure H2)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.goldens.write import FOLDER, Golden, goldens
from tests.oracles import content_sha256
from turnfold import CompactionPlan

ROOT = Path(__file__).resolve().parents[2]
ALL = list(goldens())


@pytest.mark.parametrize("golden", ALL, ids=lambda golden: golden.path.stem)
def test_a_plan_has_the_bytes_that_it_always_had(golden: Golden) -> None:
    """P7: change them on purpose only, as tests/goldens/README.md says."""
    assert golden.path.read_bytes() == golden.text.encode("ascii")


def test_no_golden_is_left_of_a_case_that_is_gone() -> None:
    """P7."""
    assert set(FOLDER.glob("*.json")) == {golden.path for golden in ALL}


def test_goldens_differ_where_budgets_do_and_show_every_action() -> None:
    """P7: a golden that never changes would guard nothing."""
    plans = [golden for golden in ALL if golden.path.name.endswith(".plan.json")]
    actions = "".join(json.loads(golden.text)["actions"] for golden in plans)
    assert set(actions) == set("KMSD")
    assert len({golden.text for golden in plans}) > len(plans) * 3 // 4


def test_every_golden_plan_is_a_plan() -> None:
    """P6, P9."""
    for path in FOLDER.glob("*.plan.json"):
        text = path.read_text("ascii")
        assert f"{CompactionPlan.from_dict(json.loads(text)).canonical_json()}\n" == text


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_bytes_do_not_depend_on_the_hash_seed(seed: str) -> None:
    """P7, H2: sets and dictionaries of strings in another order give the same bytes."""
    script = (
        "import hashlib; from tests.goldens.write import goldens; "
        "print(hashlib.sha256(''.join(each.text for each in goldens()).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == content_sha256("".join(golden.text for golden in ALL))
