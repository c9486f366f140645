"""What is covered: documented statements, topics and rules, with the cases that show each; open questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cudasem_reports.claims import Claim, Subject
from cudasem_reports.columns import Column
from cudasem_reports.handbook import Seen, seen
from cudasem_reports.model import KINDS, Plan, Result
from cudasem_reports.wording import VERDICT_WORD

TOPICS = (  # of the CUDA semantics note, and of the notes on memory pools and graphs
    ("Selecting a device", ("device_selection",)),
    ("Operations across devices", ("cross_device",)),
    ("Asynchronous execution and streams", ("streams",)),
    ("Backward passes and streams", ("autograd_streams",)),
    ("new_* and the factories", ("factories",)),
    ("Pinned memory and copies", ("copies",)),
    ("Captures and replays", ("capture", "replay")),
    ("Graphed callables", ("graphed_callables",)),
    ("Memory pools and pools that graphs share", ("mem_pool", "shared_pool", "measure")),
    ("The caching allocator", ("allocator",)),
    ("Random numbers", ("random",)),
    ("Errors", ("errors",)),
)
REACH = {"two_gpus": "needs two GPUs", "python": "Python alone", "advice": "advice: nothing to observe"}
SHOWN, NOT_SHOWN, OUT_OF_REACH = "shown", "not shown", "out of reach"


@dataclass(frozen=True)
class CaseState:
    plan: Plan
    state: str  # `as expected`, `skipped`, `documented promise broken` … on the newest release that has it
    release: str
    ran: bool


@dataclass(frozen=True)
class ClaimRow:
    claim: Claim
    state: str  # SHOWN, NOT_SHOWN, OUT_OF_REACH
    why: str
    cases: tuple[CaseState, ...]


@dataclass(frozen=True)
class SubjectView:
    subject: Subject
    rows: tuple[ClaimRow, ...]

    def count(self, state: str) -> int:
        return sum(row.state == state for row in self.rows)


@dataclass(frozen=True)
class Topic:
    name: str
    areas: tuple[str, ...]
    kinds: tuple[int, ...]  # how many cases of each of KINDS
    ran: int


@dataclass(frozen=True)
class Told:
    """A rule, or a question on which documents are silent or disagree, with what was observed."""

    plan: Plan
    claims: tuple[Claim, ...]
    seen: tuple[Seen, ...]


@dataclass(frozen=True)
class Coverage:
    subjects: tuple[SubjectView, ...]
    topics: tuple[Topic, ...]
    questions: tuple[Told, ...]
    rules: tuple[Told, ...]
    releases: tuple[str, ...]
    date: str

    @property
    def kinds(self) -> tuple[str, ...]:
        return KINDS

    def count(self, state: str) -> int:
        return sum(subject.count(state) for subject in self.subjects)

    @property
    def headline(self) -> str:
        total = sum(len(subject.rows) for subject in self.subjects)
        return f"{self.count(SHOWN)} of {total} documented statements are shown by a case that ran"


def view(columns: Sequence[Column], subjects: Sequence[Subject]) -> Coverage:
    newest: dict[str, tuple[str, Result]] = {}
    for column in columns:
        for result in column.results.values():
            if result.plan.way != "right":
                newest[result.plan.case] = (column.name, result)
    states = {case: _state(name, result) for case, (name, result) in sorted(newest.items())}
    citing: dict[str, list[CaseState]] = {}
    for state in states.values():
        for claim in state.plan.claims:
            citing.setdefault(claim, []).append(state)
    known = {claim.id: claim for subject in subjects for claim in subject.claims}

    def told(kind: str) -> tuple[Told, ...]:
        return tuple(
            Told(
                state.plan,
                tuple(known[claim] for claim in state.plan.claims if claim in known),
                tuple(seen(case, columns)),
            )
            for case, state in states.items()
            if state.plan.kind == kind
        )

    return Coverage(
        subjects=tuple(
            SubjectView(
                subject, tuple(_claim_row(claim, citing.get(claim.id, ())) for claim in subject.claims)
            )
            for subject in subjects
        ),
        topics=tuple(_topics(states.values())),
        questions=told("observe"),
        rules=told("rule"),
        releases=tuple(column.name for column in columns),
        date=max((column.log.run.date for column in columns), default=""),
    )


def _state(release: str, result: Result) -> CaseState:
    expectation = result.plan.expectation
    broken = expectation is not None and expectation.bug and result.verdict == "as_expected"
    word = "documented promise broken" if broken else VERDICT_WORD[result.verdict]
    return CaseState(result.plan, word, release, result.observed.ran)


def _claim_row(claim: Claim, cases: Sequence[CaseState]) -> ClaimRow:
    if any(case.ran for case in cases):
        return ClaimRow(claim, SHOWN, "", tuple(cases))
    if claim.reach in REACH:
        return ClaimRow(claim, OUT_OF_REACH, REACH[claim.reach], tuple(cases))
    why = "no recorded run has a case of it" if not cases else "its cases did not run on any recorded machine"
    return ClaimRow(claim, NOT_SHOWN, why, tuple(cases))


def _topics(states: Iterable[CaseState]) -> Iterable[Topic]:
    every = list(states)
    named = {area for _, areas in TOPICS for area in areas}
    others = tuple(sorted({state.plan.area for state in every} - named))
    for name, areas in (*TOPICS, ("Others", others)):
        of_it = [state for state in every if state.plan.area in areas]
        if of_it:
            kinds = tuple(sum(state.plan.kind == kind for state in of_it) for kind in KINDS)
            yield Topic(name, areas, kinds, sum(state.ran for state in of_it))
