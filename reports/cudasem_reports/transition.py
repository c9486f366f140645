"""How one id differs between two runs: exact rules, and whether expected/ foretold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from cudasem_reports.model import Effect, Observed, Result
from cudasem_reports.timing import time_changes
from cudasem_reports.wording import deciding_effect, further_effects


class Change(Enum):
    """What became of an id, worst first. The value is the word that pages use."""

    REGRESSION = "regression"
    MISSING = "missing"
    CHANGED = "changed"
    IMPROVEMENT = "improvement"
    FACTS = "fact changed"
    ERROR_TEXT = "error text drifted"
    KNOWN = "known change"
    TIMING = "time changed"
    WARNINGS = "warnings changed"
    NEW = "new case"
    GONE = "gone case"
    NEITHER = "ran in neither"
    SAME = "same"


ORDER = tuple(Change)


@dataclass(frozen=True)
class Transition:
    """`foretold` is false where the upgrade gate has to stop; `also` holds what changed besides."""

    change: Change
    foretold: bool = True
    also: tuple[Change, ...] = ()


BOOKKEEPING = ("memory_left_bytes",)
"""Facts that the suite adds of itself: what a library kept after a case. Shown, and no promise of torch."""

_LOUD_TO_SILENT = ("error", "crash", "hang", "corrupt")


def transition(old: Result | None, new: Result | None) -> Transition:
    """Classifies one id. None means that the run did not plan it; both None is an error."""
    if old is None:
        if new is None:
            raise ValueError("transition: an id must be in one of the runs")
        return Transition(Change.MISSING, foretold=False) if new.outcome == "missing" else _first_result(new)
    if new is None:
        return Transition(Change.GONE, foretold=not old.observed.ran)
    if not new.observed.ran:
        return _did_not_run(old, new)
    if not old.observed.ran:
        return _first_result(new)
    if new.verdict == "flaky" and old.verdict != "flaky":
        return Transition(Change.CHANGED, foretold=False)
    if essence(old.observed) != essence(new.observed):
        return (
            Transition(Change.KNOWN) if flip_foretold(old, new) else Transition(_direction(old, new), False)
        )
    return _small_changes(old, new)


def flip_foretold(old: Result, new: Result) -> bool:
    """Both runs show what expected/ says, and expected/ has an entry for at least one of them."""
    entries = [result.plan.expectation for result in (old, new)]
    written = any(entry is not None and not entry.is_default for entry in entries)
    return old.verdict == new.verdict == "as_expected" and written


def changed_facts(old: Observed, new: Observed) -> tuple[str, ...]:
    """Names of the facts that one run lacks or that have another value, old ones first."""
    names = [*old.facts, *(name for name in new.facts if name not in old.facts)]
    return tuple(name for name in names if not _same_fact(old.facts, new.facts, name))


def _first_result(new: Result) -> Transition:
    """No result to compare with: foretold if the new run shows what expected/ says, or could not show it."""
    return Transition(Change.NEW, foretold=new.verdict in ("as_expected", "skipped"))


def _did_not_run(old: Result, new: Result) -> Transition:
    if old.observed.ran:
        if new.outcome == "skip" and flip_foretold(old, new):
            return Transition(Change.KNOWN)
        return Transition(Change.MISSING, foretold=False)
    if new.outcome == "missing" and old.outcome == "skip":
        return Transition(Change.MISSING, foretold=False)
    return Transition(Change.NEITHER)


def _small_changes(old: Result, new: Result) -> Transition:
    """The same outcome and effects: texts, facts, times and warnings may still differ."""
    found: list[tuple[Change, bool]] = []
    facts = changed_facts(old.observed, new.observed)
    if facts:
        recorded_only = new.plan.kind in ("observe", "measure")
        told = all(name in BOOKKEEPING or _names_fact(old, new, name) for name in facts)
        found.append((Change.FACTS, recorded_only or told))
    drifts = []
    if texts(old.observed) != texts(new.observed):
        drifts.append(old.verdict == new.verdict == "as_expected")
    if _raw_text(old.observed) != _raw_text(new.observed):
        drifts.append(new.verdict in ("as_expected", old.verdict))
    if drifts:
        found.append((Change.ERROR_TEXT, all(drifts)))
    if time_changes(old.observed, new.observed):
        found.append((Change.TIMING, True))
    if sorted(old.observed.warnings) != sorted(new.observed.warnings):
        found.append((Change.WARNINGS, True))
    if not found:
        return Transition(Change.SAME)
    found.sort(key=lambda each: (each[1], ORDER.index(each[0])))
    (change, foretold), *others = found
    return Transition(change, foretold, tuple(other for other, _ in others))


def _direction(old: Result, new: Result) -> Change:
    before, after = old.outcome, new.outcome
    if new.plan.kind == "misuse" and new.plan.way == "wrong":
        if before in _LOUD_TO_SILENT and after in _LOUD_TO_SILENT and before != after:
            quieter = _LOUD_TO_SILENT.index(after) > _LOUD_TO_SILENT.index(before)
            return Change.REGRESSION if quieter else Change.IMPROVEMENT
        return Change.CHANGED
    if new.plan.kind in ("rule", "misuse"):
        if before == "ok":
            return Change.REGRESSION
        if after == "ok":
            return Change.IMPROVEMENT
    return Change.CHANGED


def essence(observed: Observed) -> tuple[object, ...]:
    """What makes a flip: the outcome and all effects in order, without texts."""
    effects = (deciding_effect(observed), *further_effects(observed))
    ending = (observed.detail, observed.signal, observed.deadly_exit)
    return (observed.outcome, *ending, *map(_effect_essence, effects))


def _effect_essence(effect: Effect) -> tuple[object, ...]:
    at = (
        effect.at.rpartition(":")[0] if effect.outcome == "fail" else effect.at
    )  # a line number is no behaviour
    kind = effect.type if effect.code is None else effect.code
    return (effect.outcome, at, kind, effect.memory_class, effect.want, effect.got, effect.setup)


def texts(observed: Observed) -> tuple[str, ...]:
    """The normalised texts of the effects, in order."""
    return tuple(effect.normalised for effect in observed.effects)


def _raw_text(observed: Observed) -> str:
    """What a crash or hang left on stderr. It may hold addresses: only a verdict speaks of it."""
    return observed.text if observed.outcome in ("crash", "hang") else ""


def _names_fact(old: Result, new: Result, name: str) -> bool:
    """Both expectations say something about the fact, and both runs show it."""
    entries = (old.plan.expectation, new.plan.expectation)
    named = all(entry is not None and name in entry.facts for entry in entries)
    return named and old.verdict == new.verdict == "as_expected"


def _same_fact(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> bool:
    """As JSON compares: 1 is 1.0, and neither is true."""
    if name not in old or name not in new:
        return False
    flags = [isinstance(facts[name], bool) for facts in (old, new)]
    return flags[0] == flags[1] and bool(old[name] == new[name])
