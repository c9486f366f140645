"""What differs between the two results of one id, row by row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cudasem_reports.model import Observed, Result
from cudasem_reports.timing import time_changes
from cudasem_reports.transition import changed_facts
from cudasem_reports.wording import (
    VERDICT_WORD,
    cut,
    deciding_effect,
    effect_line,
    further_effects,
    observed_line,
    value_word,
)


@dataclass(frozen=True)
class Row:
    label: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    verbatim: bool = False

    @property
    def words(self) -> str:
        """`fact n 1 → 2`; of anything longer only that it differs."""
        return f"{self.label} {self.old[0]} → {self.new[0]}" if self.label.startswith("fact ") else self.label


def rows(old: Result | None, new: Result | None) -> Iterable[Row]:
    """What differs; the outcome always."""
    before = old.observed if old else Observed("missing")
    after = new.observed if new else Observed("missing")
    yield Row("outcome", _side(old, observed_line(before)), _side(new, observed_line(after)))
    yield from _differing("verdict", _verdict(old), _verdict(new))
    yield from _differing("type", _some(deciding_effect(before).type), _some(deciding_effect(after).type))
    yield from _differing("text", _text(before), _text(after), verbatim=True)
    yield from _differing("further effects", _later(before), _later(after))
    if old and new:
        for name in changed_facts(before, after):
            yield Row(f"fact {name}", _fact(before, name), _fact(after, name))
        for each in time_changes(before, after):
            yield Row(each.label, (f"{each.old:.4g}",), (f"{each.new:.4g}, {each.words}",))
        yield from _differing("warnings", before.warnings, after.warnings)


def _differing(
    label: str, old: tuple[str, ...], new: tuple[str, ...], verbatim: bool = False
) -> Iterable[Row]:
    if old != new:
        yield Row(label, old, new, verbatim)


def _side(result: Result | None, line: str) -> tuple[str, ...]:
    return (line,) if result else ("not planned",)


def _verdict(result: Result | None) -> tuple[str, ...]:
    if not result:
        return ()
    word = VERDICT_WORD[result.verdict]
    judged = result.judged
    if result.verdict == "flaky" and judged.n:
        word += f", {judged.k} of {judged.n}"
    return (f"{word}: {judged.words}" if judged.words else word,)


def _some(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _text(observed: Observed) -> tuple[str, ...]:
    return _some(cut(deciding_effect(observed).normalised))


def _later(observed: Observed) -> tuple[str, ...]:
    effects = further_effects(observed)
    return tuple(
        f"{effect_line(e)}: {cut(e.normalised)}" if e.normalised else effect_line(e) for e in effects
    )


def _fact(observed: Observed, name: str) -> tuple[str, ...]:
    return (value_word(observed.facts[name]),) if name in observed.facts else ("not recorded",)
