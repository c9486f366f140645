"""The pool-boundary study: what answers its question, what does not, and its tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from logs import H200, Json, LogBuilder, fine
from pool_logs import ISOLATION, LIFETIME, ORDER, log_with, refused, row, small_study, time, whole_study
from test_cli import run

from cudasem_reports import pools
from cudasem_reports.pool_rows import FIXED_COLUMNS, milliseconds
from cudasem_reports.pools import Study
from cudasem_reports.read import LogError, load


def study_of(tmp_path: Path, *logs: LogBuilder) -> Study:
    paths = [log.write(tmp_path / f"{number}.ndjson") for number, log in enumerate(logs)]
    return pools.study([load(path) for path in paths])


def answer_to(tmp_path: Path, *rows: Json) -> tuple[str, str]:
    (answer,) = study_of(tmp_path, log_with(rows)).answers
    return answer.word, answer.reason


SPLIT = time("split", 0.1)


def test_a_wide_spread_marks_a_time_as_unstable(tmp_path: Path) -> None:
    wide = time("one_graph_many_pools", 0.1, p10_ms=0.098, p90_ms=0.109)
    study = study_of(tmp_path, log_with([SPLIT, wide]))
    assert [row.unstable for row in study.rows] == [False, True]
    assert "unstable (p10 to p90: 11% of the median)" in study.rows[1].notes
    assert study.stability == ("1 of 2 timed rows (50%) unstable: p10 to p90 is wider than 10% of the median")
    assert [row.everything["unstable"] for row in study.rows] == ["no", "yes"]


def test_a_second_run_is_compared_by_its_baseline_and_shared_pool_medians(tmp_path: Path) -> None:
    shared = "shared_pool_handle"
    first = [SPLIT, time(shared, 0.2), time(shared, 0.4, 8), time("eager", 1.0)]
    second = [time("split", 0.105), time(shared, 0.25), time("eager", 9.0)]
    logs = []
    for name, rows in (("first", first), ("second", second)):
        logs.append(load(log_with(rows).write(tmp_path / f"{name}.ndjson")))
    repeated = pools.study(logs[:1], logs[1:]).repeat
    assert repeated is not None
    assert [round(pair.change, 3) for pair in repeated.pairs] == [0.25, 0.05]
    assert [pair.first.variant for pair in repeated.moved] == [shared]
    assert repeated.sentence == (
        "Measured again: 1 of 2 baseline or shared-pool medians moved by more than 10%; the furthest by "
        "25.0% (torch 2.14.1, shared_pool_handle, 4 sections of 1,024 floats, warmed: 0.2 → 0.25 ms "
        "(+25.0%)); "
        "1 time of the first run not measured again."
    )


def test_yes_needs_a_capture_equal_values_and_a_gain_beyond_both_spreads(tmp_path: Path) -> None:
    assert answer_to(tmp_path, SPLIT, time("one_graph_many_pools", 0.05)) == ("yes", "")


@pytest.mark.parametrize(
    ("split", "one"),
    [
        ({"p10_ms": 0.06, "p90_ms": 0.12}, {}),
        ({}, {"p10_ms": 0.04, "p90_ms": 0.10}),
        ({}, {"median_ms": 0.1}),
        ({}, {"median_ms": 0.2}),
    ],
)
def test_a_gain_within_either_spread_is_not_faster(tmp_path: Path, split: Json, one: Json) -> None:
    rows = time("split", 0.1, **split), time("one_graph_many_pools", 0.05, **one)
    assert answer_to(tmp_path, *rows) == ("no", "captured, but not faster")


def test_a_refused_capture_is_no_and_says_what_refused_it(tmp_path: Path) -> None:
    study = study_of(tmp_path, log_with([SPLIT, refused("one_graph_many_pools")]))
    assert [(a.word, a.reason) for a in study.answers] == [("no", "refused (isolation)")]
    assert study.sentences == (
        "On torch 2.14.1 no: refused (isolation), at the one size (4 sections of 1,024 floats).",
        f"Nothing could be compared in time; what was refused says: isolation: {ISOLATION}.",
    )


def test_other_values_are_no_whatever_the_time(tmp_path: Path) -> None:
    wrong = time("one_graph_many_pools", 0.01, values_equal=False)
    assert answer_to(tmp_path, SPLIT, wrong) == ("no", "captured, but its values differ from eager's")


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"values_equal": None}, "the values of one graph were not compared"),
        ({"captured": None}, "one graph is not said to be captured"),
        ({"p10_ms": None}, "no median or no percentiles of one graph"),
        ({"median_ms": None}, "no median or no percentiles of one graph"),
        ({"order_kept": False}, "one graph was replayed in another order"),
        ({"warmed": False}, "no warmed time of one graph"),
        ({"warmed": None}, "no warmed time of one graph"),
    ],
)
def test_what_is_not_recorded_is_not_shown(tmp_path: Path, cells: Json, reason: str) -> None:
    rows = SPLIT, time("one_graph_many_pools", 0.05, **cells)
    assert answer_to(tmp_path, *rows) == ("not shown", reason)


def test_a_missing_variant_is_not_shown(tmp_path: Path) -> None:
    assert answer_to(tmp_path, SPLIT) == ("not shown", "no warmed time of one graph")
    one = time("one_graph_many_pools", 0.05)
    assert answer_to(tmp_path, one) == ("not shown", "no warmed time of the split baseline")


def test_a_baseline_with_other_values_is_no_baseline(tmp_path: Path) -> None:
    rows = time("split", 0.1, values_equal=False), time("one_graph_many_pools", 0.05)
    assert answer_to(tmp_path, *rows) == (
        "not shown",
        "the values of the split baseline differ from eager",
    )


def test_rows_of_a_case_that_did_not_end_ok_prove_nothing(tmp_path: Path) -> None:
    log = LogBuilder()
    rows = [SPLIT, time("one_graph_many_pools", 0.05)]
    log.case("measure.pool_boundaries", "crash", "changed", kind="measure", rows=rows, signal="SIGSEGV")
    study = study_of(tmp_path, log.finish())
    assert study.word == "not shown"
    assert all("the case ended as crash" in each.notes for each in study.rows)


def test_a_path_of_one_section_is_not_asked_about(tmp_path: Path) -> None:
    rows = [time(variant, 0.1, sections=1) for variant in ("split", "one_graph_many_pools")]
    assert study_of(tmp_path, log_with(rows)).answers == ()


def test_a_size_that_only_another_release_has_is_not_shown(tmp_path: Path) -> None:
    study = study_of(tmp_path, whole_study(), small_study("2.13.0+cu130"))
    words = {
        (answer.column.label, answer.size.sections, answer.size.floats): answer.word
        for answer in study.answers
    }
    assert words["2.13.0", 16, 1024] == "not shown"
    assert words["2.13.0", 4, 1024] == words["2.14.1", 16, 1024] == "yes"
    assert study.word == "it depends"


def test_a_yes_of_a_release_that_retains_no_pools_says_so(tmp_path: Path) -> None:
    rows = SPLIT, time("one_graph_many_pools", 0.05, retained=False)
    (answer,) = study_of(tmp_path, log_with(rows)).answers
    assert answer.detail == "only while its pools are kept: this release does not retain them"


def test_two_sentences_answer_for_all_releases(tmp_path: Path) -> None:
    study = study_of(
        tmp_path, whole_study(), whole_study("2.13.0", one_graph=1.0), whole_study("2.11.0", one_graph=1.0)
    )
    assert study.sentences == (
        "On torch 2.11.0 and 2.13.0 no: captured, but not faster, at all 8 sizes; "
        "on torch 2.14.1 yes at all 8 sizes.",
        "Where the answer is yes, one graph over many pools replays a pass in 0.0096 to 0.0969 ms and the "
        "split path in 0.016 to 0.162 ms (medians, 1.67 times as fast), with the same values as eager and "
        "after a warm-up.",
    )


def test_no_rows_at_all_are_not_shown(tmp_path: Path) -> None:
    study = study_of(tmp_path, fine())
    assert study.word == "not shown"
    assert study.sentences[0].startswith("Not shown: no run has a row")
    assert study.notes == ("Left out: 1 log without a row of this study.",)
    assert study.rows == study.headline_rows == ()


def test_the_newest_run_with_rows_stands(tmp_path: Path) -> None:
    old = small_study(run_id="old", utc="2026-11-01T00:00:00Z")
    new = small_study(run_id="new", utc="2026-11-02T00:00:00Z")
    study = study_of(tmp_path, new, old, fine(run_id="newest-without"))
    assert [column.log.run.id for column in study.columns] == ["new"]
    assert len(study.notes) == 2
    assert study.date == "2026-11-02"


def test_gpus_are_told_apart(tmp_path: Path) -> None:
    study = study_of(tmp_path, small_study(), small_study(gpus=[H200 | {"name": "NVIDIA B200"}]))
    assert [answer.column.name for answer in study.answers] == [
        "2.14.1 (NVIDIA B200)",
        "2.14.1 (NVIDIA H200)",
    ]


def test_the_headline_table_has_a_baseline_and_a_shared_pool_for_each_release(tmp_path: Path) -> None:
    study = study_of(tmp_path, whole_study(), whole_study("2.13.0+cu130"))
    shown = [(r.column.label, r.variant, r.sections, r.stage) for r in study.headline_rows]
    one_release = [
        ("split", 16, "timing"),
        ("one_graph_many_pools", 16, "timing"),
        ("shared_pool_handle", 16, "timing"),
        ("shared_pool_mempool", 16, "capture"),
    ]
    assert shown == [
        *(("2.13.0", *each) for each in one_release),
        *(("2.14.1", *each) for each in one_release),
        ("2.14.1", "shared_pool_handle", 2, "order"),
    ]


def test_the_deliberate_failure_is_one_row_for_all_releases(tmp_path: Path) -> None:
    misuse = study_of(tmp_path, small_study("2.13.0"), small_study("2.11.0"), small_study()).misuse
    assert misuse is not None
    assert misuse.row.column.label == "2.14.1"
    assert misuse.symptom == "no error at all: the output holds other values than eager's"
    assert misuse.elsewhere == ("torch 2.11.0 and 2.13.0: the same",)
    assert misuse.anchor == "measure.wrong_replay_order"


def test_a_wrong_order_that_showed_nothing_says_so(tmp_path: Path) -> None:
    harmless = row("order", "shared_pool_handle", order_kept=False, values_equal=True)
    misuse = study_of(tmp_path, log_with([harmless])).misuse
    assert misuse is not None
    assert misuse.symptom == "nothing showed: the values were equal this time"


def test_capture_success_is_counted_with_what_was_refused(tmp_path: Path) -> None:
    table = study_of(tmp_path, whole_study()).capture
    assert table is not None
    cells = {(line[0].text, line[0].more): line[1] for line in table.rows}
    assert cells["split", "warmed"].text == "captured 3 of 3"
    mempool = cells["shared_pool_mempool", "first allocation inside the capture"]
    assert (mempool.text, mempool.more) == ("refused 3 of 3", f"isolation: {ISOLATION}")


def test_a_time_without_equal_values_is_never_shown_as_a_success(tmp_path: Path) -> None:
    rows = [
        SPLIT,
        *(time(f"shared_pool_{n}", 0.01, values_equal=v) for n, v in (("handle", False), ("mempool", None))),
    ]
    study = study_of(tmp_path, log_with(rows))
    (table,) = study.timing
    cells = {line[0].text: line[1] for line in table.rows}
    assert [(cells[n].tone, cells[n].more) for n in ("shared_pool_handle", "shared_pool_mempool")] == [
        ("doubtful", "values differ from eager's"),
        ("doubtful", "values not compared"),
    ]
    assert not any(each.sound for each in study.rows if each.variant != "split")


def test_eager_needs_no_capture(tmp_path: Path) -> None:
    (table,) = study_of(tmp_path, log_with([time("eager", 0.2, captured=False, pools=None), SPLIT])).timing
    assert [line[1].text for line in table.rows] == ["0.2", "0.1"]
    assert [line[1].tone for line in table.rows] == ["", ""]


def test_unknown_words_and_cells_are_kept(tmp_path: Path) -> None:
    study = study_of(tmp_path, log_with([SPLIT, row("later", "new_variant", extra="x"), LIFETIME]))
    assert [each.stage for each in study.rows] == ["lifetime", "timing", "later"]
    _, everything = pools.write_csv(tmp_path, "t", study)
    assert everything.read_text().partition("\n")[0].endswith(",note,unstable,extra")


def test_a_cell_of_another_type_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"measure\.pool_boundaries: `median_ms` of a row of pool_boundaries"):
        study_of(tmp_path, log_with([time("split", 0.1) | {"cells": {"median_ms": "fast"}}]))


def test_the_columns_of_both_csv_files_are_fixed(tmp_path: Path) -> None:
    fixed, everything = pools.write_csv(tmp_path, "t", study_of(tmp_path, small_study()))
    lines = fixed.read_text(encoding="utf-8").splitlines()
    assert lines[0] == (
        "date,pool count,shared pool used,capture succeeded,replay order kept,replay ms (median),"
        "OOM/error string,notes"
    )
    assert lines[7] == (
        "2026-11-30,4,no,yes,yes,0.05,—,"
        '"torch 2.14.1, split, 4 sections of 1,024 floats, warmed, values equal"'
    )
    assert lines[4].startswith(
        f'2026-11-30,1,yes,no,—,—,"isolation: {ISOLATION}","torch 2.14.1, shared_pool_mempool'
    )
    assert everything.read_text(encoding="utf-8").partition("\n")[0] == (
        "run,date,torch,CUDA runtime,driver,GPUs,profile,case,outcome,"
        "stage,variant,sections,floats,warmed,pools,graphs,shared_pool,retained,captured,order_kept,values_equal,"
        "error,error_kind,iterations,median_ms,p10_ms,p90_ms,host_ms,nodes,capture_ms,instantiate_ms,"
        "reserved_MiB,peak_MiB,note,unstable"
    )
    with everything.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(lines) - 1 == 10
    assert {name: rows[6][name] for name in ("run", "variant", "captured", "median_ms", "retained")} == {
        "run": "7f3a", "variant": "split", "captured": "true", "median_ms": "0.05", "retained": "",
    }  # fmt: skip
    assert len(FIXED_COLUMNS) == 8


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0000123, "0.0000123"), (0.05, "0.05"), (1.2345, "1.23"), (12345.6, "12346"), (0.0, "0"), (None, "")],
)
def test_times_have_no_exponent(value: Any, text: str) -> None:
    assert milliseconds(value) == text


def test_the_command_writes_pages_and_tables_and_prints_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = small_study().write(tmp_path / "log.ndjson")
    code, out, err = run(capsys, "pools", log, "--out", tmp_path / "out")
    stem = tmp_path / "out" / "pool-boundaries-2026-11-30"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Can the split path be one graph now? On torch 2.14.1 yes at the one size "
        "(4 sections of 1,024 floats). Where the answer is yes, one graph over many pools replays a pass in "
        "0.02 ms and the split path in "
        "0.05 ms (medians, 2.50 times as fast), with the same values as eager and after a warm-up.",
        "  0 of 3 timed rows (0%) unstable: p10 to p90 is wider than 10% of the median",
        "  torch 2.14.1, 4 sections of 1,024 floats: yes, 0.05 → 0.02 ms (2.50×)",
        *(f"wrote {stem}{end}" for end in (".html", ".md", ".csv", "-all.csv")),
    ]


def test_exit_codes_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    assert run(capsys, "pools", log, "--out", tmp_path)[0] == 0
    assert run(capsys, "pools", tmp_path / "none", "--out", tmp_path)[0] == 2
    bad = log_with([ORDER | {"cells": {"stage": 1}}]).write(tmp_path / "bad.ndjson")
    assert run(capsys, "pools", bad, "--out", tmp_path)[0] == 2
    assert run(capsys, "report", bad, "--out", tmp_path)[0] == 2
    assert run(capsys, "pools")[0] == 64
