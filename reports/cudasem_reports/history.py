"""The same cases over time: a strip for each, the first run of each change, run times, flake rates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from cudasem_reports import pool_plot
from cudasem_reports.model import Log, Plan, Result
from cudasem_reports.read import LogError, load
from cudasem_reports.wording import (
    VERDICT_WORD,
    deciding_effect,
    effect_line,
    further_effects,
    gpus_word,
    observed_line,
    plural,
    shortened,
)

GLYPHS = {  # one for each of OUTCOMES
    "ok": "·",
    "error": "e",
    "corrupt": "c",
    "fail": "f",
    "crash": "x",
    "hang": "h",
    "skip": "-",
    "missing": "?",
}
ABSENT = " "  # the run did not plan it


@dataclass(frozen=True)
class Span:
    """Runs in a row that showed the same."""

    glyphs: str
    verdict: str
    words: str  # `2026-11-30 to 2026-12-02: error 900 at item, as expected`


@dataclass(frozen=True)
class Change:
    """The first run that showed something else than the run before it that ran the case."""

    id: str
    run: Log
    before: Log
    old: str
    new: str
    what: str  # outcome, text, facts


@dataclass(frozen=True)
class Strip:
    plan: Plan
    spans: tuple[Span, ...]
    changes: tuple[Change, ...]
    ran: int
    flaky: int  # runs whose attempts did not agree

    @property
    def flake_rate(self) -> str:
        return f"{self.flaky} of {self.ran}" if self.flaky else ""

    @property
    def moves(self) -> bool:
        return bool(
            self.changes
            or self.flaky
            or any(s.verdict not in ("as_expected", "skipped", "") for s in self.spans)
        )


@dataclass(frozen=True)
class Series:
    """The runs of one set of GPUs and one profile, in the order of time."""

    name: str
    runs: tuple[Log, ...]
    strips: tuple[Strip, ...]
    changes: tuple[Change, ...]  # newest first
    svg: str
    no_plot: str

    @property
    def moving(self) -> tuple[Strip, ...]:
        return tuple(strip for strip in self.strips if strip.moves)

    @property
    def steady(self) -> tuple[Strip, ...]:
        return tuple(strip for strip in self.strips if not strip.moves)

    @property
    def flaky(self) -> tuple[Strip, ...]:
        return tuple(sorted((s for s in self.strips if s.flaky), key=lambda s: (-s.flaky / s.ran, s.plan.id)))


@dataclass(frozen=True)
class History:
    series: tuple[Series, ...]
    notes: tuple[str, ...]
    date: str

    @property
    def headline(self) -> str:
        runs = plural(sum(len(each.runs) for each in self.series), "run")
        changes = plural(sum(len(each.changes) for each in self.series), "change")
        flaky = plural(sum(len(each.flaky) for each in self.series), "flaky way")
        return f"{runs}: {changes}, {flaky}"


def read_folder(folder: Path) -> tuple[list[Log], list[str]]:
    """Every log below `folder`, and notes on what cannot be read. Raises LogError if none can."""
    if not folder.is_dir():
        raise LogError(
            f"{folder}: expected a folder of event logs, found none; name the folder of nightly logs"
        )
    paths = sorted(path for path in folder.rglob("*") if path.name.endswith((".ndjson", ".ndjson.gz")))
    logs, notes = [], []
    for path in paths:
        try:
            logs.append(load(path))
        except LogError as error:
            notes.append(f"Left out: {error}")
    if not logs:
        found = f"{plural(len(notes), 'log')} that cannot be read" if notes else "none"
        raise LogError(f"{folder}: expected event logs (.ndjson, .ndjson.gz) below it, found {found}")
    return logs, notes


def view(logs: Sequence[Log], notes: Sequence[str] = ()) -> History:
    """Runs are compared within one set of GPUs and one profile; of two copies of a run one counts."""
    unique = {log.run.id or log.path: log for log in logs}
    ordered = sorted(unique.values(), key=lambda log: (_setting(log), log.run.utc, log.path))
    more = (
        [f"{plural(len(logs) - len(ordered), 'copy', 'copies')} of a run left out"]
        if len(logs) > len(ordered)
        else []
    )
    return History(
        series=tuple(_series(name, tuple(runs)) for name, runs in groupby(ordered, key=_setting)),
        notes=(*more, *notes),
        date=max((log.run.date for log in ordered), default=""),
    )


def _setting(log: Log) -> str:
    gpus = gpus_word(log.machine.gpus) if log.machine.gpus else "no GPU"
    return gpus if log.run.profile == "native" else f"{gpus}, {log.run.profile}"


def _series(name: str, runs: tuple[Log, ...]) -> Series:
    held = [{result.plan.id: result for result in log.results} for log in runs]
    plans = {id_: result.plan for results in held for id_, result in results.items()}
    strips = tuple(_strip(plans[id_], runs, [each.get(id_) for each in held]) for id_ in sorted(plans))
    changes = [change for strip in strips for change in strip.changes]
    changes.sort(key=lambda change: (change.run.run.utc, change.id))
    svg, no_plot = _times(runs)
    return Series(name, runs, strips, tuple(reversed(changes)), svg, no_plot)


def _strip(plan: Plan, runs: Sequence[Log], results: Sequence[Result | None]) -> Strip:
    ran = [(log, result) for log, result in zip(runs, results, strict=True) if result and result.observed.ran]
    changes = []
    for (before, old), (run, new) in pairwise(ran):
        what = _difference(old, new)
        if what:
            changes.append(Change(plan.id, run, before, _words(old, what), _words(new, what), what))
    return Strip(
        plan=plan,
        spans=tuple(_spans(runs, results)),
        changes=tuple(changes),
        ran=len(ran),
        flaky=sum(len(set(result.attempts)) > 1 or result.verdict == "flaky" for _, result in ran),
    )


def _difference(old: Result, new: Result) -> str:
    if _outcome(old) != _outcome(new):
        return "outcome"
    if deciding_effect(old.observed).normalised != deciding_effect(new.observed).normalised:
        return "text"
    return "facts" if old.observed.facts != new.observed.facts else ""


def _outcome(result: Result) -> str:
    observed = result.observed
    return ", then ".join([observed_line(observed), *map(effect_line, further_effects(observed))])


def _words(result: Result, what: str) -> str:
    if what == "text":
        return shortened(deciding_effect(result.observed).text)
    if what == "facts":
        return ", ".join(f"{name} = {value}" for name, value in result.observed.facts.items()) or "none"
    return _outcome(result)


def _spans(runs: Sequence[Log], results: Sequence[Result | None]) -> Iterable[Span]:
    cells = [(log, *_cell(result)) for log, result in zip(runs, results, strict=True)]
    for (glyph, verdict, words), group in groupby(cells, key=lambda cell: cell[1:]):
        logs = [cell[0] for cell in group]
        first, last = logs[0].run.date, logs[-1].run.date
        yield Span(glyph * len(logs), verdict, f"{first if first == last else f'{first} to {last}'}: {words}")


def _cell(result: Result | None) -> tuple[str, str, str]:
    if result is None:
        return ABSENT, "", "not planned"
    return GLYPHS[result.outcome], result.verdict, f"{_outcome(result)}, {VERDICT_WORD[result.verdict]}"


def _times(runs: Sequence[Log]) -> tuple[str, str]:
    """How long each run took, as SVG; or nothing and the reason why."""
    timed = [(number, log.t_ms / 1000) for number, log in enumerate(runs) if log.t_ms is not None]
    if len(timed) < 2:
        return "", "No plot of run times: fewer than two runs have one."
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return "", pool_plot.MISSING
    with matplotlib.rc_context(pool_plot.SETTINGS):
        figure: Any = Figure(figsize=(8.0, 2.2), layout="constrained")
        area = figure.subplots()
        area.plot(
            [x for x, _ in timed],
            [y for _, y in timed],
            color=pool_plot.line_colour(2),
            marker="o",
            markersize=4,
        )
        area.set_ylim(0, 1.15 * max(seconds for _, seconds in timed))
        area.set_ylabel("s a run")
        step = max(1, len(runs) // 8)
        ticks = range(0, len(runs), step)
        area.set_xticks(list(ticks), [f"{runs[t].run.date}\n{runs[t].subject.release}" for t in ticks])
        area.grid(True, axis="y", linewidth=0.6)
        area.spines[["top", "right"]].set_visible(False)
        return pool_plot.page_svg(figure, "Duration of each run, in the order of time"), ""
