"""Rows of the table `pool_boundaries`: what was measured where memory pools meet captures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cudasem_reports.columns import Column
from cudasem_reports.fields import FieldError, Fields
from cudasem_reports.model import Result
from cudasem_reports.read import LogError
from cudasem_reports.wording import visible

TABLE = "pool_boundaries"
STAGES = ("capture", "lifetime", "order", "timing", "limit")
EAGER, SPLIT, ONE_GRAPH = "eager", "split", "one_graph_many_pools"
SHARED = ("shared_pool_graph_pool", "shared_pool_handle", "shared_pool_mempool")
VARIANTS = (EAGER, SPLIT, ONE_GRAPH, *SHARED, "one_graph_one_pool")
FIXED_COLUMNS = (
    "date",
    "pool count",
    "shared pool used",
    "capture succeeded",
    "replay order kept",
    "replay ms (median)",
    "OOM/error string",
    "notes",
)
CELLS = (
    *("stage", "variant", "sections", "floats", "warmed", "pools", "graphs", "shared_pool", "retained"),
    *("captured", "order_kept", "values_equal", "error", "error_kind", "iterations"),
    *("median_ms", "p10_ms", "p90_ms", "host_ms", "nodes", "capture_ms", "instantiate_ms"),
    *("reserved_MiB", "peak_MiB", "note"),
)
UNSTABLE = "unstable"
_RUN = ("run", "date", "torch", "CUDA runtime", "driver", "GPUs", "profile", "case", "outcome")
NOTHING = "—"
UNSTABLE_SPREAD = 0.10
"""A time is unstable where p10 to p90 is wider than this part of the median."""


@dataclass(frozen=True)
class PoolRow:
    """One measurement. None, or an empty text, where the row says nothing of it."""

    column: Column
    result: Result
    cells: Mapping[str, Any]
    stage: str
    variant: str
    sections: int | None
    floats: int | None
    warmed: bool | None
    pools: int | None
    graphs: int | None
    shared_pool: bool | None
    retained: bool | None
    captured: bool | None
    order_kept: bool | None
    values_equal: bool | None
    error: str
    error_kind: str
    median_ms: float | None
    p10_ms: float | None
    p90_ms: float | None
    host_ms: float | None
    nodes: int | None
    capture_ms: float | None
    instantiate_ms: float | None
    reserved_mib: float | None
    peak_mib: float | None
    note: str

    @property
    def size(self) -> Size:
        return Size(self.sections, self.floats)

    @property
    def spread_ms(self) -> float | None:
        """From the 10th to the 90th percentile."""
        return None if self.p10_ms is None or self.p90_ms is None else self.p90_ms - self.p10_ms

    @property
    def spread_part(self) -> float:
        """The spread as a part of the median; 0 where there is none."""
        return (self.spread_ms or 0) / self.median_ms if self.median_ms else 0

    @property
    def unstable(self) -> bool | None:
        """None where there is no time to judge."""
        return None if self.spread_ms is None else self.spread_part > UNSTABLE_SPREAD

    @property
    def sound(self) -> bool:
        """A time that may count: captured, with eager's values, in a case that ended ok."""
        captured = self.captured is True or self.variant == EAGER
        well = captured and self.values_equal is True and self.order_kept is not False
        return well and self.median_ms is not None and self.result.outcome == "ok"

    @property
    def refusal(self) -> str:
        """`isolation: …`, or what kind of error where there is no text."""
        kind = self.error_kind.replace("_", " ")
        text = " ".join(visible(self.error).split())
        return f"{kind}: {text}" if kind and text and kind != "other" else text or kind

    @property
    def warmth(self) -> str:
        return {True: "warmed", False: "first allocation inside the capture", None: ""}[self.warmed]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why a time, or the row as a whole, is no success."""
        doubts = []
        if self.values_equal is False:
            doubts.append("values differ from eager's")
        if self.values_equal is None and self.median_ms is not None:
            doubts.append("values not compared")
        if self.result.outcome != "ok":
            doubts.append(f"the case ended as {self.result.outcome}")
        return tuple(doubts)

    @property
    def notes(self) -> str:
        """What the fixed columns have no place for, in words."""
        words = [
            f"torch {self.column.name}",
            self.variant,
            str(self.size) if self.sections or self.floats else "",
            self.warmth,
            "" if self.stage == "timing" else f"{self.stage} only",
            {True: "pools retained", False: "pools not retained", None: ""}[self.retained],
            "values equal" if self.values_equal else "",
            f"unstable (p10 to p90: {self.spread_part:.0%} of the median)" if self.unstable else "",
            *self.doubts,
            " ".join(visible(self.note).split()),
        ]
        return ", ".join(word for word in words if word)

    @property
    def fixed(self) -> tuple[str, ...]:
        """The cells of FIXED_COLUMNS."""
        return (
            self.column.log.run.date or NOTHING,
            NOTHING if self.pools is None else str(self.pools),
            yes_no(self.shared_pool),
            NOTHING if self.variant == EAGER else yes_no(self.captured),
            yes_no(self.order_kept),
            milliseconds(self.median_ms, 4) or NOTHING,
            self.refusal or NOTHING,
            self.notes,
        )

    @property
    def everything(self) -> dict[str, str]:
        """Every cell, and where it comes from; as the log has them."""
        torch, runtime, driver, gpus, profile, date, run = self.column.facts
        origin = (run, date, torch, runtime, driver, gpus, profile, self.result.plan.id, self.result.outcome)
        cells = {name: _raw(cell) for name, cell in self.cells.items()}
        stable = {} if self.unstable is None else {UNSTABLE: yes_no(self.unstable)}
        return dict(zip(_RUN, origin, strict=True)) | cells | stable


@dataclass(frozen=True)
class Size:
    sections: int | None
    floats: int | None

    def __str__(self) -> str:
        sections = "" if self.sections is None else f"{self.sections} section{'s' * (self.sections != 1)}"
        return " of ".join(part for part in (sections, floats_word(self.floats)) if part) or "no size"

    @property
    def order(self) -> tuple[int, int]:
        return (self.floats or 0, self.sections or 0)


def pool_rows(found: Iterable[Column]) -> tuple[PoolRow, ...]:
    """All rows, by release, stage, size and variant. Raises LogError for a cell of another type."""
    rows = [
        _row(column, result, row.cells)
        for column in found
        for result in column.results.values()
        for row in result.observed.rows
        if row.table == TABLE
    ]
    order = {column: number for number, column in enumerate(dict.fromkeys(row.column.name for row in rows))}
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                order[row.column.name],
                _place(row.stage, STAGES),
                row.size.order,
                _place(row.variant, VARIANTS),
                row.warmed is not True,
            ),
        )
    )


def all_columns(rows: Sequence[PoolRow]) -> tuple[str, ...]:
    """Of the second CSV: the run, the known cells, then any others."""
    others = sorted({name for row in rows for name in row.cells} - set(CELLS))
    return (*_RUN, *CELLS, UNSTABLE, *others)


def holds_rows(result: Result) -> bool:
    return any(row.table == TABLE for row in result.observed.rows)


def floats_word(floats: int | None) -> str:
    return "" if floats is None else f"{floats:,} float{'s' * (floats != 1)}"


def yes_no(value: bool | None) -> str:
    return NOTHING if value is None else "yes" if value else "no"


def milliseconds(value: float | None, digits: int = 3) -> str:
    """As many significant digits, never an exponent; nothing for None."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{float(f'{value:.{digits}g}'):.9f}".rstrip("0").rstrip(".")


def _place(word: str, order: tuple[str, ...]) -> tuple[int, str]:
    """Unknown words come last, none is dropped."""
    return (order.index(word), "") if word in order else (len(order), word)


def _raw(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _row(column: Column, result: Result, cells: Mapping[str, Any]) -> PoolRow:
    fields = Fields(cells, f"a row of {TABLE}")
    try:
        return PoolRow(
            column=column,
            result=result,
            cells=cells,
            stage=fields.text("stage"),
            variant=fields.text("variant"),
            sections=fields.integer("sections"),
            floats=fields.integer("floats"),
            warmed=fields.known_flag("warmed"),
            pools=fields.integer("pools"),
            graphs=fields.integer("graphs"),
            shared_pool=fields.known_flag("shared_pool"),
            retained=fields.known_flag("retained"),
            captured=fields.known_flag("captured"),
            order_kept=fields.known_flag("order_kept"),
            values_equal=fields.known_flag("values_equal"),
            error=fields.text("error"),
            error_kind=fields.text("error_kind"),
            median_ms=fields.number("median_ms"),
            p10_ms=fields.number("p10_ms"),
            p90_ms=fields.number("p90_ms"),
            host_ms=fields.number("host_ms"),
            nodes=fields.integer("nodes"),
            capture_ms=fields.number("capture_ms"),
            instantiate_ms=fields.number("instantiate_ms"),
            reserved_mib=fields.number("reserved_MiB"),
            peak_mib=fields.number("peak_MiB"),
            note=fields.text("note"),
        )
    except FieldError as error:
        raise LogError(
            f"{column.log.path}: {result.plan.id}: {error}; the case and this report are of two versions: "
            "run the case again"
        ) from error
