"""Runs side by side: a column for each release, set of GPUs and profile, ordered by release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cudasem_reports.model import Log, Result
from cudasem_reports.wording import gpus_word, listed, plural

WHOLE = 0.95
"""A newer run replaces an older one where it executed at least this part of the same results."""


@dataclass(frozen=True)
class Column:
    log: Log
    profile: str
    label: str  # `2.14.1`; with its build where two builds of a release stand side by side
    setting: str  # GPUs, profile and driver, where the columns differ in them
    results: Mapping[str, Result]  # by id

    @property
    def name(self) -> str:
        """`2.14.1 (2 × NVIDIA H200)`"""
        return f"{self.label} ({self.setting})" if self.setting else self.label

    @property
    def facts(self) -> tuple[str, ...]:
        """torch, CUDA runtime, driver, GPUs, profile, date, run."""
        log = self.log
        machine = (log.subject.cuda_runtime, log.machine.driver, gpus_word(log.machine.gpus))
        return (log.subject.torch, *machine, self.profile, log.run.date, log.run.id)


@dataclass(frozen=True)
class _Key:
    torch: str
    gpus: str
    profile: str
    driver: str


def columns(logs: Iterable[Log]) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns, and notes on what does not stand in them. Of two logs of one key the newest stands,
    unless it lacks what the other has: a few cases run again do not replace a whole run."""
    logs = sorted(logs, key=lambda log: log.run.utc)
    newest: dict[_Key, Log] = {}
    notes: list[str] = []
    for log in logs:
        for profile in _profiles(log):
            key = _Key(log.subject.torch, gpus_word(log.machine.gpus), profile, log.machine.driver)
            before = newest.get(key)
            if before is not None and before.run.id != log.run.id:
                if lacking := _lacking(before, log, profile):
                    notes.append(_stays(key, before, log, lacking))
                    continue
                notes.append(_stands(key, log, before))
            newest[key] = log
    keys = sorted(newest, key=lambda key: (release_order(key.torch), key.gpus, key.profile, key.driver))
    found = tuple(_column(key, newest[key], keys) for key in keys)
    killed = [column.name for column in found if not column.log.finished]
    if killed:
        notes.append(f"Killed before its end: {listed(killed)}. What has no result there is missing.")
    return found, tuple(notes)


def release_order(torch: str) -> tuple[tuple[int, ...], bool, tuple[int, ...]]:
    """Sorts 2.9 before 2.11, and a nightly before its release."""
    match = re.match(r"[\d.]*\d", torch)
    numbers = tuple(map(int, match[0].split("."))) if match else ()
    rest = torch[match.end() :] if match else torch
    return numbers, not re.match(r"\.?(dev|a|b|rc)", rest), tuple(map(int, re.findall(r"\d+", rest)))


def newest_date(found: Iterable[Column]) -> str:
    return max((column.log.run.date for column in found), default="")


def _profiles(log: Log) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.plan.profile for result in log.results)) or (log.run.profile,)


def _column(key: _Key, log: Log, keys: list[_Key]) -> Column:
    release = key.torch.partition("+")[0]
    builds = {other.torch for other in keys if other.torch.partition("+")[0] == release}
    differing = [
        value
        for value, values in (
            (key.gpus if log.machine.gpus else "no GPU", {other.gpus for other in keys}),
            (key.profile, {other.profile for other in keys}),
            (f"driver {key.driver}", _drivers(key, keys)),
        )
        if len(values) > 1
    ]
    return Column(
        log=log,
        profile=key.profile,
        label=(key.torch if len(builds) > 1 else release) or "unknown",
        setting=", ".join(differing),
        results={result.plan.id: result for result in log.results if result.plan.profile == key.profile},
    )


def _lacking(before: Log, after: Log, profile: str) -> int:
    """How many results of `before` are not in `after`; 0 for a few, as of cases that were removed."""
    old, new = ({r.plan.id for r in log.executed if r.plan.profile == profile} for log in (before, after))
    return len(old - new) if len(old & new) < WHOLE * len(old) else 0


def _drivers(key: _Key, keys: Iterable[_Key]) -> set[str]:
    """Those under which one release ran on these GPUs in this profile."""
    alike = (key.torch, key.gpus, key.profile)
    return {other.driver for other in keys if (other.torch, other.gpus, other.profile) == alike}


def _stands(key: _Key, log: Log, before: Log) -> str:
    return (
        f"Two runs of {_words(key)}: the newer, {log.run.id} of {log.run.date}, stands; "
        f"{before.run.id} of {before.run.date} does not."
    )


def _stays(key: _Key, before: Log, log: Log, lacking: int) -> str:
    return (
        f"Two runs of {_words(key)}: the newer, {log.run.id} of {log.run.date}, lacks "
        f"{plural(lacking, 'result')} of {before.run.id} of {before.run.date}, which stands in its place."
    )


def _words(key: _Key) -> str:
    """`torch 2.14.1+cu130, NVIDIA H200`"""
    gpus = "no GPU" if key.gpus == "none" else key.gpus
    profile = [] if key.profile == "native" else [key.profile]
    return ", ".join([f"torch {key.torch or 'unknown'}", gpus, *profile])
