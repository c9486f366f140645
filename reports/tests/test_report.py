"""What the report of a run says: headline, banners, order, and each case."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import ITEM_EXPECTED, LogBuilder, corrupt, entry, error, every_outcome, fine, misuse, without_gpu
from many import many

from cudasem_reports import report
from cudasem_reports.model import VERDICTS
from cudasem_reports.read import load
from cudasem_reports.report import RunView


def view_of(log: LogBuilder, tmp_path: Path) -> RunView:
    return report.view(load(log.write(tmp_path / "log.ndjson")))


def headline_of(log: LogBuilder, tmp_path: Path) -> str:
    return view_of(log, tmp_path).headline.text


def test_all_as_expected_is_fine(tmp_path: Path) -> None:
    assert headline_of(fine(), tmp_path) == "Fine: 3 of 3 as expected"


def test_skipped_results_are_neither_passes_nor_failures(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a")
    log.case("streams.b", "skip", "skipped", detail="unsupported", text="needs 2 GPUs")
    assert headline_of(log.finish(), tmp_path) == "Fine: 1 of 1 as expected, 1 skipped"


def test_what_is_not_fine_is_counted_worst_first(tmp_path: Path) -> None:
    assert headline_of(every_outcome(), tmp_path) == (
        "Not fine: 3 regressions, 6 missing, 1 changed, 1 flaky, 1 improvement"
    )


def test_what_is_waived_has_a_section_that_says_whose_waiver_it_is_and_until_when(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a")
    key = log.plan("streams.b")
    log.begin(key)
    log.end(key, "error", effects=[error("item")])
    waiver = {"owner": "graphs team", "link": "https://tracker.example/1", "expires": "2027-01-31"}
    log.verdict(key, "regression", "expected ok; saw error 900 at item", 0, 1, waiver)
    view = view_of(log.finish(), tmp_path)
    assert view.headline.text == "Fine: 1 of 2 as expected, 1 waived"
    assert view.headline.tone == report.GOOD
    assert [(s.title, s.count) for s in view.sections] == [("Waived", 1), ("As expected", 1)]
    judged = view.sections[0].cases[0].ways[0].result.judged
    assert judged.verdict == "regression"
    assert judged.words == (
        "regression, waived until 2027-01-31: graphs team, https://tracker.example/1. "
        "expected ok; saw error 900 at item"
    )


def test_improvements_alone_ask_for_a_new_entry(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a", "ok", "improvement")
    assert (
        headline_of(log.finish(), tmp_path) == "Better than expected: 1 improvement; expected/ is out of date"
    )


def test_without_a_gpu_nothing_was_shown(tmp_path: Path) -> None:
    view = view_of(without_gpu(), tmp_path)
    assert view.headline.text == "Nothing was shown about the GPU: 1 host-only case ran, 3 need a GPU"
    assert view.headline.tone == report.UNSURE
    assert view.headline.notes == ("No GPU: no NVIDIA device",)


def test_an_empty_run_is_never_fine(tmp_path: Path) -> None:
    view = view_of(LogBuilder().finish(), tmp_path)
    assert view.headline.text == "Nothing was shown: nothing ran"
    assert view.headline.tone != report.GOOD


def test_a_run_that_is_not_valid_says_so(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a")
    assert headline_of(log.finish(2), tmp_path) == "Not a valid run: 1 of 1 ran (exit 2)"


def test_a_killed_run_is_not_finished(tmp_path: Path) -> None:
    log = fine()
    log.events.pop()
    log.plan("streams.late")
    view = view_of(log, tmp_path)
    assert view.headline.text == "Not finished: 1 of 4 planned results missing"
    assert "The run was killed" in view.headline.notes[0]


def test_broken_promises_inferred_entries_and_lost_gpus_are_named(tmp_path: Path) -> None:
    assert view_of(every_outcome(), tmp_path).headline.notes == (
        "GPU 1 was quarantined: error 719 after streams.gate",
        "Documented promises known to be broken: streams.order",
        "1 expectation is inferred: no recorded run of this release shows what they say",
    )


def test_one_banner_names_all_that_is_not_supported_by_reason(tmp_path: Path) -> None:
    (banner,) = view_of(without_gpu(), tmp_path).banners
    assert banner.title == "3 results not supported on this machine or by this release"
    assert banner.groups == (("needs 1 GPU", ("streams.a", "streams.b")), ("needs 2 GPUs", ("streams.pair",)))


def test_a_long_reason_is_cut_in_the_banner_and_whole_with_its_case(tmp_path: Path) -> None:
    log = LogBuilder()
    text = "a record of at most 1 MiB was expected: " + "y" * 5000
    log.case("errors.long", "missing", "missing", detail="protocol", text=text + "\nsecond line")
    view = view_of(log.finish(), tmp_path)
    reason = view.banners[0].groups[0][0]
    assert len(reason) == len("protocol: ") + 160
    assert reason.endswith("y…")
    assert view.cases[0].ways[0].rows[1].observed == (text + "\nsecond line",)


def test_sections_come_worst_first_and_what_did_not_run_last(tmp_path: Path) -> None:
    ran = [verdict for verdict in VERDICTS if verdict not in ("waived", "skipped")]
    sections = view_of(every_outcome(), tmp_path).sections
    assert [section.verdict for section in sections] == [*ran, "skipped"]


def test_both_ways_of_a_misuse_stand_together_under_the_worse_verdict(tmp_path: Path) -> None:
    cases = {case.plan.case: case for case in view_of(every_outcome(), tmp_path).cases}
    case = cases["shared_pool.replayed_again"]
    assert case.verdict == "changed"
    assert [(way.result.plan.way, way.observed) for way in case.ways] == [("wrong", "ok"), ("right", "ok")]
    assert [line.way for line in case.lines] == ["", "wrong", "", ""]


def test_the_same_case_in_two_profiles_is_two_cases(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a")
    log.profile = "async"
    log.case("streams.a")
    assert [case.anchor for case in view_of(log.finish(), tmp_path).cases] == ["streams.a", "streams.a@async"]


@pytest.mark.parametrize(
    ("case", "observed", "expected"),
    [
        ("capture.item_inside", "error 900 at item", "error 900 at item, then error 901 at capture_end"),
        ("shared_pool.order", "corrupt at second: 2 instead of 20 (overwritten)", "error 1 at replay"),
        ("streams.destructor", "crash SIGABRT at destroy", "crash SIGABRT at destroy"),
        ("streams.gate", "hang at synchronize", "ok"),
        ("streams.race", "corrupt at y: 3 instead of 1 (overwritten)", "ok or corrupt: any instead of 1"),
        ("copies.foretold", "skip (unsupported)", "skip (unsupported)"),
        ("errors.device_lost", "missing (device lost)", "ok"),
    ],
)
def test_one_line_says_what_was_seen_and_what_was_expected(
    tmp_path: Path, case: str, observed: str, expected: str
) -> None:
    cases = {each.plan.case: each for each in view_of(every_outcome(), tmp_path).cases}
    way = cases[case].ways[0]
    assert (way.observed, way.expected) == (observed, expected)


def test_observed_stands_beside_expected_row_by_row(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case(
        "capture.a/wrong",
        "error",
        "changed",
        kind="misuse",
        plan={
            "expectation": ITEM_EXPECTED
            | {"facts": {"nodes": {"min": 1, "max": 3}, "pools": 2}, "warning": "empty"}
        },
        effects=[error("item", 901, "another text")],
        facts={"nodes": 4},
        warnings=["The graph is empty"],
    )
    rows = {row.label: row for row in view_of(log.finish(), tmp_path).cases[0].ways[0].rows}
    assert {label for label, row in rows.items() if row.differs} == {
        "CUDA error",
        "further effects",
        "fact nodes",
        "fact pools",
    }
    assert (rows["CUDA error"].observed, rows["CUDA error"].expected) == (("901",), ("900",))
    assert rows["text"].observed == ("another text",)
    assert rows["fact nodes"].expected == ("1 to 3",)
    assert rows["fact pools"].observed == ("not recorded",)
    assert rows["warnings"].expected == ("/empty/",)


def test_a_crash_by_exit_status_is_compared_by_it(tmp_path: Path) -> None:
    log = LogBuilder()
    plan = {"expectation": entry("crash", exit=3)}
    log.case("streams.a", "crash", "changed", plan=plan, at="exit", exit=7)
    way = view_of(log.finish(), tmp_path).cases[0].ways[0]
    assert (way.observed, way.expected) == ("crash exit 7 at exit", "crash exit 3")
    assert [row.label for row in way.rows if row.differs] == ["exit status"]


def test_no_row_is_marked_in_a_result_that_the_runner_found_as_expected(tmp_path: Path) -> None:
    log = LogBuilder()
    plan = {"expectation": entry("corrupt", want="20", got="any")}
    log.case("shared_pool.a/wrong", "corrupt", kind="misuse", plan=plan, effects=[corrupt("y", "20", "2")])
    way = view_of(log.finish(), tmp_path).cases[0].ways[0]
    assert not any(row.differs for row in way.rows)


def test_each_result_has_the_lines_that_reproduce_it(tmp_path: Path) -> None:
    log = LogBuilder(profile="async")
    misuse(log)
    way = view_of(log.finish(), tmp_path).cases[0].ways[0]
    assert way.reproduce == "cudasem run 'capture.item_inside/wrong' --profile async"
    assert way.debug == "cudasem_capture --gtest_filter='capture.item_inside/wrong'"


def test_what_reproduces_a_result_names_no_place_of_another_machine(tmp_path: Path) -> None:
    log = LogBuilder()
    log.events[0]["argv"] = [
        "cudasem",
        "run",
        "--cases",
        "cases",
        "--torch=torch",
    ]  # as the runner shortens paths
    misuse(log)
    way = view_of(log.finish(), tmp_path).cases[0].ways[0]
    assert way.reproduce == "cudasem run 'capture.item_inside/wrong'"
    assert way.debug == "cudasem_capture --gtest_filter='capture.item_inside/wrong'"


def test_an_area_that_did_not_compile_has_nothing_to_reproduce(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("mem_pool.*", "missing", "missing", detail="uncompiled")
    assert view_of(log.finish(), tmp_path).cases[0].ways[0].reproduce == ""


def test_beside_shows_the_newest_recorded_run_of_this_release_for_each_gpu(tmp_path: Path) -> None:
    b200 = [{"index": 0, "name": "NVIDIA B200", "cc": "10.0", "memory_MiB": 1, "ecc": True, "mig": False}]
    logs = {
        "old": fine(utc="2026-11-01T00:00:00Z", run_id="old"),
        "new": fine(utc="2026-11-20T00:00:00Z", run_id="new"),
        "other_gpu": fine(gpus=b200, utc="2026-11-10T00:00:00Z", run_id="other_gpu"),
        "other_release": fine("2.13.0+cu130", utc="2026-11-29T00:00:00Z", run_id="other_release"),
        "no_gpu": without_gpu(),
    }
    recorded = [load(log.write(tmp_path / f"{name}.ndjson.gz")) for name, log in logs.items()]
    here = load(without_gpu().write(tmp_path / "here.ndjson"))
    assert [log.run.id for log in report.choose_beside(here, recorded)] == ["new", "other_gpu"]
    assert [log.run.id for log in report.choose_beside(here, recorded[3:])] == ["other_release"]
    assert report.label_beside(recorded[1]) == (
        "Recorded run: not from this machine, 2026-11-20, NVIDIA H200, torch 2.14.1+cu130"
    )


def test_of_a_large_run_the_worst_unfold_and_every_case_has_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "ALL_UNFOLD", 20)
    monkeypatch.setattr(report, "UNFOLD_OF_MANY", 3)
    view = view_of(many(30, bad=4), tmp_path)
    assert [(section.verdict, len(section.cases), len(section.listed)) for section in view.sections] == [
        ("regression", 3, 1),
        ("as_expected", 0, 26),
    ]
    assert view.left_out.startswith("27 cases have one line each: `cudasem report log.ndjson")


def test_only_some_cases_can_be_shown_under_the_headline_of_all(tmp_path: Path) -> None:
    log = load(every_outcome().write(tmp_path / "log.ndjson"))
    view = report.view(log, only="shared_pool.*")
    assert {case.plan.area for case in view.cases} == {"shared_pool"}
    assert view.headline == report.headline(log)
    assert view.left_out.startswith("Only the cases that match shared_pool.* stand here")


def test_a_lost_gpu_does_not_bury_what_follows(tmp_path: Path) -> None:
    log = LogBuilder()
    for number in range(30):
        log.case(f"streams.lost_{number}", "missing", "missing", detail="device_lost")
    log.case("mem_pool.*", "missing", "missing", detail="uncompiled", text="error: no member")
    log.case("streams.other", "error", "changed", effects=[error("wait", 719)])
    missing, changed = view_of(log.finish(), tmp_path).sections
    assert ([case.plan.case for case in missing.cases], len(missing.listed)) == (["mem_pool.*"], 30)
    assert (changed.verdict, len(changed.cases)) == ("changed", 1)
