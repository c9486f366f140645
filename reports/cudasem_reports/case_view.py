"""One case as pages show it: its ways together, what each showed, and how to see it again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from cudasem_reports import comparison
from cudasem_reports.listing import Line, listing_of
from cudasem_reports.model import VERDICTS, Plan, Result
from cudasem_reports.wording import cut, expected_line, observed_line, shortened


@dataclass(frozen=True)
class WayView:
    result: Result

    @cached_property
    def observed(self) -> str:
        return observed_line(self.result.observed)

    @cached_property
    def expected(self) -> str:
        return expected_line(self.result.plan.expectation)

    @cached_property
    def rows(self) -> tuple[comparison.Row, ...]:
        return comparison.rows(self.result)

    @property
    def reproduce(self) -> str:
        plan = self.result.plan
        profile = "" if plan.profile == "native" else f" --profile {plan.profile}"
        return f"cudasem run '{plan.id}'{profile}" if self._compiled else ""

    @property
    def debug(self) -> str:
        plan = self.result.plan
        return f"cudasem_{plan.area} --gtest_filter='{plan.id}'" if self._compiled else ""

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

    @property
    def outputs(self) -> tuple[tuple[str, str], ...]:
        """What unfolds below a result: its name, and its text."""
        observed = self.result.observed
        again = [
            (f"Again with {each.how}: {each.outcome}", "\n".join(filter(None, (each.text, each.output))))
            for each in self.result.explained
        ]
        own = [("stdout", observed.stdout), ("stderr", observed.stderr), ("stacks", observed.stacks)]
        return tuple((name, cut(text)) for name, text in (*again, *own) if text)

    @property
    def _compiled(self) -> bool:
        return not self.result.plan.id.endswith(".*")


@dataclass(frozen=True)
class CaseView:
    """One case in one profile: both ways of a misuse together, under the worse verdict of the two."""

    anchor: str
    plan: Plan
    verdict: str
    ways: tuple[WayView, ...]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return listing_of(self.plan)

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way.result.outcome for way in self.ways))

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way.result.verdict for way in self.ways))

    @property
    def tells_why(self) -> bool:
        """Of a case without a result: it has a text, as the error of a compiler."""
        return any(way.result.observed.text or way.result.observed.stderr for way in self.ways)

    @property
    def has_marks(self) -> bool:
        return any(line.way for line in self.lines)


def case_view(results: Iterable[Result], prefix: str = "") -> CaseView:
    """`results` are those of one case in one profile; `prefix` keeps the anchors of several runs apart."""
    results = sorted(results, key=lambda result: result.plan.way != "wrong")
    plan = results[0].plan
    profile = "" if plan.profile == "native" else f"@{plan.profile}"
    return CaseView(
        anchor=f"{prefix}{plan.case}{profile}",
        plan=plan,
        verdict=min((result.verdict for result in results), key=VERDICTS.index),
        ways=tuple(map(WayView, results)),
    )
