"""`cudasem bisect`: which release flipped a case; from logs that are there, then from runs made for it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudasem_reports.columns import release_order
from cudasem_reports.model import Log, Observed, Result
from cudasem_reports.read import LogError, load
from cudasem_reports.transition import changed_facts, essence, texts
from cudasem_reports.wording import listed, observed_line

Run = Callable[[str], Log | None]
"""Runs the case on a release; None where that could not be done."""


@dataclass(frozen=True)
class Seen:
    """What one release showed of the case, all of its ways."""

    release: str
    results: tuple[Result, ...]
    source: str  # the log

    @property
    def words(self) -> str:
        ways = [f"{each.plan.way}: " if each.plan.way else "" for each in self.results]
        return "; ".join(
            way + observed_line(each.observed) for way, each in zip(ways, self.results, strict=True)
        )


@dataclass(frozen=True)
class Flip:
    """The newest release that showed what the good one did, and the oldest known not to."""

    before: Seen
    after: Seen
    between: tuple[str, ...]  # supported releases between the two that nobody has run
    seen: tuple[Seen, ...]  # all releases that were looked at, in order

    @property
    def exact(self) -> bool:
        return not self.between


def bisect(case: str, good: str, bad: str, logs: Iterable[Log], releases: Sequence[str], run: Run) -> Flip:
    """Halves what lies between. Raises LogError where the ends are not there or agree."""
    seen = {release: found for release in releases if (found := _seen(case, release, logs := list(logs)))}
    for end in (good, bad):
        if end not in releases:
            raise LogError(f"{end} is no supported release: {listed(releases)} are")
        if end not in seen and not _look(case, end, seen, run):
            raise LogError(f"{case} has no result on {end}: run it there, and name the log")
    ordered = sorted(releases, key=release_order)
    low, high = ordered.index(good), ordered.index(bad)
    if low >= high:
        raise LogError(f"--good {good} has to be older than --bad {bad}")
    if same(seen[good], seen[bad]):
        raise LogError(f"{case} shows the same on {good} and on {bad}: {seen[bad].words}")
    unknown: list[str] = []
    while candidates := [name for name in ordered[low + 1 : high] if name not in unknown]:
        middle = candidates[len(candidates) // 2]
        if middle not in seen and not _look(case, middle, seen, run):
            unknown.append(middle)
        elif same(seen[good], seen[middle]):
            low = ordered.index(middle)
        else:
            high = ordered.index(middle)
    return Flip(
        seen[ordered[low]],
        seen[ordered[high]],
        tuple(ordered[low + 1 : high]),
        tuple(seen[name] for name in ordered if name in seen),
    )


def read_releases(expected: Path) -> tuple[str, ...]:
    """The supported ones, of expected/releases.toml. Raises LogError."""
    path = expected / "releases.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("release", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LogError(
            f"{path}: the list of supported releases was expected: {error}; say --expected"
        ) from error
    return tuple(str(each["torch"]) for each in found)


def run_with_ci(case: str) -> Run:
    """By `ci/run` of the source tree that is the current folder."""

    def run(release: str) -> Log | None:
        with tempfile.TemporaryDirectory() as folder:
            command = ["ci/run", "--torch", release, "--out", folder, "--", case]
            subprocess.run(command, check=False, stdout=sys.stderr)
            logs = sorted(Path(folder).glob("*.ndjson"))
            return load(logs[-1]) if logs else None

    return run


def same(one: Seen, other: Seen) -> bool:
    """Outcome, effects, texts and facts of every way."""
    pairs = {result.plan.way: result.observed for result in one.results}
    others = {result.plan.way: result.observed for result in other.results}
    return pairs.keys() == others.keys() and all(_alike(pairs[way], others[way]) for way in pairs)


def _alike(one: Observed, other: Observed) -> bool:
    return essence(one) == essence(other) and texts(one) == texts(other) and not changed_facts(one, other)


def _look(case: str, release: str, seen: dict[str, Seen], run: Run) -> bool:
    log = run(release)
    found = _seen(case, release, [log]) if log else None
    if found:
        seen[release] = found
    return found is not None


def _seen(case: str, release: str, logs: Iterable[Log]) -> Seen | None:
    """Of the newest log of the release in which every way of the case ran."""
    for log in sorted(logs, key=lambda log: log.run.utc, reverse=True):
        results = tuple(each for each in log.results if case in (each.plan.case, each.plan.id))
        if log.subject.release == release and results and all(each.observed.ran for each in results):
            return Seen(release, results, Path(log.path).name)
    return None
