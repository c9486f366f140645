"""Several attempts at one case: which counts, what is told of the others, and of what was left behind."""

from __future__ import annotations

from pathlib import Path

from logs import LogBuilder, error

from cudasem_reports import render, report
from cudasem_reports.model import Attempt, Log
from cudasem_reports.read import load


def read(log: LogBuilder, folder: Path) -> Log:
    return load(log.finish().write(folder / "log.ndjson"))


def pages(log: Log) -> list[str]:
    return [render.render("report", form, run=report.view(log), recorded=[]) for form in render.FORMATS]


def run_again_alone() -> LogBuilder:
    log = LogBuilder()
    key = log.plan("streams.order")
    log.begin(key)
    log.end(key, "error", how="first", effects=[error("wait", 719)])
    log.begin(key, 2)
    log.end(key, "ok", 2, how="alone", dirt=["512 bytes of GPU memory are still allocated"])
    log.verdict(key)
    return log


def test_the_attempt_alone_counts_and_both_are_told(tmp_path: Path) -> None:
    log = read(run_again_alone(), tmp_path)
    (result,) = log.results
    assert result.outcome == "ok"
    assert result.attempts == (Attempt("error", "first"), Attempt("ok", "alone"))
    assert (
        "Not as expected beside other cases, so run again alone, which counts: streams.order"
        in report.headline(log).notes
    )
    assert "Attempts: error, ok (alone)" in pages(log)[0]


def test_what_a_case_left_behind_is_named(tmp_path: Path) -> None:
    log = read(run_again_alone(), tmp_path)
    assert "Left something behind in its process: streams.order" in report.headline(log).notes
    assert "Left behind: 512 bytes of GPU memory" in pages(log)[0]


def test_an_attempt_in_a_shuffled_batch_is_never_a_result(tmp_path: Path) -> None:
    builder = LogBuilder()
    builder.case("streams.order")
    builder.end(builder.key("streams.order"), "crash", 2, how="shuffle", signal="SIGSEGV")
    (result,) = read(builder, tmp_path).results
    assert (result.outcome, result.attempts) == ("ok", (Attempt("ok"),))


def test_stacks_and_what_told_more_unfold_below_the_result_in_both_pages(tmp_path: Path) -> None:
    builder = LogBuilder()
    stacks = "Thread 1: cudaStreamSynchronize"
    key = builder.case("streams.gate", "hang", "regression", at="synchronize", stacks=stacks)
    builder.add(
        event="explain",
        key=key,
        how="CUDA_LAUNCH_BLOCKING=1",
        outcome="error",
        text="CUDA error: an illegal memory access",
        output="at kernel.cu:7",
    )
    log = read(builder, tmp_path)
    assert log.results[0].verdict == "regression"
    for page in pages(log):
        for words in (
            "Again with CUDA_LAUNCH_BLOCKING=1: error",
            "CUDA error: an illegal memory access\nat kernel.cu:7",
            "<summary>stacks</summary>",
            stacks,
        ):
            assert words in page
