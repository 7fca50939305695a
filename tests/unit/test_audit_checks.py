"""Coverage, the vocabulary and the critical items: each check by itself."""

import json

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import AuditConfig, Axis, Finding, Severity, Status, Vocabulary, audit

CALL = '[call Edit] {"file_path": "/home/ana/proj/src/etl/loader.py", "new_string": "x"}'
KEY = "sk-abcdefghijklmnopqrstuvwxyzABCDEFGH12345678"
PATCH = """*** Begin Patch
*** Update File: lib/a.py
*** Move to: lib/b.py
@@
 # TODO: name the owner
-x
+*** Add File: no.py
*** End Patch"""
LINES = (
    ("u1", "user", "We will use PostgreSQL for the ledger tables, never MySQL."),
    ("a1", "assistant", f"Reading.\n{CALL}"),
    ("t1", "tool", "ok: 41 rows in stage_rows at 12 ms"),
    ("u2", "user", "TODO: document the retry budget of fetch_rates."),
    ("a2", "assistant", "I decided to key the cache by tenant_id.\nIs tenant_id chosen well?"),
)


def transcript(*more: TranscriptTurn) -> Transcript:
    return Transcript(
        (*(TranscriptTurn(name, role, text, 20) for name, role, text in LINES), *more)
    )


def found(summary: str, axis: Axis, *more: TranscriptTurn) -> dict[tuple[str, str], Finding]:
    report = audit(transcript(*more), summary)
    return {(each.kind, each.literal): each for each in report.findings if each.axis is axis}


class TestCritical:
    def test_lost_items_have_their_severity_and_their_turn(self) -> None:
        lost = found("All went well.", Axis.CRITICAL)
        assert {
            (kind, each.severity.value, each.leaf_turn_ids) for (kind, _), each in lost.items()
        } == {
            ("decision", "high", ("u1",)),
            ("decision", "high", ("a2",)),
            ("file_edit", "medium", ("a1",)),
            ("todo", "medium", ("u2",)),
        }

    @pytest.mark.parametrize(
        ("said", "kind"),
        [
            ("Ledger tables use PostgreSQL rather than MySQL.", "decision"),
            ("Edited src/etl/loader.py.", "file_edit"),
            ("Edited loader.py.", "file_edit"),
            ("Open: document the retry budget of fetch_rates.", "todo"),
        ],
    )
    def test_what_the_summary_says_is_not_lost(self, said: str, kind: str) -> None:
        before = len([1 for each, _ in found("nothing", Axis.CRITICAL) if each == kind])
        after = len([1 for each, _ in found(said, Axis.CRITICAL) if each == kind])
        assert after == before - 1

    def test_a_question_and_a_call_are_no_decision(self) -> None:
        assert not [text for _, text in found("nothing", Axis.CRITICAL) if text.endswith("?")]

    @pytest.mark.parametrize(
        ("line", "is_left"),
        [
            *(("- [ ] Port the ledger import.", True), ("2. [ ] Port the ledger import.", True)),
            *(("[ ] Port the ledger import.", True), ("- [x] Port the ledger import.", False)),
            ("See [ ] in the form.", False),
        ],
    )
    def test_an_open_box_of_a_checklist_is_left_to_do(self, line: str, *, is_left: bool) -> None:
        said = TranscriptTurn("u9", "user", line, 9)
        left = [
            turn
            for each in found("-", Axis.CRITICAL, said).values()
            if each.kind == "todo"
            for turn in each.leaf_turn_ids
        ]
        assert ("u9" in left) is is_left

    @pytest.mark.parametrize(
        ("said", "kind"),
        [
            ("Someone should port the ledger import.", "todo"),
            ("Once the import is out, we need to tell the ledger team.", "todo"),
            ("Remaining work: port the ledger import.", "todo"),
            ("Yes, go with Redis for the queue.", "decision"),
            ("Fine: stick with Redis for the queue.", "decision"),
            ("Fine: keeping Redis for the queue.", "decision"),
            ("The SchemaError of the import is still not solved.", "error"),
            ("The SchemaError of the import isn't solved.", "error"),
            ("We can't explain the SchemaError of the import.", "error"),
        ],
    )
    def test_wordings_in_the_middle_of_a_sentence_count(self, said: str, kind: str) -> None:
        """Would catch: a wording whose own end, or beginning, rules out what stands beside it."""
        turn = TranscriptTurn("u9", "user", said, 9)
        lost = found("-", Axis.CRITICAL, turn).values()
        assert [each.kind for each in lost if each.leaf_turn_ids == ("u9",)] == [kind]

    @pytest.mark.parametrize(
        ("call", "edited"),
        [
            ('str_replace_editor] {"command": "create", "path": "lib/a.py"}', ["lib/a.py"]),
            ('str_replace_editor] {"command": "view", "path": "lib/a.py"}', []),
            ('write_file] {\n  "path": "lib/a.py",\n  "text": "TODO: x"\n}', ["lib/a.py"]),
            (r'Edit] {"file_path": "C:\\proj\\a.py", "old": "x"}', ["C:\\proj\\a.py"]),
            (f"apply_patch] {PATCH}", ["lib/a.py", "lib/b.py"]),
            (f"apply_patch] {json.dumps({'input': PATCH})}", ["lib/a.py", "lib/b.py"]),
        ],
    )
    def test_the_files_of_a_call_are_those_that_it_changes(
        self, call: str, edited: list[str]
    ) -> None:
        """Would catch: a view as an edit, a patch without its files, code of it as speech."""
        turn = TranscriptTurn("a9", "assistant", f"Now.\n[call {call}\nTODO: tell Ana.", 9)

        def lost(summary: str) -> list[str]:
            listed = found(summary, Axis.CRITICAL, turn).values()
            return [each.literal for each in listed if each.leaf_turn_ids == ("a9",)]

        assert lost("-") == [*edited, "TODO: tell Ana."]
        assert lost(f"Changed {' and '.join(edited)}.") == ["TODO: tell Ana."]

    @pytest.mark.parametrize("words", [110, 114, 118, 138, 142, 146])
    def test_a_credential_is_hidden_where_a_line_is_cut(self, words: int) -> None:
        """Would catch: a line cut within a credential, whose beginning looks like none."""
        said = f"TODO: rotate {'it, ' * words}{KEY}, that is left to do."
        turn = TranscriptTurn("u9", "user", said, 9)
        literals = [each.literal for each in found("-", Axis.CRITICAL, turn).values()]
        assert any("rotate" in each for each in literals)
        assert not any(KEY[3:7] in each or KEY[-4:] in each for each in literals)

    @pytest.mark.parametrize(
        ("said", "named"),
        [
            *(
                ("The import still ends in EPIPE.", ["EPIPE"]),
                ("Still ENETUNREACH.", ["ENETUNREACH"]),
            ),
            *(("The import still ends in E2BIG.", ["E2BIG"]), ("Still stuck at E0382.", ["E0382"])),
            ("That is still NOT ENOUGH for the import.", []),
        ],
    )
    def test_the_code_of_an_error_is_one_that_is_known(self, said: str, named: list[str]) -> None:
        """Would catch: codes told by two letters, which some lack and other words have."""
        turn = TranscriptTurn("u9", "user", said, 9)
        lost = [each for each in found("-", Axis.CRITICAL, turn).values() if each.kind == "error"]
        assert [each.literal for each in lost] == named
        kept = found(f"Open: {' '.join(named)}", Axis.CRITICAL, turn)
        assert not [each for each, _ in kept if each == "error"]

    def test_an_error_counts_while_nothing_resolved_it(self) -> None:
        failed = {"turnfold.tool_name": "Bash", "turnfold.status": "error"}
        error = TranscriptTurn("t2", "tool", "raise SchemaError: x", 9, metadata=failed)
        ok = TranscriptTurn("t3", "tool", "fine", 9, metadata={"turnfold.tool_name": "Bash"})
        (open_error,) = [
            each for key, each in found("-", Axis.CRITICAL, error).items() if key[0] == "error"
        ]
        assert (open_error.literal, open_error.severity) == ("SchemaError", Severity.HIGH)
        assert ("error", "SchemaError") not in found("-", Axis.CRITICAL, error, ok)
        assert ("error", "SchemaError") not in found("SchemaError is open", Axis.CRITICAL, error)

    def test_chinese_decisions_are_found_and_kept(self) -> None:
        said = TranscriptTurn("u9", "user", "我们决定用 Redis 做缓存。", 9)
        assert ("decision", said.content) in found("无", Axis.CRITICAL, said)
        assert ("decision", said.content) not in found("缓存用 Redis", Axis.CRITICAL, said)


class TestCoverage:
    def test_lost_facts_are_information_and_name_their_turns(self) -> None:
        lost = found("It uses stage_rows.", Axis.COVERAGE)
        assert ("identifier", "fetch_rates") in lost
        assert ("identifier", "stage_rows") not in lost
        assert {each.severity for each in lost.values()} == {Severity.INFO}
        assert lost["identifier", "fetch_rates"].leaf_turn_ids == ("u2",)

    def test_what_stays_in_the_view_is_not_lost(self) -> None:
        report = audit(transcript(), "", staying=("u2",))
        assert "fetch_rates" not in {each.literal for each in report.findings}

    def test_shares_add_up(self) -> None:
        report = audit(transcript(), "tenant_id")
        for each in report.coverage:
            assert 0 <= each.kept <= each.total
            assert 0 <= each.share <= 1
        nothing, everything = (
            audit(transcript(), ""),
            audit(transcript(), "\n".join(t for *_, t in LINES)),
        )
        assert nothing.share < report.share < everything.share == 1

    def test_a_cap_is_named(self) -> None:
        names = " ".join(f"row_count_{number}" for number in range(30))
        many = Transcript([TranscriptTurn("u", "user", names, 9)])
        report = audit(many, "", AuditConfig(max_facts_per_category=10))
        assert report.count(Axis.COVERAGE) == 10
        assert report.notes == ("20 more lost facts of class identifier are not listed",)

    def test_a_number_counts_by_unit_or_by_how_often_it_stands(self) -> None:
        text = "wait 30 s; batch 512 and 512"
        numbers = Transcript([TranscriptTurn("u", "user", text, 9)])
        lost = {each.literal for each in audit(numbers, "").findings}
        assert lost == {"30 s"}
        often = AuditConfig(critical_number_count=2)
        assert "512" in {each.literal for each in audit(numbers, "", often).findings}


class TestVocabulary:
    def check(self, summary: str, **terms: tuple[str, ...]) -> set[tuple[str, str]]:
        config = AuditConfig(compliance_vocabulary=Vocabulary(**terms))
        report = audit(transcript(), summary, config)
        return {
            (each.status.value, each.literal) for each in report.findings if each.kind == "term"
        }

    def test_each_status(self) -> None:
        assert self.check("x", keep=("PostgreSQL",)) == {("missing", "PostgreSQL")}
        assert self.check("postgresql", keep=("PostgreSQL",)) == set()
        assert self.check("use MySQL", drop=("MySQL",)) == {("superseded", "MySQL")}
        assert self.check("x", scope=("ledger tables",)) == {("scope_lost", "ledger tables")}
        both = self.check("PostgreSQL, MySQL", keep=("PostgreSQL",), drop=("MySQL",))
        assert both == {("superseded", "MySQL"), ("coexists_review", "MySQL")}

    def test_a_term_that_the_transcript_lacks_is_not_missing(self) -> None:
        assert self.check("x", keep=("Oracle",)) == set()

    def test_terms_end_at_words_but_not_within_chinese(self) -> None:
        assert self.check("use MySQLite", drop=("MySQL",)) == set()
        assert self.check("请不要修改数据库", drop=("修改",)) == {("superseded", "修改")}

    @pytest.mark.parametrize("term", ["MySQL", "gro\u00dfe", "GROSSE", "\ufb01x"])
    def test_the_place_is_that_of_the_text_as_it_was_given(self, term: str) -> None:
        """Would catch: a place in the folded text, which is longer."""
        text = "Die Stra\u00dfe, \u0130 \ufb01x die Gro\u00dfe mit MySQL."
        config = AuditConfig(compliance_vocabulary=Vocabulary(drop=(term,)))
        terms = (each for each in audit(transcript(), text, config).findings if each.kind == "term")
        place = next(terms).place
        assert place is not None
        assert text[place.start : place.end].casefold() == term.casefold()

    def test_it_can_be_turned_off(self) -> None:
        config = AuditConfig(
            check_compliance=False, compliance_vocabulary=Vocabulary(drop=("MySQL",))
        )
        assert audit(transcript(), "MySQL", config).count(Axis.COMPLIANCE) == 0

    def test_what_cannot_be_used_is_named_and_left_out(self) -> None:
        made, problems = Vocabulary.from_dict({"keep": ["a", 1, ""], "drop": "no", "what": []})
        assert made == Vocabulary(keep=("a",))
        assert len(problems) == 3
        unusable: tuple[object, ...] = (None, [], "x", 5, {}, {"keep": []})
        for broken in unusable:
            empty, said = Vocabulary.from_dict(broken)
            assert empty.is_empty
            assert said


def test_a_finding_survives_json() -> None:
    for each in audit(transcript(), "port 99 and src/x.py").findings:
        assert Finding.from_dict(json.loads(json.dumps(each.to_dict()))) == each
    assert Status.LOST in {each.status for each in audit(transcript(), "").findings}
