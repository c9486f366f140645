"""Can a path that was split into one graph a pool be one graph now? Only figures answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cudasem_reports.columns import Column
from cudasem_reports.pool_rows import ONE_GRAPH, SPLIT, PoolRow, Size, milliseconds
from cudasem_reports.wording import listed, plural, shortened

YES, NO, NOT_SHOWN = "yes", "no", "not shown"
QUESTION = "Can the split path be one graph now?"


@dataclass(frozen=True)
class Answer:
    """For one release and one size."""

    column: Column
    size: Size
    word: str  # yes, no, not shown
    reason: str  # of one kind, so that answers can be counted by it; empty for yes
    detail: str = ""
    split: PoolRow | None = None
    one: PoolRow | None = None

    @property
    def times(self) -> tuple[float, float] | None:
        """Medians of split and of one graph, where both may count."""
        if not (self.split and self.one and self.split.sound and self.one.sound):
            return None
        assert self.split.median_ms is not None
        assert self.one.median_ms is not None
        return self.split.median_ms, self.one.median_ms

    @property
    def figures(self) -> str:
        if self.times is None:
            return ""
        split, one = self.times
        return f"{milliseconds(split)} → {milliseconds(one)} ms{_ratio(split, one)}"


def answers(found: Sequence[Column], rows: Sequence[PoolRow]) -> tuple[Answer, ...]:
    """By release, then size. A size that another release timed and this one did not is `not shown`.

    A path of one section was never split: it is not asked about.
    """
    pair = [row for row in rows if row.variant in (SPLIT, ONE_GRAPH) and row.sections != 1]
    timed = {row.size for row in pair if row.stage == "timing"}
    sizes = sorted(timed or {row.size for row in pair if row.stage == "capture"}, key=lambda size: size.order)
    return tuple(_answer(column, size, rows) for column in found for size in sizes)


def sentences(found: Sequence[Answer]) -> tuple[str, str]:
    """The answer, and the figures that it rests on."""
    if not found:
        return (
            "Not shown: no run has a row of the split baseline or of one graph over many pools.",
            "Run the cases of the area measure on a GPU, then make this page from their logs.",
        )
    return _verdicts(found), _figures(found)


def overall(found: Sequence[Answer]) -> str:
    words = {answer.word for answer in found}
    return (
        words.pop() if len(words) == 1 else "it depends" if YES in words else NO if NO in words else NOT_SHOWN
    )


def _answer(column: Column, size: Size, rows: Sequence[PoolRow]) -> Answer:
    mine = [row for row in rows if row.column is column and _fits(row, size) and row.warmed is not False]
    split = _last(row for row in mine if row.stage == "timing" and row.variant == SPLIT)
    one = _last(row for row in mine if row.stage == "timing" and row.variant == ONE_GRAPH)
    refused = _last(
        row
        for row in mine
        if row.variant == ONE_GRAPH and row.stage in ("capture", "timing") and row.captured is False
    )
    if refused:
        kind = refused.error_kind or "no reason recorded"
        return Answer(column, size, NO, f"refused ({kind})", shortened(refused.refusal, 120), split, refused)
    if one and one.captured and one.values_equal is False:
        return Answer(column, size, NO, "captured, but its values differ from eager's", "", split, one)
    lacking = _lacking(split, one)
    if split is None or one is None or lacking:
        return Answer(column, size, NOT_SHOWN, lacking, "", split, one)
    gain, spread = _gain_and_spread(split, one)
    if gain > spread:
        alone = "only while its pools are kept: this release does not retain them" * (one.retained is False)
        return Answer(column, size, YES, "", alone, split, one)
    within = f"within the spread of {milliseconds(spread)} ms" if gain > 0 else ""
    return Answer(column, size, NO, "captured, but not faster", within, split, one)


def _fits(row: PoolRow, size: Size) -> bool:
    return row.sections == size.sections and (row.floats == size.floats or row.floats is None)


def _last(rows: Iterable[PoolRow]) -> PoolRow | None:
    """A measurement that was repeated stands as it was last made."""
    return next(reversed(list(rows)), None)


def _lacking(split: PoolRow | None, one: PoolRow | None) -> str:
    """What keeps the two times from being compared; nothing if they can be."""
    for row, what in ((split, "the split baseline"), (one, "one graph")):
        if row is None or row.warmed is None:
            return f"no warmed time of {what}"
        if row.captured is not True:
            return f"{what} is not said to be captured"
        if row.values_equal is not True:
            differ = row.values_equal is False
            return f"the values of {what} {'differ from eager' if differ else 'were not compared'}"
        if row.result.outcome != "ok":
            return f"the case of {what} ended as {row.result.outcome}"
        if row.order_kept is False:
            return f"{what} was replayed in another order"
        if row.median_ms is None or row.spread_ms is None:
            return f"no median or no percentiles of {what}"
    return ""


def _gain_and_spread(split: PoolRow, one: PoolRow) -> tuple[float, float]:
    """How much less time one graph takes, and the wider of the two spreads. Only where nothing is lacking."""
    (before, first), (after, second) = (_time_and_spread(row) for row in (split, one))
    return before - after, max(first, second)


def _time_and_spread(row: PoolRow) -> tuple[float, float]:
    assert row.median_ms is not None
    assert row.spread_ms is not None
    return row.median_ms, row.spread_ms


def _ratio(split: float, one: float) -> str:
    return f" ({split / one:.2f}×)" if one > 0 else ""


def _verdicts(found: Sequence[Answer]) -> str:
    by_column: dict[str, list[Answer]] = {}
    for answer in found:
        by_column.setdefault(answer.column.name, []).append(answer)
    phrases: dict[str, list[str]] = {}
    for name, mine in by_column.items():
        phrases.setdefault(_phrase(mine), []).append(name)
    parts = [f"on torch {listed(names)} {phrase}" for phrase, names in phrases.items()]
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def _phrase(mine: Sequence[Answer]) -> str:
    counted: dict[tuple[str, str], int] = {}
    for answer in sorted(mine, key=lambda each: (YES, NO, NOT_SHOWN).index(each.word)):
        key = (answer.word, answer.reason)
        counted[key] = counted.get(key, 0) + 1
    if len(counted) == 1:
        ((word, reason),) = counted
        where = f"at all {len(mine)} sizes" if len(mine) > 1 else f"at the one size ({mine[0].size})"
        return f"{word}{f': {reason},' if reason else ''} {where}"
    parts = [f"{word} at {n}{f' ({reason})' if reason else ''}" for (word, reason), n in counted.items()]
    return f"{listed(parts)} of {plural(len(mine), 'size')}"


def _figures(found: Sequence[Answer]) -> str:
    good = [answer.times for answer in found if answer.word == YES and answer.times]
    if good:
        ratios = _range([split / one for split, one in good if one > 0], lambda ratio: f"{ratio:.2f}")
        return (
            f"Where the answer is yes, one graph over many pools replays a pass in {_span(good, 1)} ms "
            f"and the split path in {_span(good, 0)} ms (medians, {ratios} times as fast), "
            "with the same values as eager and after a warm-up."
        )
    both = [answer.times for answer in found if answer.times]
    if both:
        return (
            f"Where both captured, one graph over many pools replays a pass in {_span(both, 1)} ms "
            f"and the split path in {_span(both, 0)} ms (medians), "
            "which is not faster by more than the spread of each."
        )
    errors = list(dict.fromkeys(answer.detail for answer in found if answer.detail))
    if errors:
        return f"Nothing could be compared in time; what was refused says: {listed(errors[:2]).rstrip('.')}."
    return "No size was timed in both ways with equal values, so there is nothing to compare."


def _span(times: Sequence[tuple[float, float]], which: int) -> str:
    return _range([pair[which] for pair in times], milliseconds)


def _range(values: Sequence[float], word: Callable[[float], str]) -> str:
    low, high = word(min(values)), word(max(values))
    return low if low == high else f"{low} to {high}"
