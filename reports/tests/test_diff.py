"""What the difference between two runs says, and when it refuses to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from logs import H200, LogBuilder, entry, error, fine, misuse, without_gpu

from cudasem_reports import diff
from cudasem_reports.read import load
from cudasem_reports.transition import Change


def two_runs(**new_options: Any) -> tuple[LogBuilder, LogBuilder]:
    """An upgrade from 2.13.0 to 2.14.1 in which something of every class happens."""
    old = LogBuilder("2.13.0+cu130", utc="2026-11-29T02:15:00Z", run_id="0001")
    new = LogBuilder("2.14.1+cu130", run_id="0002", **new_options)
    before = {"expectation": entry("error", 4, at="item", code=900, why="until 2.13 the runtime refuses it")}
    after = {"expectation": entry("error", 13, at="item", code=1, why="the allocator notices first")}
    loud = {"expectation": entry("error", 30, "shared_pool", at="replay", code=1)}
    for log in (old, new):
        misuse(log)
    old.case("capture.moved/wrong", "error", kind="misuse", plan=before, effects=[error("item", 900)])
    new.case("capture.moved/wrong", "error", kind="misuse", plan=after, effects=[error("item", 1)])
    old.case("shared_pool.order/wrong", "error", kind="misuse", plan=loud, effects=[error("replay", 1)])
    corrupt = [{"outcome": "corrupt", "at": "second", "class": "overwritten", "want": "20", "got": "2"}]
    new.case("shared_pool.order/wrong", "corrupt", "regression", kind="misuse", plan=loud, effects=corrupt)
    old.case(
        "streams.fixed",
        "fail",
        "regression",
        effects=[{"outcome": "fail", "at": "x.cpp:1", "text": "2 is not 1"}],
    )
    new.case("streams.fixed")
    old.case("random.offset", facts={"offset": 4})
    new.case("random.offset", facts={"offset": 8})
    old.case("errors.text", "error", plan=loud, effects=[error("replay", 1, "old text")])
    new.case("errors.text", "error", plan=loud, effects=[error("replay", 1, "new text")])
    new.case("factories.warns", warnings=["deprecated"])
    old.case("factories.warns")
    old.case("copies.gone")
    new.case("copies.new")
    for log in (old, new):
        log.case("copies.peer", "skip", "skipped", detail="unsupported", text="needs 2 GPUs")
    old.case("mem_pool.retain")
    new.case(
        "mem_pool.*", "missing", "missing", detail="uncompiled", text="error: no member named 'retain_pool'"
    )
    return old.finish(), new.finish()


def view_of(
    tmp_path: Path, old: LogBuilder, new: LogBuilder, changing: str = "", allow: bool = False
) -> diff.DiffView:
    before, after = load(old.write(tmp_path / "old.ndjson")), load(new.write(tmp_path / "new.ndjson"))
    return diff.view(before, after, changing, allow)


def test_each_id_is_in_one_class(tmp_path: Path) -> None:
    view = view_of(tmp_path, *two_runs())
    assert {(entry.id, entry.transition.change) for entry in view.entries} == {
        ("shared_pool.order/wrong", Change.REGRESSION),
        ("mem_pool.retain", Change.MISSING),
        ("streams.fixed", Change.IMPROVEMENT),
        ("random.offset", Change.FACTS),
        ("errors.text", Change.ERROR_TEXT),
        ("capture.moved/wrong", Change.KNOWN),
        ("factories.warns", Change.WARNINGS),
        ("copies.new", Change.NEW),
        ("copies.gone", Change.GONE),
        ("copies.peer", Change.NEITHER),
    }
    assert view.same == ("capture.item_inside/wrong", "capture.item_inside/right")
    assert view.exit_code == 1


def test_the_headline_answers_whether_to_upgrade(tmp_path: Path) -> None:
    assert view_of(tmp_path, *two_runs()).headline.text == (
        "No: 1 regression, 1 missing, 1 improvement, 1 fact change, 1 gone case "
        "that expected/ does not foretell"
    )
    same = view_of(tmp_path, fine("2.13.0"), fine())
    assert (same.headline.text, same.exit_code) == ("Yes: 3 of 3 results are the same", 0)


def test_known_changes_do_not_stop_the_upgrade_and_say_why(tmp_path: Path) -> None:
    old, new = LogBuilder("2.13.0"), LogBuilder()
    for log, code, why in ((old, 900, "before"), (new, 1, "after")):
        plan = {"expectation": entry("error", code, at="item", code=code, why=why)}
        log.case("capture.moved/wrong", "error", kind="misuse", plan=plan, effects=[error("item", code)])
        log.finish()
    view = view_of(tmp_path, old, new)
    assert (view.headline.text, view.exit_code) == ("Yes: 0 of 1 results are the same, 1 known change", 0)
    assert [(side, reason.why) for side, reason in view.entries[0].reasons] == [
        ("old", "before"),
        ("new", "after"),
    ]


def test_the_axes_that_changed_are_named(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine("2.13.0"), fine("2.14.1"), "torch")
    assert view.headline.notes == ("Changed: torch from 2.13.0 to 2.14.1.",)
    assert view.headline.tone == "good"


def test_more_than_the_named_axis_is_confounded(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine("2.13.0"), fine("2.14.1", driver="590.1", cuda="13.2"), "torch")
    assert view.headline.notes[1].startswith("Confounded: besides torch, cuda and driver changed too.")
    assert view.headline.tone == "unsure"


def test_two_axes_are_confounded_although_none_was_named(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine("2.13.0"), fine("2.14.1", driver="590.1"))
    assert view.headline.notes[1].startswith("Confounded: torch and driver changed.")


def test_a_named_axis_that_did_not_change_is_said(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine(), fine(driver="590.1"), "torch")
    assert "torch is the same in both runs, although it was meant to change." in view.headline.notes
    assert any(note.startswith("Confounded: driver changed.") for note in view.headline.notes)


def test_other_gpus_are_refused_unless_allowed(tmp_path: Path) -> None:
    two = fine(gpus=[H200, H200 | {"index": 1}])
    with pytest.raises(
        diff.CannotCompareError, match=r"expected the same GPUs .*\(NVIDIA H200\), found 2 × NVIDIA H200"
    ):
        view_of(tmp_path, fine(), two)
    assert view_of(tmp_path, fine(), two, allow=True).headline.notes[0].startswith("Changed: gpu from")


def test_a_part_of_a_gpu_is_another_gpu(tmp_path: Path) -> None:
    with pytest.raises(diff.CannotCompareError, match=r"found NVIDIA H200 \(MIG\)"):
        view_of(tmp_path, fine(), fine(gpus=[H200 | {"mig": True}]))


def test_other_profiles_are_refused_unless_allowed(tmp_path: Path) -> None:
    other = fine(profile="async")
    with pytest.raises(diff.CannotCompareError, match="expected the same profile"):
        view_of(tmp_path, fine(), other)
    assert len(view_of(tmp_path, fine(), other, allow=True).same) == 3


def test_an_unfinished_or_empty_run_is_refused(tmp_path: Path) -> None:
    killed = fine()
    killed.events.pop()
    with pytest.raises(diff.CannotCompareError, match="expected a finished run"):
        view_of(tmp_path, fine(), killed)
    with pytest.raises(diff.CannotCompareError, match="in which something ran"):
        view_of(tmp_path, LogBuilder().finish(), fine())


def test_runs_without_a_gpu_show_nothing_about_it(tmp_path: Path) -> None:
    view = view_of(tmp_path, without_gpu(), without_gpu())
    assert view.headline.text == "Nothing was shown about the GPU: 1 host-only result compared"
    assert "Not compared: 3 results that ran in neither run." in view.headline.notes
    assert view.exit_code == 0


def test_a_case_that_was_rewritten_is_named(tmp_path: Path) -> None:
    old, new = LogBuilder(), LogBuilder()
    old.case("streams.a")
    new.case("streams.a", plan={"hash": "ffff"})
    assert any(
        "Rewritten between the runs: streams.a." in n
        for n in view_of(tmp_path, old.finish(), new.finish()).headline.notes
    )


def test_other_expectations_are_said(tmp_path: Path) -> None:
    new = fine()
    new.events[0]["expected_hash"] = "bb11"
    assert any("judges both alike" in note for note in view_of(tmp_path, fine(), new).headline.notes)


def test_standing_failures_are_not_hidden(tmp_path: Path) -> None:
    runs = LogBuilder(), LogBuilder()
    for log in runs:
        log.case("streams.a", "hang", "regression")
        log.finish()
    view = view_of(tmp_path, *runs)
    assert view.exit_code == 0
    assert "Not as expected now, but no different from before: 1 result." in view.headline.notes


def test_an_area_that_does_not_compile_in_either_is_not_new(tmp_path: Path) -> None:
    old, new = fine(), fine()
    for log in (old, new):
        log.case("mem_pool.*", "missing", "missing", detail="uncompiled")
        log.finish()
    assert [entry.transition.change for entry in view_of(tmp_path, old, new).entries] == [Change.NEITHER]


def test_an_area_that_compiles_again_has_new_cases_and_nothing_gone(tmp_path: Path) -> None:
    old, new = LogBuilder(), LogBuilder()
    old.case("streams.a")
    old.case("mem_pool.*", "missing", "missing", detail="uncompiled")
    new.case("streams.a")
    new.case("mem_pool.retain")
    view = view_of(tmp_path, old.finish(), new.finish())
    assert [(entry.id, entry.transition.change) for entry in view.entries] == [
        ("mem_pool.retain", Change.NEW)
    ]


def test_a_run_of_some_cases_is_no_yes_for_all(tmp_path: Path) -> None:
    whole, part = LogBuilder("2.13.0"), LogBuilder()
    for log, ids in ((whole, ("streams.a", "streams.b")), (part, ("streams.a",))):
        for id_ in ids:
            log.case(id_)
    assert view_of(tmp_path, whole.finish(), part.finish()).exit_code == 1


def test_a_run_that_was_not_valid_is_not_compared(tmp_path: Path) -> None:
    invalid = LogBuilder()
    invalid.case("streams.a")
    with pytest.raises(diff.CannotCompareError, match="valid run"):
        view_of(tmp_path, fine("2.13.0"), invalid.finish(exit_code=2))


def test_what_stops_comes_first_and_what_is_known_to_change_before_details(tmp_path: Path) -> None:
    order = [group.change for group in view_of(tmp_path, *two_runs()).groups]
    assert order[:6] == [
        Change.REGRESSION,
        Change.MISSING,
        Change.IMPROVEMENT,
        Change.FACTS,  # not foretold here
        Change.GONE,  # ran before
        Change.KNOWN,
    ]
    assert order[6:] == [Change.ERROR_TEXT, Change.WARNINGS, Change.NEW, Change.NEITHER]
