"""Logs of the pool-boundary study: what it may look like, and what may be missing from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from logs import Json, LogBuilder

ISOLATION = "Expected the pool (0, 1) to be recorded into by this capture only"


def row(
    stage: str, variant: str, sections: int = 4, floats: int = 1024, warmed: bool = True, **cells: Any
) -> Json:
    """One row of the study; what is None is left out."""
    split = variant == "split"
    values: Json = {
        "stage": stage,
        "variant": variant,
        "sections": sections,
        "floats": floats,
        "warmed": warmed,
        "pools": 1 if variant.startswith("shared") or variant == "one_graph_one_pool" else sections,
        "graphs": sections if split or variant.startswith("shared") else 1,
        "shared_pool": variant.startswith("shared"),
        "captured": True,
        "error": "",
    } | cells
    return {"table": "pool_boundaries", "cells": {k: v for k, v in values.items() if v is not None}}


def time(variant: str, median: float | None, sections: int = 4, floats: int = 1024, **cells: Any) -> Json:
    """A timing row with equal values and a spread of 4 % of the median."""
    spread = {} if median is None else {"p10_ms": median * 0.98, "p90_ms": median * 1.02}
    values: Json = {"median_ms": median, "values_equal": True, "order_kept": True, "iterations": 200} | spread
    timed: Json = values | cells
    return row("timing", variant, sections, floats, **timed)


def refused(variant: str, **cells: Any) -> Json:
    values: Json = {"captured": False, "error": ISOLATION, "error_kind": "isolation"}
    return row("capture", variant, **(values | cells))


ORDER = row(
    "order",
    "shared_pool_handle",
    2,
    pools=1,
    graphs=2,
    order_kept=False,
    values_equal=False,
    note="replayed 2, 1, 2",
)
LIFETIME = row(
    "lifetime", "one_graph_many_pools", retained=True, values_equal=True, note="pools released first"
)
LIMIT = row(
    "limit",
    "split",
    captured=False,
    error="CUDA out of memory. Tried to allocate <size>.",
    error_kind="oom",
    reserved_MiB=40,
    peak_MiB=38,
)


def log_with(rows: Sequence[Json], torch: str = "2.14.1+cu130", **options: Any) -> LogBuilder:
    """The rows of one run, the deliberate failure in a case of its own."""
    log = LogBuilder(torch, **options)
    log.case("measure.pool_boundaries", kind="measure", rows=[each for each in rows if each is not ORDER])
    if ORDER in rows:
        source = (
            "MEASURE(measure, wrong_replay_order) {\n  replay(second, first);  // don't: captured first\n}\n"
        )
        plan = {"title": "Graphs of a shared pool in the wrong order", "source": source}
        log.case("measure.wrong_replay_order", kind="measure", rows=[ORDER], plan=plan)
    return log.finish()


def whole_study(torch: str = "2.14.1+cu130", *, one_graph: float = 0.6, **options: Any) -> LogBuilder:
    """Every stage. `one_graph`: the time of one graph as a part of the split path's."""
    return log_with([*_captures(), LIFETIME, ORDER, *_times(one_graph), LIMIT], torch, **options)


def small_study(torch: str = "2.14.1+cu130", **options: Any) -> LogBuilder:
    """What a study must at least have, small enough to read."""
    rows = [
        row("capture", "split"),
        row("capture", "one_graph_many_pools", retained=True),
        row("capture", "one_graph_many_pools", warmed=False, capture_ms=0.3),
        refused("shared_pool_mempool"),
        LIFETIME,
        ORDER,
        time("split", 0.05, host_ms=0.02, nodes=16, capture_ms=0.1),
        time("one_graph_many_pools", 0.02),
        time("shared_pool_handle", 0.049),
        LIMIT,
    ]
    return log_with(rows, torch, **options)


_VARIANTS = {
    "eager": 4.0,
    "split": 1.0,
    "shared_pool_graph_pool": 1.01,
    "shared_pool_handle": 0.98,
    "one_graph_one_pool": 0.55,
}


def _captures() -> Iterable[Json]:
    for sections in (1, 4, 16):
        for warmed in (True, False):
            for variant in (*list(_VARIANTS)[1:], "one_graph_many_pools"):
                yield row("capture", variant, sections, warmed=warmed)
            yield refused("shared_pool_mempool", sections=sections, warmed=warmed)


def _times(one_graph: float) -> Iterable[Json]:
    for floats in (1024, 1048576):
        for sections in (1, 2, 4, 8, 16):
            base = 0.008 * sections + floats * sections / 5e8
            for variant, factor in (_VARIANTS | {"one_graph_many_pools": one_graph}).items():
                for warmed in (True, False):
                    factor = factor if sections > 1 or variant == "eager" else 1.0
                    yield time(variant, round(base * factor, 6), sections, floats, warmed=warmed)
