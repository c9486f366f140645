"""The report of one run: its headline, what did not run, and every result, worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cudasem_reports import comparison, pools
from cudasem_reports.listing import Line, mark_ways
from cudasem_reports.model import VERDICTS, Log, Plan, Result
from cudasem_reports.wording import (
    VERDICT_SECTION,
    count_verdict,
    duration_word,
    expected_line,
    gpus_word,
    listed,
    observed_line,
    plural,
    shortened,
)

GOOD, BAD, UNSURE = "good", "bad", "unsure"


@dataclass(frozen=True)
class Headline:
    text: str
    tone: str  # good, bad, unsure
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class WayView:
    result: Result
    observed: str
    expected: str
    rows: tuple[comparison.Row, ...]
    reproduce: str
    debug: str

    @property
    def instead(self) -> str:
        """What a one-line summary adds to the outcome: what was expected, or why there is no result."""
        verdict, judged = self.result.verdict, self.result.judged
        if verdict == "flaky" and judged.n:
            return f"{judged.k} of {judged.n} attempts as expected"
        if self.result.outcome in ("skip", "missing"):
            text = shortened(self.result.observed.text)
            return text or ("" if self.result.observed.detail else judged.reason)
        if verdict == "as_expected" or self.observed == self.expected:
            return ""
        return f"expected {self.expected}"


@dataclass(frozen=True)
class CaseView:
    """One case in one profile: both ways of a misuse together, under the worse verdict of the two."""

    anchor: str
    plan: Plan
    verdict: str
    ways: tuple[WayView, ...]
    lines: tuple[Line, ...]

    @property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way.result.outcome for way in self.ways))

    @property
    def verdicts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way.result.verdict for way in self.ways))

    @property
    def has_marks(self) -> bool:
        return any(line.way for line in self.lines)


@dataclass(frozen=True)
class Section:
    verdict: str
    title: str
    meaning: str
    cases: tuple[CaseView, ...]


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
    study: pools.Study | None = None  # of memory-pool boundaries, where the run has rows of it
    label: str = ""  # of a recorded run that is shown beside

    @property
    def cases(self) -> tuple[CaseView, ...]:
        return tuple(case for section in self.sections for case in section.cases)


def view(log: Log, prefix: str = "", label: str = "") -> RunView:
    """`prefix` keeps the anchors of several runs on one page apart."""
    return RunView(
        log=log,
        headline=headline(log),
        tallies=tuple((verdict, log.count(verdict)) for verdict in VERDICTS if log.count(verdict)),
        facts=tuple((name, value) for name, value in _facts(log) if value),
        more_facts=tuple((name, value) for name, value in _more_facts(log) if value),
        banners=tuple(banners(log)),
        sections=tuple(_sections(log, prefix)),
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
    return Headline(text + (f", {skipped} skipped" if skipped else ""), GOOD, notes)


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


def _sections(log: Log, prefix: str) -> Iterable[Section]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in log.results:
        groups.setdefault((result.plan.case, result.plan.profile), []).append(result)
    cases = [case_view(log, results, prefix) for results in groups.values()]
    for verdict in (*(each for each in VERDICTS if each != "skipped"), "skipped"):  # what ran comes first
        found = tuple(case for case in cases if case.verdict == verdict)
        if found:
            title, meaning = VERDICT_SECTION[verdict]
            yield Section(verdict, title, meaning, found)


def case_view(log: Log, results: list[Result], prefix: str = "") -> CaseView:
    results = sorted(results, key=lambda result: result.plan.way != "wrong")
    plan = results[0].plan
    profile = "" if plan.profile == "native" else f"@{plan.profile}"
    return CaseView(
        anchor=f"{prefix}{plan.case}{profile}",
        plan=plan,
        verdict=min((result.verdict for result in results), key=VERDICTS.index),
        ways=tuple(_way_view(result) for result in results),
        lines=mark_ways(plan.source)
        if plan.kind == "misuse"
        else tuple(map(Line, plan.source.rstrip().split("\n"))),
    )


def _way_view(result: Result) -> WayView:
    plan = result.plan
    profile = "" if plan.profile == "native" else f" --profile {plan.profile}"
    compiled = not plan.id.endswith(".*")
    return WayView(
        result=result,
        observed=observed_line(result.observed),
        expected=expected_line(plan.expectation),
        rows=comparison.rows(result),
        reproduce=f"cudasem run '{plan.id}'{profile}" if compiled else "",
        debug=f"cudasem_{plan.area} --gtest_filter='{plan.id}'" if compiled else "",
    )


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
