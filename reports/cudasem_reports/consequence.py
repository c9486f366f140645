"""What the flip of a case means for somebody whose code meets it: a sentence, before he has read the case."""

from __future__ import annotations

from cudasem_reports.model import Result
from cudasem_reports.transition import Change, Transition
from cudasem_reports.wording import observed_line


def consequence(change: Transition, old: Result | None, new: Result | None) -> str:
    """Why expected/ says that the new behaviour is right, where it does; else what follows from its kind."""
    if not new or change.change in _NOTHING_FOLLOWS:
        return ""
    entry = new.plan.expectation
    if change.change is Change.KNOWN and entry and entry.why:
        return entry.why
    sees = observed_line(new.observed)
    if change.change is Change.MISSING:
        return "Nothing is known about this on the new side: what the old side showed may hold or not."
    if new.plan.way == "wrong":
        return _of_a_mistake(change.change, new.observed.outcome, sees)
    return _of_a_promise(change.change, old, sees)


def _of_a_mistake(change: Change, outcome: str, sees: str) -> str:
    if change is Change.REGRESSION:
        return f"Code that makes this mistake is told less loudly: now {sees}. Look for it before upgrading."
    if outcome == "ok":
        return "This mistake shows nothing any more. That is luck or a new guarantee: no document says which."
    if change is Change.IMPROVEMENT:
        return f"Code that makes this mistake is now told: {sees}. Where it went unseen, it will stop."
    if change is Change.CHANGED:
        return f"Code that makes this mistake now sees {sees}; handlers for what it saw before do not apply."
    return f"Code that makes this mistake now sees {sees}."


def _of_a_promise(change: Change, old: Result | None, sees: str) -> str:
    if change is Change.REGRESSION:
        return f"Code that relies on this now sees {sees}."
    if change is Change.IMPROVEMENT:
        was = f" ({observed_line(old.observed)})" if old else ""
        return f"This holds now: a workaround for what it did before{was} can go."
    return f"Code that meets this now sees {sees}."


_NOTHING_FOLLOWS = (
    *(Change.SAME, Change.NEITHER, Change.NEW, Change.GONE),
    *(Change.FACTS, Change.ERROR_TEXT, Change.TIMING, Change.WARNINGS),  # the class says it all
)
