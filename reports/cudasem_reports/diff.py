"""The difference between two runs: may I upgrade?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cudasem_reports import diff_rows
from cudasem_reports.consequence import consequence
from cudasem_reports.listing import Line, listing_of
from cudasem_reports.model import Expectation, Judged, Log, Observed, Plan, Result
from cudasem_reports.report import BAD, GOOD, UNSURE, Headline
from cudasem_reports.timing import farthest, time_changes
from cudasem_reports.transition import ORDER, Change, Transition, transition
from cudasem_reports.wording import (
    gpus_word,
    listed,
    plural,
)

UNFOLD = 300
"""So many entries of a difference unfold; a page of 10,000 cases stays under 3 MB."""

AXES = ("torch", "cuda", "driver", "gpu")

MEANING = {
    Change.REGRESSION: ("Regressions", "A promise no longer holds, or a misuse has become quieter."),
    Change.MISSING: ("Missing", "Ran before, and does not now."),
    Change.CHANGED: ("Changed", "Another behaviour, neither better nor worse."),
    Change.IMPROVEMENT: ("Improvements", "Better than before, and expected/ does not say so yet."),
    Change.FACTS: (
        "Facts changed",
        "The same behaviour; code that reads these numbers or words sees others.",
    ),
    Change.ERROR_TEXT: (
        "Error texts drifted",
        "The same error; code and alerts that match its text need the new one.",
    ),
    Change.KNOWN: ("Known changes", "expected/ foretells both sides: read why before upgrading."),
    Change.TIMING: (
        "Times changed",
        "The same behaviour in another time. Never a reason to stop: measure your own code.",
    ),
    Change.WARNINGS: ("Warnings changed", "The same behaviour; logs show other warnings."),
    Change.NEW: ("New cases", "No result before."),
    Change.GONE: ("Gone cases", "Not planned any more."),
    Change.NEITHER: ("Ran in neither", "Nothing to compare."),
    Change.SAME: ("The same", "Same outcome, effects, facts and warnings."),
}

_COUNTED = {
    Change.REGRESSION: ("regression", "regressions"),
    Change.MISSING: ("missing", "missing"),
    Change.CHANGED: ("changed", "changed"),
    Change.IMPROVEMENT: ("improvement", "improvements"),
    Change.FACTS: ("fact change", "fact changes"),
    Change.ERROR_TEXT: ("drifted error text", "drifted error texts"),
    Change.KNOWN: ("known change", "known changes"),
    Change.TIMING: ("changed time", "changed times"),
    Change.WARNINGS: ("change of warnings", "changes of warnings"),
    Change.NEW: ("new case", "new cases"),
    Change.GONE: ("gone case", "gone cases"),
    Change.NEITHER: ("ran in neither", "ran in neither"),
    Change.SAME: ("the same", "the same"),
}


class CannotCompareError(Exception):
    """The two runs cannot be compared: one line that says why and what to do."""


@dataclass(frozen=True)
class Entry:
    """One id with its two sides."""

    plan: Plan
    transition: Transition
    old: Result | None
    new: Result | None

    @property
    def id(self) -> str:
        return self.plan.id

    @property
    def anchor(self) -> str:
        return self.id if self.plan.profile == "native" else f"{self.id}@{self.plan.profile}"

    @property
    def tone(self) -> str:
        return self.transition.change.name.lower()

    @property
    def verdicts(self) -> tuple[str, ...]:
        return (self.tone,)

    @property
    def consequence(self) -> str:
        return consequence(self.transition, self.old, self.new)

    @cached_property
    def rows(self) -> tuple[diff_rows.Row, ...]:
        return tuple(diff_rows.rows(self.old, self.new))

    @cached_property
    def reasons(self) -> tuple[tuple[str, Expectation], ...]:
        """("old", …), ("new", …), or ("both", …)."""
        return tuple(_reasons(self.old, self.new))

    @property
    def summary(self) -> str:
        """`ok → error 900 at item`, or, of the same outcome, what else differs."""
        if self.old and self.new and self.transition.change is Change.TIMING:
            times = time_changes(self.old.observed, self.new.observed)
            return f"{plural(len(times), 'median')}, the farthest {farthest(times).words}"
        outcome, *others = self.rows
        if outcome.old != outcome.new:
            return f"{outcome.old[0]} → {outcome.new[0]}"
        return ", ".join(row.words for row in others) or outcome.new[0]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return listing_of(self.plan)

    @property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(side.outcome for side in (self.old, self.new) if side))

    @property
    def has_marks(self) -> bool:
        return any(line.way for line in self.lines)

    @property
    def case_differs(self) -> bool:
        """The case itself was rewritten between the runs, so its results say little about the upgrade."""
        return bool(self.old and self.new and self.old.plan.hash != self.new.plan.hash)


@dataclass(frozen=True)
class Group:
    """`listed` are those entries that have one line each, on a page with very many."""

    change: Change
    title: str
    meaning: str
    entries: tuple[Entry, ...]
    listed: tuple[Entry, ...] = ()

    @property
    def count(self) -> int:
        return len(self.entries) + len(self.listed)


@dataclass(frozen=True)
class MachineRow:
    name: str
    old: str
    new: str

    @property
    def differs(self) -> bool:
        """In something that results can come from."""
        return self.old != self.new and self.name not in ("date", "run", "log")

    @property
    def telling(self) -> bool:
        """Worth a look before the results."""
        return self.differs or self.name in ("date", "torch", "CUDA runtime", "driver", "GPUs", "profile")


@dataclass(frozen=True)
class DiffView:
    old: Log
    new: Log
    headline: Headline
    upstream: str  # a link to the commits between the two builds of torch, where both name theirs
    tallies: tuple[tuple[Change, int, str], ...]
    machines: tuple[MachineRow, ...]
    groups: tuple[Group, ...]
    same: tuple[str, ...]
    exit_code: int

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for group in self.groups for entry in (*group.entries, *group.listed))


def view(old: Log, new: Log, changing: str = "", allow_different: bool = False) -> DiffView:
    """`changing` is the axis (of AXES) that was meant to change. Raises CannotCompareError."""
    _check_comparable(old, new, allow_different)
    entries = [_entry(*pair) for pair in _pairs(old, new)]
    groups = tuple(_groups(entries))
    stops = [entry for entry in entries if not entry.transition.foretold]
    return DiffView(
        old=old,
        new=new,
        headline=_headline(old, new, entries, changing),
        upstream=upstream(old.subject.git, new.subject.git),
        tallies=tuple(
            (change, count, count_change(change, count))
            for change in ORDER
            if (count := sum(entry.transition.change is change for entry in entries))
        ),
        machines=tuple(_machines(old, new)),
        groups=groups,
        same=tuple(entry.id for entry in entries if entry.transition.change is Change.SAME),
        exit_code=1 if stops else 0,
    )


def _groups(entries: list[Entry]) -> Iterable[Group]:
    """What stops the upgrade first, then what is known to change, then the rest, worst first. Of very many
    entries the first unfold, the others have a line each.
    """
    by_change: dict[Change, list[Entry]] = {}
    for entry in sorted(entries, key=lambda each: each.transition.foretold):
        by_change.setdefault(entry.transition.change, []).append(entry)
    by_change.pop(Change.SAME, None)
    room = UNFOLD
    for change in sorted(by_change, key=lambda each: _urgency(each, by_change[each])):
        found = by_change[change]
        yield Group(change, *MEANING[change], tuple(found[:room]), tuple(found[room:]))
        room -= min(room, len(found))


def _urgency(change: Change, entries: list[Entry]) -> tuple[bool, bool, int]:
    return (
        all(entry.transition.foretold for entry in entries),
        change is not Change.KNOWN,
        ORDER.index(change),
    )


def count_change(change: Change, count: int) -> str:
    return f"{count} {_COUNTED[change][count != 1]}"


def axis_value(log: Log, axis: str) -> str:
    return {
        "torch": log.subject.torch,
        "cuda": log.subject.cuda_runtime,
        "driver": log.machine.driver,
        "gpu": gpus_word(log.machine.gpus),
    }[axis] or "none"


def upstream(old: str, new: str) -> str:
    """The page that lists the commits; nothing where a hash is unknown or both are one."""
    known = all(re.fullmatch(r"[0-9a-f]{40}", git) for git in (old, new))
    return f"https://github.com/pytorch/pytorch/compare/{old}...{new}" if known and old != new else ""


def changed_axes(old: Log, new: Log) -> tuple[str, ...]:
    return tuple(axis for axis in AXES if axis_value(old, axis) != axis_value(new, axis))


def _check_comparable(old: Log, new: Log, allow_different: bool) -> None:
    for log in (old, new):
        if not log.finished:
            raise CannotCompareError(
                f"{log.path}: expected a finished run, found one that was killed; resume or repeat it"
            )
        if log.exit == 2:
            raise CannotCompareError(
                f"{log.path}: expected a valid run, found one that ended with exit 2 "
                "(interrupted, device lost, killed and judged again …); repeat it"
            )
        if not log.executed:
            raise CannotCompareError(
                f"{log.path}: expected a run in which something ran, found none; see `cudasem doctor`"
            )
    if allow_different:
        return
    if axis_value(old, "gpu") != axis_value(new, "gpu"):
        raise CannotCompareError(
            f"{new.path}: expected the same GPUs as in {old.path} ({axis_value(old, 'gpu')}), "
            f"found {axis_value(new, 'gpu')}; compare runs of one machine, or pass --allow-different"
        )
    if old.run.profile != new.run.profile:
        raise CannotCompareError(
            f"{new.path}: expected the same profile as in {old.path} ({old.run.profile}), "
            f"found {new.run.profile}; compare runs of one profile, or pass --allow-different"
        )


def _pairs(old: Log, new: Log) -> list[tuple[Result | None, Result | None]]:
    """Each id once, in the order of the new run. An area that no longer compiles stands for all its ids."""
    same_profile = old.run.profile == new.run.profile

    def by_id(log: Log) -> dict[str, Result]:
        return {(r.plan.id + (f" | {r.plan.profile}" if same_profile else "")): r for r in log.results}

    before, after = by_id(old), by_id(new)
    whole_areas = {r.plan.area: r for r in new.results if r.plan.id.endswith(".*")}
    pairs: list[tuple[Result | None, Result | None]] = []
    stood_for = set()
    for name, result in before.items():
        area = whole_areas.get(result.plan.area)
        if name not in after and area:
            stood_for.add(area.plan.id)
            lost = Observed("missing", "uncompiled", text=area.observed.text)
            pairs.append((result, Result(result.plan, lost, Judged("missing", area.judged.reason))))
    for name, result in after.items():
        if result.plan.id not in stood_for or name in before:
            pairs.append((before.get(name), result))
    new_areas = {result.plan.area for result in after.values()}
    for name, result in before.items():
        if name not in after and result.plan.area not in whole_areas:
            compiles_again = result.plan.id.endswith(".*") and result.plan.area in new_areas
            if not compiles_again:
                pairs.append((result, None))
    return pairs


def _entry(old: Result | None, new: Result | None) -> Entry:
    shown = new or old
    assert shown is not None
    return Entry(shown.plan, transition(old, new), old, new)


def _reasons(old: Result | None, new: Result | None) -> Iterable[tuple[str, Expectation]]:
    before = old.plan.expectation if old else None
    after = new.plan.expectation if new else None
    if before and after and (before.where, before.why) == (after.where, after.why):
        yield "both", after
        return
    if before:
        yield "old", before
    if after:
        yield "new", after


def _headline(old: Log, new: Log, entries: list[Entry], changing: str) -> Headline:
    axes = changed_axes(old, new)
    notes = tuple(_notes(old, new, entries, changing, axes))
    stops = [entry for entry in entries if not entry.transition.foretold]
    compared = [
        entry
        for entry in entries
        if entry.old and entry.new and entry.transition.change is not Change.NEITHER
    ]
    if stops:
        counts = [
            count_change(change, count)
            for change in ORDER
            if (count := sum(entry.transition.change is change for entry in stops))
        ]
        return Headline(f"No: {', '.join(counts)} that expected/ does not foretell", BAD, notes)
    if not any(entry.plan.needs_gpus for entry in compared):
        host = plural(len(compared), "host-only result")
        return Headline(f"Nothing was shown about the GPU: {host} compared", UNSURE, notes)
    same = sum(entry.transition.change is Change.SAME for entry in entries)
    others = [
        count_change(change, count)
        for change in sorted(ORDER, key=lambda each: each is not Change.KNOWN)
        if change not in (Change.SAME, Change.NEITHER)
        and (count := sum(entry.transition.change is change for entry in entries))
    ]
    text = ", ".join([f"Yes: {same} of {len(compared)} results are the same", *others])
    tone = UNSURE if _is_confounded(changing, axes) else GOOD
    return Headline(text, tone, notes)


def _is_confounded(changing: str, axes: tuple[str, ...]) -> bool:
    return bool(set(axes) - {changing}) if changing else len(axes) > 1


def _notes(old: Log, new: Log, entries: list[Entry], changing: str, axes: tuple[str, ...]) -> Iterable[str]:
    moves = listed(f"{axis} from {axis_value(old, axis)} to {axis_value(new, axis)}" for axis in axes)
    yield f"Changed: {moves}." if moves else "Changed: none of torch, cuda, driver and gpu."
    if changing and changing not in axes:
        yield f"{changing} is the same in both runs, although it was meant to change."
    if _is_confounded(changing, axes):
        besides = listed(axis for axis in axes if axis != changing) if changing else ""
        what = f"besides {changing}, {besides} changed too" if changing in axes else f"{listed(axes)} changed"
        yield f"Confounded: {what}. A difference cannot be put down to one of them: change one at a time."
    if old.run.expected_hash != new.run.expected_hash:
        yield "expected/ differs between the runs: `cudasem diff --expected DIR` judges both alike."
    rewritten = [entry.id for entry in entries if entry.case_differs]
    if rewritten:
        yield f"Rewritten between the runs: {listed(rewritten)}. What differs may come from the case itself."
    if old.run.profile != new.run.profile:
        yield f"Another profile: {old.run.profile} before, {new.run.profile} now."
    alike = [entry.new for entry in entries if entry.new and entry.transition.change is Change.SAME]
    standing = sum(result.verdict != "as_expected" for result in alike)
    if standing:
        yield f"Not as expected now, but no different from before: {plural(standing, 'result')}."
    neither = sum(entry.transition.change is Change.NEITHER for entry in entries)
    if neither:
        yield f"Not compared: {plural(neither, 'result')} that ran in neither run."


def _machines(old: Log, new: Log) -> Iterable[MachineRow]:
    for (name, before), (_, after) in zip(_machine(old), _machine(new), strict=True):
        if before or after:
            yield MachineRow(name, before, after)


def _machine(log: Log) -> list[tuple[str, str]]:
    return [
        ("date", log.run.utc.replace("T", " ").replace("Z", " UTC")),
        ("torch", log.subject.torch),
        ("CUDA runtime", log.subject.cuda_runtime),
        ("driver", axis_value(log, "driver")),
        ("GPUs", axis_value(log, "gpu")),
        ("profile", log.run.profile),
        ("environment", " ".join(f"{name}={value}" for name, value in log.subject.env.items())),
        ("operating system", log.machine.os),
        ("compiler", log.subject.compiler),
        ("expected/", log.run.expected_hash),
        ("cudasem", log.run.tool),
        ("run", log.run.id),
        ("log", Path(log.path).name),
    ]
