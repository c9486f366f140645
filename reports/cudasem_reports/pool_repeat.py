"""Measured again: how far the medians of a second run of the study lie from those of the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cudasem_reports.pool_rows import SHARED, SPLIT, PoolRow, milliseconds
from cudasem_reports.wording import plural

ACCEPTED = 0.10
"""A baseline or shared-pool median that moves by more than this part was not measured well."""


@dataclass(frozen=True)
class Pair:
    first: PoolRow
    second: PoolRow

    @property
    def change(self) -> float:
        """Of the median, as a part of the first one; positive where the second run took longer."""
        assert self.first.median_ms
        assert self.second.median_ms is not None
        return self.second.median_ms / self.first.median_ms - 1

    @property
    def words(self) -> str:
        times = f"{milliseconds(self.first.median_ms)} → {milliseconds(self.second.median_ms)} ms"
        where = (
            f"torch {self.first.column.name}, {self.first.variant}, {self.first.size}, {self.first.warmth}"
        )
        return f"{where}: {times} ({self.change:+.1%})"


@dataclass(frozen=True)
class Repeat:
    pairs: tuple[Pair, ...]  # of the baseline and of shared pools, the furthest apart first
    alone: int  # such times of the first run that the second lacks

    @property
    def moved(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if abs(pair.change) > ACCEPTED)

    @property
    def sentence(self) -> str:
        if not self.pairs:
            return "Measured again: no baseline or shared-pool time is in both runs."
        far = self.pairs[0]
        verdict = (
            f"{len(self.moved)} of {plural(len(self.pairs), 'baseline or shared-pool median')} "
            f"moved by more than {ACCEPTED:.0%}"
        )
        lacking = f"; {plural(self.alone, 'time')} of the first run not measured again" if self.alone else ""
        return f"Measured again: {verdict}; the furthest by {abs(far.change):.1%} ({far.words}){lacking}."


def repeat(first: Sequence[PoolRow], second: Sequence[PoolRow]) -> Repeat:
    """Rows are the same if release, profile, variant, size and warm-up are."""
    again = _times(second)
    releases = {row.column.name for row in again.values()}
    before = {key: row for key, row in _times(first).items() if row.column.name in releases}
    pairs = [Pair(row, again[key]) for key, row in before.items() if key in again]
    pairs.sort(key=lambda pair: -abs(pair.change))
    return Repeat(tuple(pairs), len(before) - len(pairs))


def _times(rows: Iterable[PoolRow]) -> Mapping[tuple[object, ...], PoolRow]:
    return {
        (row.column.name, row.variant, row.size, row.warmed): row
        for row in rows
        if row.stage == "timing" and row.variant in (SPLIT, *SHARED) and row.sound and row.median_ms
    }
