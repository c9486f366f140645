"""Runs of several releases that agree and differ in every way that the matrix shows."""

from __future__ import annotations

from typing import Any

from logs import Json, LogBuilder, corrupt, entry, error, misuse


def three_releases() -> list[LogBuilder]:
    """Given out of order; 2.9 sorts before 2.11."""
    return [_release("2.14.1+cu130", 2), _release("2.9.1+cu130", 0), _release("2.11.0+cu130", 1)]


def _release(torch: str, number: int, **options: Any) -> LogBuilder:
    log = LogBuilder(torch, utc=f"2026-11-{28 + number}T02:15:00Z", run_id=f"run{number}", **options)
    misuse(log)
    _moved(log, number)
    log.case(
        "shared_pool.order/wrong",
        "corrupt" if number < 2 else "ok",
        kind="misuse",
        plan={"title": "Replay order is capture order"},
        effects=[corrupt("second", "20", "2" if number else "7")] if number < 2 else [],
    )
    crash: Json = {"at": "destroy", "text": f"free(): {number}", "signal": "SIGABRT", "exit": None}
    log.case("streams.destructor/wrong", "crash", kind="misuse", **crash)
    text = "CUDA error: invalid | argument" if number else "CUDA error: invalid value"
    log.case("errors.text", "error", kind="observe", effects=[error("copy", 1, text)])
    log.case("allocator.large", facts={"segment_MiB": 20 if number < 2 else 32, "blocks": 1})
    rows = [{"table": "t", "cells": {"median_ms": number}}]
    log.case("measure.times", kind="measure", rows=rows)
    if number:
        log.case(
            "mem_pool.retain", "skip" if number == 1 else "ok", detail="unsupported" if number == 1 else ""
        )
    else:
        log.case("mem_pool.*", "missing", "missing", detail="uncompiled", text="error: no retain_pool")
    if number == 2:
        log.case("random.seed", "fail", "regression", reason="expected ok, observed fail")
    else:
        log.case("random.seed")
    if number == 2:
        log.case("streams.added")
    return log.finish()


def _moved(log: LogBuilder, number: int) -> None:
    expected = entry("error", at="item", code=1 if number == 2 else 900, why=_WHY[number == 2])
    log.case(
        "capture.moved/wrong",
        "error",
        kind="misuse",
        plan={"title": "item() inside a capture is refused", "expectation": expected},
        effects=[error("item", 1 if number == 2 else 900)],
    )


_WHY = ("the stream notices", "the allocator notices first")
