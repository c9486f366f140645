"""Times in which two runs of a measure case differ. They decide nothing: machines differ from day to day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cudasem_reports.model import Observed, TableRow

NOTABLE = 1.25
"""A median is told where it moved by more than this factor and out of the other run's p10 to p90."""

_UNITS = ("ns", "us", "ms", "s")
_MEASURED = (*_UNITS, "MiB", "bytes")


@dataclass(frozen=True)
class TimeChange:
    """One median of one row of a table, as `variant split, sections 8: median_ms`."""

    label: str
    old: float
    new: float

    @property
    def words(self) -> str:
        """`2.1 times as long`, or `1.4 times as fast`."""
        if self.new > self.old:
            return f"{self.new / self.old:.2g} times as long"
        return f"{self.old / self.new:.2g} times as fast"


def time_changes(old: Observed, new: Observed) -> tuple[TimeChange, ...]:
    """Rows are compared by their place: a case that measures something else has other rows, and no answer."""
    if [row.table for row in old.rows] != [row.table for row in new.rows]:
        return ()
    telling = _telling(new.rows)
    found: list[TimeChange] = []
    for before, after in zip(old.rows, new.rows, strict=True):
        if any(before.cells.get(name) != after.cells.get(name) for name in telling):
            return ()
        found += _of_row(before.cells, after.cells, telling)
    return tuple(found)


def farthest(changes: Iterable[TimeChange]) -> TimeChange:
    return max(changes, key=lambda each: max(each.old, each.new) / min(each.old, each.new))


def _of_row(old: Mapping[str, Any], new: Mapping[str, Any], telling: list[str]) -> Iterable[TimeChange]:
    where = ", ".join(f"{name} {new[name]}" for name in telling if name in new)
    for name in new:
        stem, _, unit = name.rpartition("_")
        before, after = _time(old.get(name)), _time(new[name])
        if stem != "median" or unit not in _UNITS or not before or not after:
            continue
        apart = not _within(before, new, unit) and not _within(after, old, unit)
        if apart and max(before, after) > NOTABLE * min(before, after):
            yield TimeChange(f"{where}: {name}" if where else name, before, after)


def _within(value: float, cells: Mapping[str, Any], unit: str) -> bool:
    low, high = _time(cells.get(f"p10_{unit}")), _time(cells.get(f"p90_{unit}"))
    return bool(low and high) and low <= value <= high


def _time(value: Any) -> float:
    """0 for what is no time."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _telling(rows: Iterable[TableRow]) -> list[str]:
    """The words and whole numbers that tell the rows of a table apart, and are no measurement."""
    seen: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.cells.items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                seen.setdefault(name, set()).add(str(value))
    settings = [name for name in seen if name.rpartition("_")[2] not in _MEASURED and name not in _RESULTS]
    return [name for name in settings if len(seen[name]) > 1]


_RESULTS = ("error", "error_kind", "note", "nodes", "graphs")
