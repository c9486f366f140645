"""What the filter of a page offers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cudasem_reports.model import Plan


class Filtered(Protocol):
    """What the filter can find: a case, an entry of a difference, a row of a matrix."""

    @property
    def plan(self) -> Plan: ...
    @property
    def outcomes(self) -> tuple[str, ...]: ...
    @property
    def verdicts(self) -> tuple[str, ...]: ...


Item = TypeVar("Item", bound=Filtered)


@dataclass(frozen=True)
class Choices:
    areas: tuple[str, ...]
    kinds: tuple[str, ...]
    outcomes: tuple[str, ...]
    verdicts: tuple[str, ...]


def choices(items: Iterable[Filtered]) -> Choices:
    """Areas and kinds in the alphabet's order, outcomes and verdicts in that of the page."""
    items = list(items)
    return Choices(
        areas=tuple(sorted({item.plan.area for item in items})),
        kinds=tuple(sorted({item.plan.kind for item in items})),
        outcomes=tuple(dict.fromkeys(word for item in items for word in item.outcomes)),
        verdicts=tuple(dict.fromkeys(word for item in items for word in item.verdicts)),
    )


@dataclass(frozen=True)
class Alike(Generic[Item]):
    """Items that the filter cannot tell apart but by outcome and text."""

    area: str
    kind: str
    verdicts: tuple[str, ...]
    items: tuple[Item, ...]


def alike(items: Iterable[Item]) -> list[Alike[Item]]:
    """In the order of their first items."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Item]] = {}
    for item in items:
        groups.setdefault((item.plan.area, item.plan.kind, item.verdicts), []).append(item)
    return [Alike(*key, tuple(found)) for key, found in groups.items()]
