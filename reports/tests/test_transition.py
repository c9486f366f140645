"""The rules of the upgrade gate, one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from cudasem_reports.model import OUTCOMES, Effect, Expectation, Expected, Judged, Observed, Plan, Result
from cudasem_reports.transition import Change, Transition, transition

DEFAULT = Expectation((Expected("ok"),))
WRITTEN = Expectation((Expected("error"),), where="expected/a.toml:1")


def result(
    outcome: str = "ok",
    *,
    kind: str = "rule",
    way: str = "",
    verdict: str = "as_expected",
    expectation: Expectation = DEFAULT,
    effects: tuple[Effect, ...] = (),
    **observed: Any,
) -> Result:
    case_id = "a.b" + (f"/{way}" if way else "")
    plan = Plan(case_id, case_id, "a.b", way, kind=kind, expectation=expectation)
    if outcome in ("error", "corrupt") and not effects:
        effects = (Effect(outcome, "x", code=1, normalised="t"),)
    return Result(plan, Observed(outcome, effects=effects, **observed), Judged(verdict))


def change(old: Result | None, new: Result | None) -> tuple[Change, bool]:
    found = transition(old, new)
    return found.change, found.foretold


def test_two_results_alike_are_the_same() -> None:
    for outcome in ("ok", "error", "corrupt", "crash", "hang", "fail"):
        assert transition(result(outcome), result(outcome)) == Transition(Change.SAME)


def test_nothing_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="one of the runs"):
        transition(None, None)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("error", "crash", Change.REGRESSION),
        ("error", "hang", Change.REGRESSION),
        ("error", "corrupt", Change.REGRESSION),
        ("crash", "hang", Change.REGRESSION),
        ("crash", "corrupt", Change.REGRESSION),
        ("hang", "corrupt", Change.REGRESSION),
        ("corrupt", "error", Change.IMPROVEMENT),
        ("corrupt", "hang", Change.IMPROVEMENT),
        ("hang", "crash", Change.IMPROVEMENT),
        ("crash", "error", Change.IMPROVEMENT),
        ("ok", "error", Change.CHANGED),
        ("ok", "corrupt", Change.CHANGED),
        ("corrupt", "ok", Change.CHANGED),
        ("error", "ok", Change.CHANGED),
        ("error", "fail", Change.CHANGED),
    ],
)
def test_a_misuse_is_judged_from_loud_to_silent(old: str, new: str, expected: Change) -> None:
    sides = [result(outcome, kind="misuse", way="wrong", verdict="changed") for outcome in (old, new)]
    assert change(*sides) == (expected, False)


@pytest.mark.parametrize(("kind", "way"), [("rule", ""), ("misuse", "right")])
def test_rules_and_right_ways_must_stay_ok(kind: str, way: str) -> None:
    def side(outcome: str) -> Result:
        return result(outcome, kind=kind, way=way, verdict="changed")

    for outcome in ("error", "corrupt", "fail", "crash", "hang"):
        assert change(side("ok"), side(outcome)) == (Change.REGRESSION, False)
        assert change(side(outcome), side("ok")) == (Change.IMPROVEMENT, False)
    assert change(side("error"), side("crash")) == (Change.CHANGED, False)


def test_an_observation_that_flips_has_changed() -> None:
    sides = [result(outcome, kind="observe") for outcome in ("ok", "error")]
    assert change(*sides) == (Change.CHANGED, False)


@pytest.mark.parametrize(
    "other",
    [
        {"at": "y"},
        {"code": 2},
        {"code": None, "type": "c10::Error"},
        {"memory_class": "stale"},
        {"want": "2"},
        {"got": "3"},
    ],
)
def test_the_same_outcome_with_another_effect_has_changed(other: dict[str, Any]) -> None:
    effect = Effect("error", "x", code=1, normalised="t", want="1", got="2")
    sides = [result("error", effects=(each,)) for each in (effect, replace(effect, **other))]
    assert change(*sides) == (Change.CHANGED, False)


def test_further_effects_and_their_order_count() -> None:
    first, second, third = (Effect("error", at, code=1) for at in "abc")
    old = result("error", effects=(first, second, third))
    assert change(old, result("error", effects=(first, second))) == (Change.CHANGED, False)
    assert change(old, result("error", effects=(first, third, second))) == (Change.CHANGED, False)


def test_another_signal_has_changed() -> None:
    assert change(result("crash", signal="SIGABRT"), result("crash", signal="SIGSEGV")) == (
        Change.CHANGED,
        False,
    )


def test_another_exit_status_of_a_crash_has_changed() -> None:
    assert change(result("crash", exit=1), result("crash", exit=7)) == (Change.CHANGED, False)
    assert transition(result("ok", exit=0), result("ok", exit=None)).change is Change.SAME


def test_the_line_of_a_failed_oracle_is_no_behaviour() -> None:
    sides = [result("fail", effects=(Effect("fail", f"cases/a/b.cpp:{line}"),)) for line in (9, 10)]
    assert transition(*sides).change is Change.SAME


def test_a_flip_that_an_entry_foretells_is_known() -> None:
    old, new = result("ok"), result("error", expectation=WRITTEN)
    assert change(old, new) == (Change.KNOWN, True)
    assert change(new, old) == (Change.KNOWN, True)


@pytest.mark.parametrize("verdict", ["regression", "changed", "improvement", "missing"])
def test_a_flip_with_another_verdict_on_either_side_is_not_known(verdict: str) -> None:
    old, new = result("ok"), result("error", expectation=WRITTEN)
    assert not transition(replace(old, judged=Judged(verdict)), new).foretold
    assert not transition(old, replace(new, judged=Judged(verdict))).foretold


def test_a_flip_without_any_entry_is_not_known() -> None:
    assert not transition(result("ok", kind="observe"), result("error", kind="observe")).foretold


def test_what_becomes_flaky_has_changed() -> None:
    assert change(result(), result(verdict="flaky")) == (Change.CHANGED, False)


@pytest.mark.parametrize("outcome", ["skip", "missing"])
def test_what_ran_and_does_not_any_more_is_missing(outcome: str) -> None:
    assert change(result("ok"), result(outcome, verdict="skipped")) == (Change.MISSING, False)


def test_a_foretold_skip_is_known() -> None:
    assert change(result("ok"), result("skip", expectation=WRITTEN)) == (Change.KNOWN, True)


def test_a_missing_result_is_never_known() -> None:
    assert change(result("ok"), result("missing", expectation=WRITTEN)) == (Change.MISSING, False)


def test_presence() -> None:
    assert change(None, result()) == (Change.NEW, True)
    assert change(None, result("crash", verdict="regression")) == (Change.NEW, False)
    assert change(result("skip", verdict="skipped"), result("crash", verdict="regression")) == (
        Change.NEW,
        False,
    )
    assert change(result(), None) == (Change.GONE, False)
    assert change(result("skip", verdict="skipped"), None) == (Change.GONE, True)
    assert change(None, result("missing", verdict="missing")) == (Change.MISSING, False)
    assert change(result("skip", verdict="skipped"), result()) == (Change.NEW, True)
    assert change(result("skip", verdict="skipped"), result("skip", verdict="skipped")) == (
        Change.NEITHER,
        True,
    )
    assert change(result("missing", verdict="missing"), result("missing", verdict="missing")) == (
        Change.NEITHER,
        True,
    )
    assert change(result("skip", verdict="skipped"), result("missing", verdict="missing")) == (
        Change.MISSING,
        False,
    )


def test_another_error_text_is_drift_and_foretold_where_both_are_as_expected() -> None:
    old = result("error", effects=(Effect("error", "x", code=1, normalised="old"),))
    new = result("error", effects=(Effect("error", "x", code=1, normalised="new"),))
    assert change(old, new) == (Change.ERROR_TEXT, True)
    assert change(old, replace(new, judged=Judged("changed"))) == (Change.ERROR_TEXT, False)


@pytest.mark.parametrize("outcome", ["crash", "hang"])
def test_the_raw_text_of_a_crash_counts_only_through_its_verdict(outcome: str) -> None:
    old, new = (result(outcome, text=f"free(): invalid pointer {n}", verdict="changed") for n in (1, 2))
    assert change(old, new) == (Change.ERROR_TEXT, True)
    well = replace(old, judged=Judged("as_expected"))
    assert change(well, replace(new, judged=Judged("as_expected"))) == (Change.ERROR_TEXT, True)
    assert change(well, new) == (Change.ERROR_TEXT, False)


def test_the_text_of_an_error_before_a_crash_still_counts() -> None:
    old, new = (
        result("crash", text="x", verdict="changed", effects=(Effect("error", "x", code=1, normalised=text),))
        for text in ("old", "new")
    )
    assert change(old, new) == (Change.ERROR_TEXT, False)


@pytest.mark.parametrize("kind", ["rule", "misuse"])
def test_another_fact_is_foretold_only_where_both_entries_name_it(kind: str) -> None:
    named = Expectation((Expected("ok"),), where="expected/a.toml:1", facts={"n": {"min": 1}})
    old, new = (result(kind=kind, facts={"n": n}, expectation=named) for n in (1, 2))
    assert change(old, new) == (Change.FACTS, True)
    unnamed = replace(new, plan=replace(new.plan, expectation=DEFAULT))
    assert change(old, unnamed) == (Change.FACTS, False)
    assert change(old, replace(new, judged=Judged("changed"))) == (Change.FACTS, False)


@pytest.mark.parametrize(
    ("old", "new", "same"), [(1, True, False), (0, False, False), (1, 1.0, True), (True, True, True)]
)
def test_a_number_is_no_truth_value(old: object, new: object, same: bool) -> None:
    expected = (Change.SAME, True) if same else (Change.FACTS, False)
    assert change(result(facts={"n": old}), result(facts={"n": new})) == expected


def test_a_fact_that_is_new_or_gone_has_changed() -> None:
    assert change(result(facts={"n": 1}), result()) == (Change.FACTS, False)
    assert change(result(), result(facts={"n": 1})) == (Change.FACTS, False)


@pytest.mark.parametrize("kind", ["observe", "measure"])
def test_facts_of_observations_and_measurements_never_stop_the_gate(kind: str) -> None:
    assert change(result(kind=kind, facts={"n": 1}), result(kind=kind, facts={"n": 2})) == (
        Change.FACTS,
        True,
    )


def test_warnings_are_information() -> None:
    assert change(result(warnings=("a",)), result(warnings=())) == (Change.WARNINGS, True)
    assert transition(result(warnings=("a", "b")), result(warnings=("b", "a"))).change is Change.SAME


def test_what_is_not_foretold_comes_first_and_the_rest_is_kept() -> None:
    old = result("error", effects=(Effect("error", "x", code=1, normalised="old"),), facts={"n": 1})
    new = result(
        "error", effects=(Effect("error", "x", code=1, normalised="new"),), warnings=("w",), facts={"n": 2}
    )
    assert transition(old, new) == Transition(Change.FACTS, False, (Change.ERROR_TEXT, Change.WARNINGS))


def test_every_pair_of_outcomes_and_kinds_has_exactly_one_class() -> None:
    for old, new, kind in product(OUTCOMES, OUTCOMES, ("rule", "misuse", "observe", "measure")):
        way = "wrong" if kind == "misuse" else ""
        sides = [result(outcome, kind=kind, way=way, verdict="changed") for outcome in (old, new)]
        found = transition(*sides)
        assert (found.change in (Change.SAME, Change.NEITHER)) == (
            old == new or (not {old, new} - {"skip", "missing"} and new != "missing")
        )
        if found.change in (Change.REGRESSION, Change.MISSING, Change.CHANGED, Change.IMPROVEMENT):
            assert not found.foretold


def test_what_a_library_kept_is_shown_and_stops_nothing() -> None:
    old = result(facts={"memory_left_bytes": 33554432})
    change = transition(old, result())
    assert (change.change, change.foretold) == (Change.FACTS, True)
    assert not transition(result(facts={"nodes": 3}), result()).foretold
