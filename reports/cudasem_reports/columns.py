"""Runs side by side: a column for each release, set of GPUs and profile, ordered by release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cudasem_reports.model import Log, Result
from cudasem_reports.wording import gpus_word, listed


@dataclass(frozen=True)
class Column:
    log: Log
    profile: str
    label: str  # `2.14.1`; with its build where two builds of a release stand side by side
    setting: str  # GPUs and profile, where the columns differ in them
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


def columns(logs: Iterable[Log]) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The columns, and notes on what does not stand in them: of two logs of one key the newest stands."""
    logs = sorted(logs, key=lambda log: log.run.utc)
    newest: dict[_Key, Log] = {}
    notes: list[str] = []
    for log in logs:
        for profile in _profiles(log):
            key = _Key(log.subject.torch, gpus_word(log.machine.gpus), profile)
            before = newest.get(key)
            if before is not None and before.run.id != log.run.id:
                notes.append(_stands(key, log, before))
            newest[key] = log
    keys = sorted(newest, key=lambda key: (release_order(key.torch), key.gpus, key.profile))
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


def _stands(key: _Key, log: Log, before: Log) -> str:
    setting = ", ".join(
        [f"torch {key.torch or 'unknown'}", *([key.gpus] if log.machine.gpus else ["no GPU"])]
    )
    profile = "" if key.profile == "native" else f", {key.profile}"
    return (
        f"Two runs of {setting}{profile}: the newer, {log.run.id} of {log.run.date}, stands; "
        f"{before.run.id} of {before.run.date} does not."
    )
