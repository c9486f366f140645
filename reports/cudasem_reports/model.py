"""What an event log says, as plain frozen data. INTERPRETING.md section 8 describes each field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

SCHEMA = 1

VERDICTS = ("regression", "missing", "changed", "flaky", "improvement", "waived", "skipped", "as_expected")
"""From what to look at first to what nobody has to; `waived` takes the place of the verdict of what is."""
OUTCOMES = ("ok", "error", "corrupt", "fail", "crash", "hang", "skip", "missing")
KINDS = ("rule", "misuse", "observe", "measure")


@dataclass(frozen=True)
class Gpu:
    index: int
    name: str
    cc: str = ""
    memory_mib: int = 0
    ecc: bool = False
    mig: bool = False


@dataclass(frozen=True)
class Machine:
    os: str = ""
    driver: str = ""
    gpus: tuple[Gpu, ...] = ()
    error: str = ""  # why there are no GPUs


@dataclass(frozen=True)
class Subject:
    torch: str = ""
    git: str = ""
    cuda_build: str = ""
    cuda_runtime: str = ""
    compiler: str = ""
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def release(self) -> str:
        """`2.14.1` of `2.14.1+cu130`; a nightly keeps its date."""
        return self.torch.partition("+")[0]


@dataclass(frozen=True)
class Run:
    id: str
    utc: str  # ISO 8601
    profile: str = "native"
    tool: str = ""
    argv: tuple[str, ...] = ()
    seed: str = ""
    shard: str = ""
    expected_hash: str = ""
    judged_from: str = ""

    @property
    def date(self) -> str:
        """`2026-11-30`, or nothing where the log has no time."""
        return self.utc[:10]


@dataclass(frozen=True)
class Effect:
    """One thing that went otherwise than ok."""

    outcome: str
    at: str = ""
    type: str = ""
    code: int | None = None
    text: str = ""
    normalised: str = ""
    memory_class: str = ""
    want: str = ""
    got: str = ""
    setup: bool = False
    detail: str = ""


@dataclass(frozen=True)
class Expected:
    """One outcome that an expectation allows; its texts are patterns."""

    outcome: str
    at: str = ""
    type: str = ""
    code: int | None = None
    text: str = ""
    signal: str = ""
    exit: int | None = None
    want: str = ""
    got: str = ""
    detail: str = ""
    memory_class: str = ""
    then: tuple[Expected, ...] = ()


@dataclass(frozen=True)
class Expectation:
    allowed: tuple[Expected, ...]  # one, or several for `one_of`
    where: str = "default"
    facts: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""
    why: str = ""
    link: str = ""
    evidence: str = ""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    bug: bool = False
    review_by: str = ""

    @property
    def is_default(self) -> bool:
        return self.where == "default"


@dataclass(frozen=True)
class Plan:
    key: str
    id: str
    case: str
    way: str = ""
    profile: str = "native"
    hash: str = ""
    kind: str = "rule"
    title: str = ""
    claims: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    needs_gpus: int = 1
    needs_features: tuple[str, ...] = ()
    isolation: str = ""
    time_limit_s: float | None = None
    file: str = ""
    line: int = 0
    source: str = ""
    expectation: Expectation | None = None

    @property
    def area(self) -> str:
        return self.case.partition(".")[0]


@dataclass(frozen=True)
class TableRow:
    """A row that a measure case fills into a table. Never judged, never compared."""

    table: str
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Observed:
    """What one attempt showed. `missing` where the log has no end of it."""

    outcome: str
    detail: str = ""
    at: str = ""
    text: str = ""
    effects: tuple[Effect, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[TableRow, ...] = ()
    warnings: tuple[str, ...] = ()
    signal: str = ""
    exit: int | None = None
    ms: float | None = None
    stdout: str = ""
    stderr: str = ""
    dirt: tuple[str, ...] = ()  # what the case left that its process could not put back
    stacks: str = ""  # of all threads, before a hang was ended

    @property
    def ran(self) -> bool:
        return self.outcome not in ("skip", "missing")

    @property
    def deadly_exit(self) -> int | None:
        """The exit status that made a crash of it."""
        return self.exit if self.outcome == "crash" and not self.signal else None


@dataclass(frozen=True)
class Waiver:
    """Whose word it is that a result is known and lived with, and until when."""

    owner: str
    link: str
    expires: str


@dataclass(frozen=True)
class Judged:
    verdict: str
    reason: str = ""
    k: int | None = None
    n: int | None = None
    waived: Waiver | None = None

    @property
    def words(self) -> str:
        """The reason, and whose waiver holds where one does."""
        if not self.waived:
            return self.reason
        waiver = (
            f"{self.verdict}, waived until {self.waived.expires}: {self.waived.owner}, {self.waived.link}"
        )
        return f"{waiver}. {self.reason}" if self.reason else waiver


@dataclass(frozen=True)
class Attempt:
    """One run of a case among several; `how` says why it was made, where the log does."""

    outcome: str
    how: str = ""

    @property
    def words(self) -> str:
        return self.outcome if self.how in ("", "first", "repeat") else f"{self.outcome} ({self.how})"


@dataclass(frozen=True)
class Explained:
    """What an unexpected result showed once more, under conditions that tell more. Decides nothing."""

    how: str
    outcome: str
    text: str = ""
    output: str = ""


@dataclass(frozen=True)
class Result:
    """One planned id with what was observed and how the runner judged it."""

    plan: Plan
    observed: Observed  # of the last attempt
    judged: Judged
    attempts: tuple[Attempt, ...] = ()  # in order
    explained: tuple[Explained, ...] = ()

    @property
    def verdict(self) -> str:
        return "waived" if self.judged.waived else self.judged.verdict

    @property
    def outcome(self) -> str:
        return self.observed.outcome


@dataclass(frozen=True)
class GpuState:
    index: int
    state: str
    cause: str = ""


@dataclass(frozen=True)
class Log:
    """One run. `exit` is the run's own exit code, or None for a run that was killed."""

    path: str
    run: Run
    machine: Machine
    subject: Subject
    results: tuple[Result, ...]
    gpu_states: tuple[GpuState, ...] = ()
    finished: bool = False
    exit: int | None = None
    t_ms: float | None = None

    @cached_property
    def executed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.observed.ran)

    def count(self, verdict: str) -> int:
        return self._counts[verdict]

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(result.verdict for result in self.results)
