"""Cases against runs: what each release showed, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cudasem_reports.columns import Column, columns, newest_date
from cudasem_reports.model import Log, Observed, Plan, Result
from cudasem_reports.transition import essence, texts
from cudasem_reports.wording import (
    deciding_effect,
    effect_line,
    exit_word,
    further_effects,
    listed,
    observed_line,
    plural,
    shortened,
    value_word,
)

NOT_PLANNED = "–"


@dataclass(frozen=True)
class Cell:
    """What one run showed of one id; `outcome` is empty where it was not planned."""

    outcome: str
    text: str
    more: tuple[str, ...] = ()  # further effects, facts and texts in which the runs differ
    verdict: str = ""

    @property
    def tells_verdict(self) -> bool:
        """The verdict is worth a word beside the outcome."""
        return self.verdict not in ("", "as_expected", "skipped", self.outcome)


@dataclass(frozen=True)
class MatrixRow:
    plan: Plan
    cells: tuple[Cell, ...]
    differs: bool
    reasons: tuple[tuple[str, str], ...]  # columns, and why expected/ says that they show this

    @property
    def id(self) -> str:
        return self.plan.id

    @property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.outcome for cell in self.cells if cell.outcome))

    @property
    def verdicts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.verdict for cell in self.cells if cell.verdict))


@dataclass(frozen=True)
class MatrixView:
    columns: tuple[Column, ...]
    rows: tuple[MatrixRow, ...]  # those that are shown
    differing: int
    total: int
    shows_all: bool
    headline: str
    notes: tuple[str, ...]
    date: str


def view(logs: Iterable[Log], show_all: bool = False) -> MatrixView:
    """Rows of tables (`rows` of an `end`) are never compared: times differ in every run."""
    found, notes = columns(logs)
    rows = [_row(case_id, found) for case_id in _ids(found)]
    differing = [row for row in rows if row.differs]
    return MatrixView(
        columns=found,
        rows=tuple(rows if show_all else differing),
        differing=len(differing),
        total=len(rows),
        shows_all=show_all,
        headline=_headline(found, len(differing), len(rows)),
        notes=(*notes, *_notes(found, rows)),
        date=newest_date(found),
    )


def text_table(matrix: MatrixView) -> str:
    """The rows that differ, in aligned columns for a terminal."""
    lines = [["", *(column.name for column in matrix.columns)]]
    for row in matrix.rows:
        if row.differs:
            cells = [", ".join([cell.text, *cell.more]) for cell in row.cells]
            lines.append([row.id, *(shortened(cell, 48) for cell in cells)])
    if len(lines) == 1:
        return ""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def _headline(found: Sequence[Column], differing: int, total: int) -> str:
    releases = listed(dict.fromkeys(column.label for column in found))
    if len(found) < 2:
        return f"Nothing to compare: {plural(total, 'result')} of one run, torch {releases}"
    how_many = (
        f"{differing} of {plural(total, 'result')}" if differing else f"None of {plural(total, 'result')}"
    )
    return f"{how_many} differ{'' if differing > 1 else 's'} between torch {releases}"


def _notes(found: Sequence[Column], rows: Sequence[MatrixRow]) -> Iterable[str]:
    partly = sum(any(not cell.outcome for cell in row.cells) for row in rows)
    if partly:
        yield (
            f"{plural(partly, 'result')} {'was' if partly == 1 else 'were'} not planned in every run "
            f"({NOT_PLANNED}): compared where there is one."
        )
    rewritten = sorted({row.id for row in rows if len(_hashes(row.id, found)) > 1})
    if rewritten:
        yield f"Rewritten between the runs: {listed(rewritten)}. What differs may come from the case itself."
    drivers = {column.log.machine.driver or "none" for column in found}
    if len(drivers) > 1:
        yield f"The driver differs too: {listed(sorted(drivers))}."


def _hashes(case_id: str, found: Sequence[Column]) -> set[str]:
    return {column.results[case_id].plan.hash for column in found if case_id in column.results}


def _ids(found: Sequence[Column]) -> list[str]:
    """In the order of the newest release; an area that does not compile stands for its ids of other runs."""
    ids = dict.fromkeys(case_id for column in reversed(found) for case_id in column.results)
    areas = {case_id.partition(".")[0] for case_id in ids if not case_id.endswith(".*")}
    kept = [name for name in ids if not (name.endswith(".*") and name[:-2] in areas)]
    order = list(dict.fromkeys(name.partition(".")[0] for name in kept))
    return sorted(kept, key=lambda name: order.index(name.partition(".")[0]))


def _result(case_id: str, column: Column) -> Result | None:
    whole_area = f"{case_id.partition('.')[0]}.*"
    return column.results.get(case_id) or column.results.get(whole_area)


def _row(case_id: str, found: Sequence[Column]) -> MatrixRow:
    results = [_result(case_id, column) for column in found]
    there = [result for result in results if result]
    seen = [result.observed for result in there]
    facts = _differing_facts(seen)
    with_text = _texts_differ(seen)
    lines = _lines(seen)
    plan = next((r.plan for r in reversed(there) if r.plan.id == case_id), there[-1].plan)
    return MatrixRow(
        plan=plan,
        cells=tuple(
            _cell(result, lines[essence(result.observed)], facts, with_text)
            if result
            else Cell("", NOT_PLANNED)
            for result in results
        ),
        differs=len(set(map(essence, seen))) > 1 or bool(facts) or with_text,
        reasons=tuple(_reasons(found, results)),
    )


def _cell(result: Result, line: str, facts: Sequence[str], with_text: bool) -> Cell:
    observed = result.observed
    more = []
    if with_text:
        more += [f"“{shortened(text, 100)}”" for text in texts(observed) if text]
    if observed.ran:
        more += [f"{name} {_fact(observed, name)}" for name in facts]
    return Cell(
        observed.outcome,
        line,
        tuple(more),
        result.verdict,
    )


def _fact(observed: Observed, name: str) -> str:
    return value_word(observed.facts[name]) if name in observed.facts else "not recorded"


def _lines(seen: Sequence[Observed]) -> dict[tuple[object, ...], str]:
    """A line for each behaviour: short, and longer where two behaviours would read the same."""
    behaviours = {essence(observed): observed for observed in seen}
    for word in (brief, _with_further, _whole):
        lines = {key: word(observed) for key, observed in behaviours.items()}
        if len(set(lines.values())) == len(lines):
            break
    return lines


def brief(observed: Observed) -> str:
    """`error 900 at item`, `crash SIGABRT`, `corrupt 2≠20`, `skip (unsupported)`."""
    effect = deciding_effect(observed)
    if observed.outcome == "corrupt":
        return f"corrupt {effect.got}≠{effect.want}" if effect.got else "corrupt"
    if observed.outcome == "crash":
        return f"crash {observed.signal or exit_word(observed)}".rstrip()
    if observed.outcome == "error" and effect.code is None:
        return " ".join(word for word in ("error", effect.type, effect.at and f"at {effect.at}") if word)
    if observed.outcome == "fail":
        return "fail (setup)" if effect.setup else "fail"
    return observed_line(observed)


def _with_further(observed: Observed) -> str:
    return ", then ".join([brief(observed), *(effect_line(each) for each in further_effects(observed))])


def _whole(observed: Observed) -> str:
    later = (effect_line(each) for each in further_effects(observed))
    return ", then ".join([observed_line(observed), *later])


def _differing_facts(seen: Sequence[Observed]) -> list[str]:
    """Facts with several values; one that is not recorded counts beside the same outcome only."""
    ran = [observed for observed in seen if observed.ran]
    names = dict.fromkeys(name for observed in ran for name in observed.facts)
    return [name for name in names if _fact_differs(name, ran)]


def _fact_differs(name: str, ran: Sequence[Observed]) -> bool:
    having = [observed for observed in ran if name in observed.facts]
    values = {json.dumps(observed.facts[name], sort_keys=True) for observed in having}
    outcomes = {observed.outcome for observed in having}
    lacking = any(name not in observed.facts and observed.outcome in outcomes for observed in ran)
    return len(values) > 1 or lacking


def _texts_differ(seen: Sequence[Observed]) -> bool:
    """The same behaviour with another text. What a crash or hang printed is raw and not compared."""
    found: dict[tuple[object, ...], set[tuple[str, ...]]] = {}
    for observed in seen:
        found.setdefault(essence(observed), set()).add(texts(observed))
    return any(len(each) > 1 for each in found.values())


def _reasons(found: Sequence[Column], results: Sequence[Result | None]) -> Iterable[tuple[str, str]]:
    whys: dict[str, list[str]] = {}
    for column, result in zip(found, results, strict=True):
        entry = result.plan.expectation if result else None
        if entry and entry.why:
            whys.setdefault(entry.why, []).append(column.name)
    for why, names in whys.items():
        yield listed(names), why
