"""How agents set out their summaries and name things in them, and what must be found all the same.

Each form that once raised a false alarm stands beside the slip that it must not hide.
"""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Severity, audit


def alarms(summary: str, *said: tuple[str, str]) -> set[tuple[str, str]]:
    """Return the literals and statuses that an audit of a bare summary finds above INFO."""
    turns = [TranscriptTurn("t", "user", "We are at the parcel service of the depot.", 9)]
    turns += [TranscriptTurn(f"t{at}", *each, 9) for at, each in enumerate(said)]
    found = audit(Transcript(turns), summary).findings
    return {
        (each.literal, each.status.value) for each in found if each.severity is not Severity.INFO
    }


def test_the_tags_of_sections_are_no_assertions() -> None:
    """Would catch: the tags of a summary's sections, read as names and paths that no turn has."""
    said = ("assistant", "The parcels are weighed in src/scale.py.")
    tagged = "<depot_state>\n<next_plan>\n{}\n</next_plan>\n  </depot_state>"
    assert not alarms(tagged.format("Weighed in src/scale.py."), said)
    assert alarms(tagged.format("Weighed in src/scales.py."), said) == {
        ("src/scales.py", "mutated")
    }
    assert not alarms("USER_CONTEXT: weigh it\n**CURRENT_STATE**: done", said)
    assert alarms("PARCEL_CONTEXT: weigh it", said) == {("PARCEL_CONTEXT", "unverified")}
    inline = "The element is <weight_of_parcel> in src/scale.py."
    assert ("weight_of_parcel", "unverified") in alarms(inline, said)


def test_a_file_that_was_mentioned_with_a_sign_is_that_file() -> None:
    """Would catch: `@docs/plan.md`, as users hand over files, taken for another case of a name."""
    said = ("user", "How does it compare with @docs/parcel-plan.md and @depot/parcel-labels?")
    assert not alarms("Compared with `docs/parcel-plan.md`; `@depot/parcel-labels` fits.", said)
    slipped = alarms("Compared with `docs/parcel-plans.md`; `@depot/parcel-labels` fits.", said)
    assert [status for _, status in slipped] == ["mutated"]
    assert alarms("Compared with docs/parcel-plan.md; depot/parcel-labels fits.", said)


def test_a_member_is_named_with_its_owner() -> None:
    """Would catch: a method told with its class, which the code has on two lines."""
    code = "class ParcelScale(Device):\n    unit = 1\n    def read_weight(self):\n        ..."
    said = ("tool", code)
    assert not alarms("The bug is in `ParcelScale.read_weight`.", said)
    assert alarms("The bug is in `read_weight.ParcelScale`.", said)
    assert alarms("The bug is in `ParcelScale.read_height`.", said)
    apart = [("user", "What is next?"), ("tool", "def open_lid(self): ...")]
    assert alarms("The bug is in `ParcelScale.open_lid`.", said, *apart)


def test_an_edited_file_may_be_named_by_a_name_that_begins_with_a_dot() -> None:
    """Would catch: `.depot-ci.yml` in a summary that is not the file that was edited."""
    path = "/srv/depot/.depot-ci.yml"
    said = ("assistant", f'[call edit_file] {{"path": "{path}", "text": "a"}}')
    assert not alarms("- .depot-ci.yml: the cache key was changed.", said)
    assert (path, "lost") in alarms("- The cache key was changed.", said)


def test_what_points_to_an_offer_is_no_part_of_a_decision() -> None:
    """Would catch: `for this option, please` that has to stand in the report of a decision."""
    said = ("user", "Yes, let's go with the padded envelope for this option, please.")
    assert not alarms("The customer chose a padded one, not the crate.", said)
    assert alarms("The customer chose the crate.", said)


def test_a_history_of_a_value_may_be_told_beside_its_change() -> None:
    """Would catch: what was measured with the value before, taken for one that holds still."""
    said = [
        ("user", "超时先调到 4000 毫秒试一次。"),
        ("user", "超时改成 3000\uff0c不要 4000。"),
    ]
    told = "超时最终定为 3000\uff08之前是 4000\uff09。"
    high = {("超时改成 3000\uff0c不要 4000。", "coexists_review")}
    assert not high & alarms(f"{told}\n超时放宽到 4000 后用时变短。", *said)
    assert high <= alarms("超时是 3000。\n超时用 4000。", *said)


def test_where_alone_a_rule_holds_says_where_it_holds() -> None:
    """Would catch: a wide place that has to be repeated beside the only place within it."""
    said = ("user", "In the depot, parcels must be weighed only in the north hall.")
    assert not alarms("Parcels must be weighed only in the north hall.", said)
    assert alarms("Parcels must be weighed in the depot.", said)


def test_what_a_thing_is_done_for_is_no_part_of_when() -> None:
    """Would catch: a purpose that is asked for as a part of when a rule holds."""
    text = "Always check the label after you print one to make sure that it shows what was ordered."
    assert not alarms("After every print check that the label is right.", ("user", text))
    assert alarms("Labels may be left unchecked.", ("user", text))


def test_an_order_of_a_summary_denies_nothing_that_failed() -> None:
    """Would catch: a goal of the user, taken for the opposite of what could not be done."""
    said = ("assistant", "I cannot upgrade the parcel to express delivery either.")
    assert not alarms("Upgrade the parcel to express delivery wherever possible.", said)
    assert alarms("The parcel was upgraded to express delivery.", said)


def test_what_another_does_not_do_is_not_denied_of_this() -> None:
    """Would catch: `it does not do that, and overrides X`, taken for `it does not override X`."""
    said = ("assistant", "The draft actively overrides the label of `depot/rules`.")
    assert not alarms("Couriers do not do it and it overrides the label `depot/rules`.", said)
    assert alarms("The draft never overrides the label of `depot/rules`.", said)


def test_an_id_is_not_cut_like_a_unit() -> None:
    """Would catch: `K61CZX` read as 61 of a unit, so that two parcels are one."""
    said = ("assistant", "The parcel with the id K61CZX has been successfully shipped.")
    assert not alarms("The parcel with the id K61CZY has not been shipped yet.", said)
    assert alarms("The parcel with the id K61CZX has not been shipped.", said)


def test_an_adjective_and_its_adverb_say_the_same_of_a_rule() -> None:
    """Would catch: `indent properly`, taken for another rule than `appropriate indentation`."""
    said = ("user", "Never hand in a manifest without appropriate indentation.")
    assert not alarms("A manifest must never be handed in without a proper indent.", said)
    assert alarms("A manifest may be handed in without a proper indent.", said)


def test_looking_whether_something_is_so_asks_nothing() -> None:
    """Would catch: a rule that is not read because the clause before it looks into something."""
    said = ("user", "先称一下看看是不是太重\uff0c托盘必须朝北放。")
    assert {status for _, status in alarms("称重已完成。", said)} == {"lost"}
    assert not alarms("托盘必须朝北放。", said)


def test_a_file_may_be_named_by_its_number() -> None:
    """Would catch: `migrations 0041 to 0044` of files that begin so, told by no turn."""
    said = ("tool", "ran 0041_add_depot.sql\nran 0044_add_hall.sql\nskipped 0045_split.sql")
    assert not alarms("The migrations 0041 to 0044 were run.", said)
    assert alarms("The migrations 0041 to 0046 were run.", said)


def test_seconds_are_told_in_chinese_as_tools_print_them() -> None:
    """Would catch: `21.5s` that is told as seconds in Chinese, or a wrong number of them."""
    said = ("tool", "weighed in 21.5s, label in 90 ms, sorted in 5m07s, packed in 30s")
    assert not alarms(
        "称重用时 21.5 秒\uff0c贴标 90 毫秒\uff0c分拣 5 分 07 秒\uff0c装箱 30秒。", said
    )
    assert {literal for literal, _ in alarms("称重用时 21.5 秒\uff0c装箱 60 秒。", said)} == {
        "60 秒"
    }


@pytest.mark.parametrize("deed", ["committed", "pushed", "deployed", "published"])
def test_a_deed_that_nobody_did_or_spoke_of_is_found(deed: str) -> None:
    """Would catch: a summary that says that something was committed where nobody did that."""
    root = {"committed": "commit"}.get(deed, deed.removesuffix("ed"))
    seen = ("tool", "use git commit, push, deploy or publish")
    done = ("assistant", f'[call shell] {{"command": "depot {root} parcels"}}')
    told = f"The change of the label was {deed}."
    assert alarms(told, seen) == {(deed, "unverified")}
    assert not alarms(told, seen, done)
    assert not alarms(f"Nothing was {deed}. The change was not yet {deed}.", seen)
    assert not alarms(f"The change must be reviewed before it is {deed}.", seen)


@pytest.mark.parametrize(
    "told",
    ["All 142 tests passed.", "142 passed, none failed.", "测试 142 个全部通过。"],
)
def test_a_count_of_tests_that_no_turn_has_is_found(told: str) -> None:
    """Would catch: an invented number of tests, which a line number seems to support."""
    lines = ("tool", "   141\tdef weigh():\n   142\t    return 7 passed 35")
    assert ("142", "unverified") in alarms(told, lines)
    for result in ("142 passed in 2s", "Tests: 142 total", "PASS 142/142", "140 passed, 2 failed"):
        assert not alarms(told, lines, ("tool", result)), result
    assert not alarms("Both tests passed. 2 tests failed before.", lines)
    assert not alarms("Step 14 failed, attempt 15 passed, run 16 failed.", lines)


def test_a_name_ends_where_a_chinese_clause_does() -> None:
    """Would catch: what was done, hidden in the name before it because no space ends that."""
    said = ("assistant", "标签脚本 depot/labels 还没有推送。")
    assert not alarms("标签脚本 depot/labels\uff0c还没有推送。", said)
    assert alarms("标签脚本 depot/labels\uff0c已经推送。", said)


@pytest.mark.parametrize("role", ["system", "user"])
def test_a_rule_of_a_document_need_not_be_told_and_must_not_be_turned(role: str) -> None:
    """Would catch: a project's own rule, handed in as a document, that a summary turns round."""
    filler = "The depot has a north hall and a south hall, and each has one scale.\n" * 160
    rule = "Labels on a crate must always include a note that they were printed by a machine.\n"
    said = (role, f"{filler}{rule}{filler}")
    turned = alarms("Labels on a crate must never include a note that a machine printed.", said)
    assert {(literal[:6], status) for literal, status in turned} == {("Labels", "negated")}
    assert not alarms("Labels on a crate must always include a note of the machine.", said)
    assert not alarms("Parcels are weighed in the hall.", said)


def test_what_only_an_earlier_summary_says_is_said_to_be_so() -> None:
    """Would catch: a reader who is left to find out why no turn has what the last summary has."""
    before = {"turnfold.kind": "summary"}
    turns = [
        TranscriptTurn("a", "user", "Go on at the depot.", 9),
        TranscriptTurn("b", "assistant", "The hall is open.", 9),
        TranscriptTurn("c", "user", "The scale is in src/scale.py.", 9, metadata=before),
    ]
    report = audit(Transcript(turns), "The scale is in src/scale.py, the hall in src/hall.py.")
    rules = {each.literal: each.rule for each in report.findings if each.place}
    assert rules == {"src/scale.py": "only an earlier summary says so", "src/hall.py": None}


def test_a_correction_whose_value_is_told_needs_no_word_of_a_rule() -> None:
    """Would catch: `set to 3000, not 4000` that has to be told as a rule beside its value."""
    said = [("user", "超时先调到 4000 毫秒试一次。"), ("user", "超时改成 3000\uff0c不要 4000。")]
    assert not alarms("超时最终定为 3000 毫秒\uff08中间试过 4000\uff0c后来改了\uff09。", *said)
    assert alarms("超时最终定为 4000 毫秒。", *said)


def test_what_an_assistant_supposes_is_nothing_left_to_do() -> None:
    """Would catch: a guess about the user, or the title of a list, kept as a todo."""
    guess = ("assistant", "You probably just haven't noticed it at the north hall yet.")
    title = ("assistant", "**Checklist of the depot**: What needs to be done")
    left = ("assistant", "The scale of the north hall isn't calibrated yet.")
    assert not alarms("Fine.", guess, title)
    assert {status for _, status in alarms("Fine.", left)} == {"lost"}
    assert {status for _, status in alarms("好。", ("assistant", "称重脚本还没做。"))} == {"lost"}


def test_a_fraction_of_naught_is_no_other_number() -> None:
    """Would catch: a computed `12.0` that is told as 12 hours."""
    said = ("tool", "12.0")
    assert not alarms("The way takes 12 hours.", said)
    assert alarms("The way takes 13 hours.", said)
    assert alarms("The way takes 12 hours.", ("tool", "12.05"))


def test_what_can_be_used_to_do_something_is_no_habit_of_the_past() -> None:
    """Would catch: `cannot be used to pay` read as what was so once, so that nothing denies it."""
    said = ("assistant", "A gift voucher cannot be used to pay for a crate.")
    assert {status for _, status in alarms("A gift voucher can be used to pay a crate.", said)} == {
        "negated"
    }
    assert not alarms("A gift voucher cannot be used to pay a crate.", said)
    assert not alarms("A gift voucher used to pay for a crate.", said)
