"""What was observed against what was expected, row by row."""

from __future__ import annotations

from dataclasses import dataclass

from cudasem_reports.model import Expected, Observed, Result
from cudasem_reports.wording import (
    cut,
    deciding_effect,
    effect_line,
    further_effects,
    one_expected_line,
    value_word,
)


@dataclass(frozen=True)
class Row:
    label: str
    observed: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    differs: bool = False  # plainly another value, in a result that the runner found not as expected
    verbatim: bool = False  # an error text or the like: worth copying


def rows(result: Result) -> tuple[Row, ...]:
    """The rows that either side has something to say in."""
    expectation = result.plan.expectation
    only = expectation.allowed[0] if expectation and len(expectation.allowed) == 1 else None
    found = [_outcome_row(result, only), *_effect_rows(result.observed, only)]
    found += _fact_rows(result)
    if result.observed.warnings or (expectation and expectation.warning):
        found.append(
            Row(
                "warnings",
                tuple(map(cut, result.observed.warnings)),
                _pattern(expectation.warning if expectation else ""),
            )
        )
    judged_well = result.verdict in ("as_expected", "skipped", "missing")
    return tuple(
        Row(row.label, row.observed, row.expected, row.differs and not judged_well, row.verbatim)
        for row in found
        if row.observed or row.expected
    )


def _outcome_row(result: Result, only: Expected | None) -> Row:
    observed = _detailed(result.observed.outcome, result.observed.detail)
    expectation = result.plan.expectation
    if expectation is None:
        return Row("outcome", (observed,), ("no entry in expected/",))
    if only is None:
        return Row(
            "outcome", (observed,), tuple(f"or {one_expected_line(each)}" for each in expectation.allowed)
        )
    return Row(
        "outcome", (observed,), (_detailed(only.outcome, only.detail),), result.outcome != only.outcome
    )


def _effect_rows(observed: Observed, only: Expected | None) -> list[Row]:
    effect = deciding_effect(observed)
    wanted = only or Expected("")
    plain = [
        ("at", effect.at, wanted.at),
        ("CUDA error", _number(effect.code), _number(wanted.code)),
        ("signal", observed.signal, wanted.signal),
        ("exit status", _number(observed.deadly_exit), _number(wanted.exit)),
        ("class", effect.memory_class, wanted.memory_class),
        ("right value", effect.want, wanted.want),
        ("value found", effect.got, wanted.got),
    ]
    found = [
        Row(label, _some(seen), _some(want), bool(want) and want not in (seen, "any"))
        for label, seen, want in plain
    ]
    found.insert(1, Row("type", _some(effect.type), _pattern(wanted.type)))
    text = effect.normalised or observed.text
    found.append(Row("text", _some(cut(text)), _pattern(wanted.text), verbatim=True))
    later = tuple(_with_text(effect_line(each), cut(each.normalised)) for each in further_effects(observed))
    then = tuple(_with_text(effect_line(each), each.text and f"/{each.text}/") for each in wanted.then)
    found.append(Row("further effects", later, then, only is not None and len(later) != len(then)))
    return found


def _fact_rows(result: Result) -> list[Row]:
    expected = result.plan.expectation.facts if result.plan.expectation else {}
    facts = result.observed.facts
    names = [*facts, *(name for name in expected if name not in facts)]
    return [
        Row(
            f"fact {name}",
            (value_word(facts[name]),) if name in facts else ("not recorded",),
            (value_word(expected[name]),) if name in expected else (),
            name in expected and not _fits(facts.get(name), expected[name]),
        )
        for name in names
    ]


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, dict):
        within = isinstance(value, int | float) and not isinstance(value, bool)
        return within and all(
            value >= limit if bound == "min" else value <= limit for bound, limit in wanted.items()
        )
    return value == wanted


def _detailed(outcome: str, detail: str) -> str:
    return f"{outcome} ({detail.replace('_', ' ')})" if detail else outcome


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _some(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _pattern(text: str) -> tuple[str, ...]:
    return (f"/{text}/",) if text else ()


def _with_text(line: str, text: str) -> str:
    return f"{line}: {text}" if text else line
