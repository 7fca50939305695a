"""States, speakers, guesses and items: what a sentence says, and what a summary turns around."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Finding, Severity, audit
from turnfold.audit._hedges import is_guess, is_hedged
from turnfold.audit._items import is_decision, is_todo, is_unsolved
from turnfold.audit._speakers import speaker_of, voice_of
from turnfold.audit._states import state_of
from turnfold.transcript import Role


def held(summary: str, *said: tuple[str, str]) -> list[Finding]:
    """Return what an audit of a summary finds above INFO."""
    turns = [TranscriptTurn(f"t{at}", role, text, 9) for at, (role, text) in enumerate(said)]
    findings = audit(Transcript(turns), f"Work went on.\n{summary}\n").findings
    return [each for each in findings if each.severity is not Severity.INFO]


class TestStates:
    @pytest.mark.parametrize(
        ("sentence", "progress"),
        [
            ("The parcel build is green again.", 1),
            ("The parcel build is not green.", -1),
            ("The parcel index has been rebuilt.", 1),
            ("The parcel index is yet to be rebuilt.", -1),
            ("The parcel import finished without errors.", 1),
            ("The parcel import isn't finished yet.", -1),
            ("The parcel job keeps timing out.", -1),
            ("The parcel regression is gone.", 1),
            ("The parcel index was not rebuilt.", -1),
            ("The parcel index needs a second look.", -1),
            ("The parcel index is being reviewed.", -1),
            ("The parcel index is stalled.", -1),
            ("The parcel index is nowhere near done.", -1),
            ("Work continues on the parcel index.", -1),
            ("The parcel index was not started.", -1),
            ("The parcel index is good to go.", 1),
            ("The parcel index shipped yesterday.", 1),
            ("The parcel index is unblocked.", 1),
            ("The parcel index has an unexpected label.", 0),
            ("The parcel index holds labels.", 0),
        ],
    )
    def test_a_negation_turns_a_word_of_progress(self, sentence: str, progress: int) -> None:
        """Would catch: `not done` that counts as done."""
        assert state_of(sentence).progress == progress

    @pytest.mark.parametrize(
        ("sentence", "progress"),
        [
            ("包裹索引的测试全部通过。", 1),
            ("包裹索引的测试没有通过。", -1),
            ("包裹索引已经上线。", 1),
            ("包裹索引还没有上线。", -1),
            ("待办\uff1a给stampLabels加重试。", -1),
            ("stampLabels已加重试。", 1),
            ("包裹索引不再报错。", 1),
            ("包裹通过接口发送。", 0),
        ],
    )
    def test_chinese_words_of_progress_are_turned_too(self, sentence: str, progress: int) -> None:
        """Would catch: `passed` read in `not passed`, and a name that hides the words beside it."""
        assert state_of(sentence).progress == progress

    @pytest.mark.parametrize(
        ("sentence", "progress"),
        [
            ("[x] port `stampLabels`", 1),
            ("- [ ] port `stampLabels`", -1),
            ("\u2705 labels", 1),
            ("| labels | \u2705 |", 0),
        ],
    )
    def test_a_mark_before_a_sentence_says_how_far_it_is(
        self, sentence: str, progress: int
    ) -> None:
        """Would catch: a ticked box that says nothing, and a tick in a table taken for one."""
        assert state_of(sentence).progress == progress

    @pytest.mark.parametrize(
        ("said", "told"),
        [
            (
                "The label printer can't take more than 5 minutes.",
                "Max time of the label printer: 5 minutes.",
            ),
            (
                "Nothing else than src/labels.py writes to the label printer.",
                "Sole writer of the label printer: src/labels.py.",
            ),
            ("I don't want stampLabels to be renamed.", "`stampLabels` keeps its old name."),
        ],
    )
    def test_a_limit_denies_nothing(self, said: str, told: str) -> None:
        """Would catch: `not more than` and `nothing but` read as the opposite of it."""
        assert not {each.kind for each in held(told, ("assistant", said))} & {"status", "decision"}

    def test_both_signs_are_mixed(self) -> None:
        """Would catch: half of a sentence taken for all of it."""
        assert state_of("The parcel tests pass here but fail in CI.").is_mixed

    @pytest.mark.parametrize(
        ("said", "turned"),
        [
            ("The label printer rollout is blocked.", "The label printer rollout is complete."),
            ("Still to port: `stampLabels`.", "`stampLabels` has been ported."),
            ("We shipped the label printer today.", "The label printer has not shipped today."),
            ("The label printer is up and running.", "The label printer is down."),
        ],
    )
    def test_a_flipped_status_is_found(self, said: str, turned: str) -> None:
        """Would catch: a status that is known by a few words only."""
        assert "status" in {each.kind for each in held(turned, ("assistant", said))}
        assert held(said, ("assistant", said)) == []

    def test_what_a_later_turn_may_have_changed_is_no_finding(self) -> None:
        """Would catch: an old failure held against a summary of what came after."""
        said = [
            ("assistant", "The label printer tests fail."),
            ("assistant", "All label printer tests pass."),
        ]
        assert held("The label printer tests pass.", *said) == []

    @pytest.mark.parametrize(
        ("said", "turned"),
        [
            ("We settled on `stampLabels` for labels.", "`stampLabels` was ruled out for labels."),
            ("We decided against `stampLabels` for labels.", "`stampLabels` is kept for labels."),
            ("Agreed, labels go into src/labels.py.", "Labels do not go into src/labels.py."),
        ],
    )
    def test_a_decision_that_is_turned_round_is_high(self, said: str, turned: str) -> None:
        """Would catch: a decision whose polarity nobody compares."""
        found = held(turned, ("user", said))
        assert ("decision", "negated", "high") in {
            (each.kind, each.status, each.severity) for each in found
        }

    @given(st.text(alphabet="not dne fail,keep yet.", max_size=80))
    def test_any_text_has_a_state(self, text: str) -> None:
        """Would catch: a reading that breaks, or signs out of range."""
        state = state_of(text)
        assert {state.progress, state.choice} <= {-1, 0, 1}


class TestSpeakers:
    @pytest.mark.parametrize(
        ("sentence", "role"),
        [
            ("At the user's request labels are cached.", Role.USER),
            ("Per the user, labels are cached.", Role.USER),
            ("You asked to cache labels.", Role.USER),
            ("I suggested to cache labels.", Role.ASSISTANT),
            ("Caching labels was proposed by the assistant.", Role.ASSISTANT),
            ("The metrics agent calls the label printer.", None),
            ("user table measured at 5 MB.", None),
            ("The model registry needs 5 MB.", None),
            ("The user has then explicitly asked for labels.", Role.USER),
            ("用户明确要求把标签缓存到stampLabels。", Role.USER),
            ("助手建议把标签缓存到stampLabels。", Role.ASSISTANT),
            ("用户表里有标签。", None),
            ("The user asked what the assistant suggested.", None),
        ],
    )
    def test_the_party_that_a_sentence_names(self, sentence: str, role: Role | None) -> None:
        """Would catch: a pronoun or a possessive that names nobody, or a part of another name."""
        assert speaker_of(sentence) is role

    def test_a_report_is_the_voice_of_whom_it_reports(self) -> None:
        """Would catch: an assistant's `you asked` that counts as the assistant's own."""
        assert voice_of("You asked for labels.", Role.ASSISTANT) is Role.USER
        assert voice_of("I want labels.", Role.USER) is Role.USER

    def test_a_swapped_speaker_is_found_in_chinese(self) -> None:
        """Would catch: a name within Chinese text that nobody can bind."""
        asked = ("user", "请把标签的结果缓存到stampLabels。")
        assert "attribution" in {
            each.kind for each in held("助手建议把标签的结果缓存到stampLabels。", asked)
        }
        assert held("用户要求把标签的结果缓存到stampLabels。", asked) == []

    def test_a_swapped_speaker_is_found_unless_the_party_spoke_of_it(self) -> None:
        """Would catch: the user made the author of what only the assistant said."""
        proposal = ("assistant", "I propose to cache the labels in `stampLabels`.")
        wrong = "The user insisted on caching the labels in `stampLabels`."
        assert "attribution" in {each.kind for each in held(wrong, proposal)}
        agreed = ("user", "Yes, labels cached in stampLabels is what I want.")
        assert "attribution" not in {each.kind for each in held(wrong, proposal, agreed)}


class TestGuesses:
    @pytest.mark.parametrize(
        "guess",
        [
            "My hunch is that `stampLabels` deadlocks on labels.",
            "It looks like `stampLabels` deadlocks on labels.",
            "Perhaps `stampLabels` deadlocks on labels, unverified.",
        ],
    )
    def test_a_guess_made_a_fact_is_found(self, guess: str) -> None:
        """Would catch: a hedge that is not known as one."""
        fact = "`stampLabels` deadlocks on labels."
        assert [each.rule for each in held(fact, ("assistant", guess))] == ["guess made a fact"]
        confirmed = ("assistant", "The trace shows that `stampLabels` deadlocks on labels.")
        assert held(fact, ("assistant", guess), confirmed) == []
        assert held(guess, ("assistant", guess)) == []

    def test_a_proposal_and_a_permission_are_no_guess(self) -> None:
        """Would catch: what may be done taken for what may be."""
        assert not is_guess("Maybe we can look at `stampLabels` later.")
        assert not is_guess("A page may hold 40 rows.")
        assert is_hedged("A page may hold 40 rows.")


class TestItems:
    @pytest.mark.parametrize(
        "said",
        [
            "`stampLabels` it is for labels.",
            "We ruled out `stampLabels`.",
            "The team signed off on `stampLabels`.",
            "Verdict: `stampLabels` stays.",
        ],
    )
    def test_decisions_have_many_words(self, said: str) -> None:
        """Would catch: a lost decision that nothing noted."""
        assert is_decision(said, Role.ASSISTANT)
        assert [each.kind for each in held("Nothing else.", ("user", said))] == ["decision"]

    def test_what_an_assistant_does_next_is_no_decision(self) -> None:
        """Would catch: every announcement of an agent as a decision."""
        assert not is_decision("Let me go with a quick look first.", Role.ASSISTANT)
        assert not is_decision("Let's use grep to find it.", Role.ASSISTANT)

    @pytest.mark.parametrize(
        "said",
        [
            "`stampLabels` has yet to be ported.",
            "Outstanding: clean up `stampLabels`.",
            "I haven't gotten to `stampLabels` yet.",
        ],
    )
    def test_a_lost_todo_is_found_unless_it_was_taken_up(self, said: str) -> None:
        """Would catch: a todo in other words; and one that was done since."""
        assert is_todo(said)
        assert [each.kind for each in held("Nothing.", ("assistant", said))] == ["todo"]
        done = ("tool", "stampLabels: 3 tests passed")
        assert held("Nothing.", ("assistant", said), done) == []

    @pytest.mark.parametrize(
        ("said", "after", "state"),
        [
            ("The printer keeps crashing with E4711.", "", "open"),
            ("E4711 comes back after each restart.", "", "open"),
            ("The printer stops with E4711.", "No fix yet.", "open"),
            ("E4711 showed up and I fixed it.", "", "solved"),
            ("The printer no longer raises E4711.", "", "solved"),
        ],
    )
    def test_an_error_is_unsolved_by_its_words(self, said: str, after: str, state: str) -> None:
        """Would catch: an open error that is passed over, or a solved one that is demanded."""
        assert is_unsolved(said, after) == (state == "open")


class TestChecks:
    def test_what_was_verified_is_not_unverified(self) -> None:
        """Would catch: `not verified` passed over as a guess where the turn says verified."""
        said = "assistant", "The parcel index was verified."
        (found,) = held("The parcel index is not verified.", said)
        assert (found.kind, found.status) == ("status", "negated")
        said = "assistant", "The parcel index works."
        assert held("The parcel index is unverified.", said) == []

    @pytest.mark.parametrize("told", ["may not", "must never", "needs to", "is not allowed to"])
    def test_whom_a_rule_binds_did_not_say_it(self, told: str) -> None:
        """Would catch: `the agent may not commit` read as words of the agent."""
        assert speaker_of(f"The agent {told} commit the labels.") is None
        assert speaker_of("The agent suggested to commit the labels.") is Role.ASSISTANT
