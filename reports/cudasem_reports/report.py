"""The report of one run: its headline, what did not run, and every result, worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from cudasem_reports import pools
from cudasem_reports.case_view import CaseView, case_view
from cudasem_reports.model import VERDICTS, Log, Result
from cudasem_reports.wording import (
    VERDICT_SECTION,
    count_verdict,
    duration_word,
    gpus_word,
    listed,
    plural,
    shortened,
)

GOOD, BAD, UNSURE = "good", "bad", "unsure"

CONTENT = ("as_expected", "skipped")
"""Verdicts that nobody has to look at."""
ALL_UNFOLD = 1000
"""Up to so many cases of a run unfold on its page."""
UNFOLD_OF_MANY = 150
"""Of a larger run so many that are not as expected do, worst first: a page stays under 3 MB."""

MANY_MISSING = 20
"""More cases than these without a result have one cause, as a lost GPU, and must not bury what follows."""


@dataclass(frozen=True)
class Headline:
    text: str
    tone: str  # good, bad, unsure
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """The cases of one verdict. `listed` are those that have one line each, on a page with very many."""

    verdict: str
    title: str
    meaning: str
    cases: tuple[CaseView, ...]
    listed: tuple[CaseView, ...] = ()

    @property
    def content(self) -> bool:
        return self.verdict in CONTENT

    @property
    def count(self) -> int:
        return len(self.cases) + len(self.listed)


@dataclass(frozen=True)
class Banner:
    """What did not run, by reason."""

    title: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class RunView:
    log: Log
    headline: Headline
    tallies: tuple[tuple[str, int], ...]
    facts: tuple[tuple[str, str], ...]
    more_facts: tuple[tuple[str, str], ...]
    banners: tuple[Banner, ...]
    sections: tuple[Section, ...]
    left_out: str = ""  # what does not unfold, and how to see it; empty where everything does
    study: pools.Study | None = None  # of memory-pool boundaries, where the run has rows of it
    label: str = ""  # of a recorded run that is shown beside

    @cached_property
    def cases(self) -> tuple[CaseView, ...]:
        return tuple(case for section in self.sections for case in (*section.cases, *section.listed))


def view(log: Log, prefix: str = "", label: str = "", only: str = "*") -> RunView:
    """`prefix` keeps the anchors of several runs on one page apart; `only`, a glob over case names, says
    which cases stand on the page. Headline and counts are those of the whole run all the same."""
    sections = tuple(_sections(log, prefix, only))
    return RunView(
        log=log,
        headline=headline(log),
        left_out=_left_out(log, sections, only),
        tallies=tuple((verdict, count) for verdict in VERDICTS if (count := log.count(verdict))),
        facts=tuple((name, value) for name, value in _facts(log) if value),
        more_facts=tuple((name, value) for name, value in _more_facts(log) if value),
        banners=tuple(banners(log)),
        sections=sections,
        study=pools.of_run(log),
        label=label,
    )


def headline(log: Log) -> Headline:
    """Answers "is tonight fine?" from the verdicts and the exit code that are in the log."""
    bad = [count_verdict(verdict, log.count(verdict)) for verdict in VERDICTS[:4] if log.count(verdict)]
    better = [count_verdict("improvement", log.count("improvement"))] if log.count("improvement") else []
    notes = tuple(_notes(log))
    if not log.finished:
        without = sum(result.outcome == "missing" for result in log.results)
        text = f"Not finished: {without} of {plural(len(log.results), 'planned result')} missing"
        found = [part for part in bad + better if not part.endswith(" missing")]
        return Headline(f"{text}; {', '.join(found)}" if found else text, BAD, notes)
    if bad:
        return Headline(f"Not fine: {', '.join(bad + better)}", BAD, notes)
    if log.exit == 2:
        return Headline(
            f"Not a valid run: {len(log.executed)} of {len(log.results)} ran (exit 2)", BAD, notes
        )
    if better:
        return Headline(f"Better than expected: {', '.join(better)}; expected/ is out of date", UNSURE, notes)
    if not any(result.plan.needs_gpus for result in log.executed):
        return Headline(_nothing_shown(log), UNSURE, notes)
    skipped = log.count("skipped")
    text = f"Fine: {log.count('as_expected')} of {len(log.results) - skipped} as expected"
    if log.exit:
        return Headline(f"Not fine: the run ended with exit {log.exit}", BAD, notes)
    rest = [f"{count} {verdict}" for verdict in ("waived", "skipped") if (count := log.count(verdict))]
    return Headline(", ".join([text, *rest]), GOOD, notes)


def _nothing_shown(log: Log) -> str:
    host = len(log.executed)
    waiting = sum(bool(result.plan.needs_gpus) and not result.observed.ran for result in log.results)
    need = f"{waiting} need{'s' if waiting == 1 else ''} a GPU"
    if not host:
        return f"Nothing was shown: nothing ran, {need}" if waiting else "Nothing was shown: nothing ran"
    return f"Nothing was shown about the GPU: {plural(host, 'host-only case')} ran, {need}"


def _notes(log: Log) -> Iterable[str]:
    gpu_shown = any(result.plan.needs_gpus for result in log.executed)
    if not gpu_shown and (not log.finished or log.exit or log.count("improvement")):
        yield _nothing_shown(log)
    if not log.finished:
        yield "The run was killed: the results below are valid, the rest is missing. Resume or repeat it."
    elif log.exit == 2:
        yield "The runner calls this run not valid: too little ran, or machine or expected/ are not in order."
    if log.machine.error and not log.machine.gpus:
        yield f"No GPU: {log.machine.error}"
    for state in log.gpu_states:
        if state.state == "quarantined":
            yield f"GPU {state.index} was quarantined: {state.cause}"
    again = [r.plan.id for r in log.results if any(each.how in ("alone", "order") for each in r.attempts)]
    if again:
        yield f"Not as expected beside other cases, so run again alone, which counts: {_some(again)}"
    left = [r.plan.id for r in log.results if r.observed.dirt]
    if left:
        yield f"Left something behind in its process: {_some(left)}"
    bugs = sorted({r.plan.id for r in log.executed if r.plan.expectation and r.plan.expectation.bug})
    if bugs:
        yield f"Documented promises known to be broken: {listed(bugs)}"
    inferred = sum(
        bool(r.plan.expectation and r.plan.expectation.evidence == "inferred") for r in log.results
    )
    if inferred:
        yield (
            f"{plural(inferred, 'expectation')} {'is' if inferred == 1 else 'are'} inferred: "
            "no recorded run of this release shows what they say"
        )


def _some(names: list[str], most: int = 5) -> str:
    """The first of them, and how many more."""
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return listed([*names[:most], *more])


def _facts(log: Log) -> Iterable[tuple[str, str]]:
    run, machine, subject = log.run, log.machine, log.subject
    build = (
        f" (built for {subject.cuda_build})" if subject.cuda_build not in ("", subject.cuda_runtime) else ""
    )
    yield "date", run.utc.replace("T", " ").replace("Z", " UTC")
    yield "torch", subject.torch
    yield "CUDA runtime", f"{subject.cuda_runtime}{build}" if subject.cuda_runtime else ""
    yield "driver", machine.driver or "none"
    yield "GPUs", gpus_word(machine.gpus)
    yield "profile", run.profile
    yield "environment", " ".join(f"{name}={value}" for name, value in subject.env.items())
    yield "duration", duration_word(log.t_ms)


def _more_facts(log: Log) -> Iterable[tuple[str, str]]:
    run, machine, subject = log.run, log.machine, log.subject
    for gpu in machine.gpus:
        words = [
            gpu.name,
            f"cc {gpu.cc}",
            f"{gpu.memory_mib} MiB",
            "ECC" if gpu.ecc else "",
            "MIG" if gpu.mig else "",
        ]
        yield f"GPU {gpu.index}", ", ".join(word for word in words if word)
    yield "torch git", subject.git
    yield "CUDA build", subject.cuda_build
    yield "operating system", machine.os
    yield "compiler", subject.compiler
    yield "cudasem", run.tool
    yield "command", " ".join(run.argv)
    yield "run", run.id
    yield "shard", run.shard
    yield "seed", run.seed
    yield "expected/", run.expected_hash
    yield "judged again from", run.judged_from
    yield "exit", "" if log.exit is None else str(log.exit)


def banners(log: Log) -> Iterable[Banner]:
    """One banner for all that was not supported, one for other skips, one for what is missing."""
    unsupported: dict[str, list[str]] = {}
    skipped: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for result in log.results:
        observed = result.observed
        text = shortened(observed.text) or "no reason given"
        if result.outcome == "skip" and observed.detail == "unsupported":
            unsupported.setdefault(text, []).append(result.plan.id)
        elif result.outcome == "skip":
            skipped.setdefault(f"{observed.detail or 'skip'}: {text}", []).append(result.plan.id)
        elif result.outcome == "missing":
            cause = observed.detail.replace("_", " ") or result.judged.reason
            missing.setdefault(f"{cause}: {text}" if observed.text else cause, []).append(result.plan.id)
    for found, words in (
        (missing, "missing"),
        (unsupported, "not supported on this machine or by this release"),
        (skipped, "skipped for other reasons"),
    ):
        if found:
            groups = sorted(found.items(), key=lambda group: (-len(group[1]), group[0]))
            count = sum(len(ids) for _, ids in groups)
            yield Banner(
                f"{plural(count, 'result')} {words}", tuple((reason, tuple(ids)) for reason, ids in groups)
            )


def _sections(log: Log, prefix: str, only: str) -> Iterable[Section]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in log.results:
        if only == "*" or fnmatchcase(result.plan.case, only):
            groups.setdefault((result.plan.case, result.plan.profile), []).append(result)
    by_verdict: dict[str, list[CaseView]] = {}
    for results in groups.values():
        case = case_view(results, prefix)
        by_verdict.setdefault(case.verdict, []).append(case)
    whole = len(groups) <= ALL_UNFOLD
    room = UNFOLD_OF_MANY
    for verdict in (*(each for each in VERDICTS if each != "skipped"), "skipped"):  # what ran comes first
        found = by_verdict.get(verdict, [])
        if found:
            unfolding = len(found) if whole else 0 if verdict in CONTENT else min(room, len(found))
            room -= unfolding
            unfold, listed_alone = found[:unfolding], found[unfolding:]
            if verdict == "missing" and only == "*" and len(found) > MANY_MISSING:
                unfold = [case for case in unfold if case.tells_why]
                listed_alone = [case for case in found if case not in unfold]
            yield Section(verdict, *VERDICT_SECTION[verdict], tuple(unfold), tuple(listed_alone))


def _left_out(log: Log, sections: Iterable[Section], only: str) -> str:
    listed_alone = sum(len(section.listed) for section in sections)
    said = []
    if only != "*":
        said.append(f"Only the cases that match {only} stand here; headline and counts are of the whole run.")
    if listed_alone:
        have = "has" if listed_alone == 1 else "have"
        command = f"cudasem report {Path(log.path).name} --only 'AREA.*'"
        said.append(
            f"{plural(listed_alone, 'case')} {have} one line each: "
            f"`{command}` writes a page on which they unfold."
        )
    return " ".join(said)


def choose_beside(log: Log, recorded: Iterable[Log]) -> list[Log]:
    """The newest recorded run for each set of GPUs: of the release that `log` is about where there is one."""
    with_gpu = [other for other in recorded if other.machine.gpus and other.executed]
    same_release = [other for other in with_gpu if other.subject.release == log.subject.release]
    newest: dict[str, Log] = {}
    for other in sorted(same_release or with_gpu, key=lambda each: each.run.utc):
        newest[gpus_word(other.machine.gpus)] = other
    return sorted(newest.values(), key=lambda each: each.run.utc, reverse=True)


def label_beside(other: Log) -> str:
    return (
        f"Recorded run: not from this machine, {other.run.date}, "
        f"{gpus_word(other.machine.gpus)}, torch {other.subject.torch}"
    )
