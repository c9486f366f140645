"""The pool-boundary study: its answer first, then what was measured, in the order in which it was."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudasem_reports.columns import Column, columns, newest_date
from cudasem_reports.listing import Line, mark_ways
from cudasem_reports.model import Log, Plan
from cudasem_reports.pool_answer import (
    NOT_SHOWN,
    QUESTION,
    YES,
    Answer,
    answers,
    overall,
    sentences,
)
from cudasem_reports.pool_repeat import Repeat, repeat
from cudasem_reports.pool_rows import (
    EAGER,
    FIXED_COLUMNS,
    NOTHING,
    ONE_GRAPH,
    SHARED,
    SPLIT,
    UNSTABLE_SPREAD,
    VARIANTS,
    PoolRow,
    all_columns,
    floats_word,
    holds_rows,
    milliseconds,
    pool_rows,
    yes_no,
)
from cudasem_reports.wording import gpus_word, listed, plural, shortened

LIMITS = (
    "other workloads than the sections measured here, which hold no matrix product, library workspace "
    "or communication",
    "torch.compile and use_mem_pool, longer warm-ups, TunableOp and pinned memory, which were kept out",
    "several GPUs or several processes at once, and other work on the GPU meanwhile",
    "the time of a whole step: a time here is that of replaying one pass, on the GPU",
)


@dataclass(frozen=True)
class Cell:
    text: str
    tone: str = ""  # yes, no, doubtful, or nothing
    more: str = ""


@dataclass(frozen=True)
class Table:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Misuse:
    """The one deliberate failure."""

    row: PoolRow
    symptom: str
    elsewhere: tuple[str, ...]

    @property
    def plan(self) -> Plan:
        return self.row.result.plan

    @property
    def anchor(self) -> str:
        """As the report of a run names the case."""
        return self.plan.case if self.plan.profile == "native" else f"{self.plan.case}@{self.plan.profile}"

    @property
    def lines(self) -> tuple[Line, ...]:
        source = self.plan.source.rstrip("\n")
        return mark_ways(source) if self.plan.kind == "misuse" else tuple(map(Line, source.split("\n")))


@dataclass(frozen=True)
class Study:
    columns: tuple[Column, ...]
    rows: tuple[PoolRow, ...]
    answers: tuple[Answer, ...]
    sentences: tuple[str, str]
    word: str  # yes, no, not shown, it depends
    answer_table: Table | None
    not_shown: tuple[str, ...]
    headline_rows: tuple[PoolRow, ...]
    capture: Table | None
    lifetime: Table | None
    misuse: Misuse | None
    timing: tuple[Table, ...]
    limit: Table | None
    notes: tuple[str, ...]
    date: str
    repeat: Repeat | None = None
    question: str = QUESTION
    fixed_columns: tuple[str, ...] = FIXED_COLUMNS

    @property
    def stability(self) -> str:
        """How many times are unstable; empty where nothing was timed."""
        timed = [row for row in self.rows if row.unstable is not None]
        if not timed:
            return ""
        unstable = sum(bool(row.unstable) for row in timed)
        return (
            f"{unstable} of {plural(len(timed), 'timed row')} ({unstable / len(timed):.0%}) unstable: "
            f"p10 to p90 is wider than {UNSTABLE_SPREAD:.0%} of the median"
        )

    @property
    def tone(self) -> str:
        return {"yes": "good", "no": "bad"}.get(self.word, "unsure")


def study(logs: Iterable[Log], measured_again: Iterable[Log] = ()) -> Study:
    """Of several runs of one setting the newest with rows stands. `measured_again`: other runs of the same
    settings, only compared with these. Raises LogError.
    """
    logs = list(logs)
    with_rows = [log for log in logs if any(map(holds_rows, log.results))]
    found, notes = columns(with_rows)
    found = tuple(column for column in found if any(map(holds_rows, column.results.values())))
    without = len(logs) - len(with_rows)
    if without:
        notes = (
            *notes,
            f"Left out: {plural(without, 'log')} without a row of this study.",
        )
    rows = pool_rows(found)
    answered = answers(found, rows)
    return Study(
        columns=found,
        rows=rows,
        answers=answered,
        sentences=sentences(answered),
        word=overall(answered) if answered else NOT_SHOWN,
        answer_table=_answer_table(found, answered),
        not_shown=tuple(_not_shown(found, answered)),
        headline_rows=tuple(_headline_rows(found, rows)),
        capture=_capture(found, rows),
        lifetime=_listed_stage("Lifetime", rows, "lifetime"),
        misuse=_misuse(rows),
        timing=tuple(_timing(found, rows)),
        limit=_listed_stage("Limits", rows, "limit"),
        notes=notes,
        date=newest_date(found or columns(logs)[0]),
        repeat=_repeat(rows, list(measured_again)),
    )


def _repeat(rows: Sequence[PoolRow], measured_again: Sequence[Log]) -> Repeat | None:
    return repeat(rows, pool_rows(columns(measured_again)[0])) if measured_again else None


def of_run(log: Log) -> Study | None:
    """The study of one run, for its report; None where the run has no such rows."""
    return study([log]) if any(map(holds_rows, log.results)) else None


def write_csv(folder: Path, stem: str, found: Study) -> list[Path]:
    """All rows in the fixed columns, and all rows with all cells. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    every = all_columns(found.rows)
    tables: list[tuple[Path, Sequence[str], list[list[str]]]] = [
        (folder / f"{stem}.csv", FIXED_COLUMNS, [list(row.fixed) for row in found.rows]),
        (
            folder / f"{stem}-all.csv",
            every,
            [[row.everything.get(name, "") for name in every] for row in found.rows],
        ),
    ]
    for path, heads, lines in tables:
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(heads)
            writer.writerows(lines)
    return [path for path, _, _ in tables]


def answer_lines(found: Study) -> Iterable[str]:
    """`torch 2.14.1, 8 sections of 1,024 floats: yes, 0.098 → 0.041 ms (2.39×)`"""
    for answer in found.answers:
        what = ", ".join(part for part in (answer.word, answer.reason, answer.figures) if part)
        yield f"torch {answer.column.name}, {answer.size}: {what}"


def _answer_table(found: Sequence[Column], answered: Sequence[Answer]) -> Table | None:
    sizes = list(dict.fromkeys(answer.size for answer in answered))
    if not sizes:
        return None
    by_place = {(answer.column.name, answer.size): answer for answer in answered}
    rows = []
    for size in sizes:
        cells = [_answer_cell(by_place[column.name, size]) for column in found]
        rows.append((Cell(str(size)), *cells))
    return Table("By release and size", ("size", *(f"torch {column.name}" for column in found)), tuple(rows))


def _answer_cell(answer: Answer) -> Cell:
    tone = {YES: "yes", NOT_SHOWN: ""}.get(answer.word, "no")
    return Cell(
        answer.word, tone, "; ".join(part for part in (answer.reason, answer.figures, answer.detail) if part)
    )


def _not_shown(found: Sequence[Column], answered: Sequence[Answer]) -> Iterable[str]:
    yield from LIMITS
    gpus = dict.fromkeys(gpus_word(column.log.machine.gpus) for column in found)
    if gpus:
        yield f"other GPUs than {listed(gpus)}"
        yield f"other releases than torch {listed(dict.fromkeys(column.label for column in found))}"
    open_sizes = sum(answer.word == NOT_SHOWN for answer in answered)
    if open_sizes:
        yield f"{open_sizes} of the {plural(len(answered), 'pair')} of release and size above"


def _headline_rows(found: Sequence[Column], rows: Sequence[PoolRow]) -> Iterable[PoolRow]:
    """For each release, at the largest number of sections that its baseline was timed at: the baseline,
    one graph, the best attempt at a shared pool and those refused; then the one deliberate failure.
    """
    for column in found:
        mine = [row for row in rows if row.column is column]
        baseline = _headline_baseline(mine)
        if baseline is None:
            candidates = mine
        else:
            yield baseline
            candidates = [row for row in mine if row.size == baseline.size]
        one = _attempts(candidates, (ONE_GRAPH,)) or _attempts(mine, (ONE_GRAPH,))
        shared = _attempts(candidates, SHARED) or _attempts(mine, SHARED)
        yield from one[:1]
        yield from shared[:1]
        yield from (row for row in shared[1:] if row.captured is False)
    misuse = _misuse(rows)
    if misuse:
        yield misuse.row


def _headline_baseline(mine: Sequence[PoolRow]) -> PoolRow | None:
    split = [row for row in mine if row.variant == SPLIT and row.stage in ("timing", "capture")]
    best = sorted(
        split, key=lambda row: (row.stage == "timing", row.sound, row.warmed is True, row.sections or 0)
    )
    largest = [row for row in best if row.sections == best[-1].sections and row.stage == best[-1].stage]
    warmed = [row for row in largest if row.warmed is best[-1].warmed]
    return min(warmed, key=lambda row: row.floats or 0) if warmed else None


def _attempts(rows: Sequence[PoolRow], variants: Sequence[str]) -> list[PoolRow]:
    """One row a variant, warmed: its time, or else its capture; sound times first and the fastest of them."""
    picked = []
    for variant in variants:
        tried = [
            row
            for row in rows
            if row.variant == variant and row.stage in ("timing", "capture") and row.warmed is not False
        ]
        refused = [row for row in tried if row.captured is False]
        timed = [row for row in tried if row.stage == "timing"]
        picked += (refused or timed or tried)[:1]
    return sorted(picked, key=lambda row: (not row.sound, row.captured is False, row.median_ms or 0))


def _capture(found: Sequence[Column], rows: Sequence[PoolRow]) -> Table | None:
    """Does it capture, over all sizes: variants against releases, after a warm-up and without one."""
    stage = [row for row in rows if row.stage == "capture"]
    kinds = list(dict.fromkeys((row.variant, row.warmth) for row in stage))
    kinds.sort(
        key=lambda kind: (
            VARIANTS.index(kind[0]) if kind[0] in VARIANTS else len(VARIANTS),
            kind[1] != "warmed",
        )
    )
    lines = []
    for variant, warmth in kinds:
        mine = [row for row in stage if (row.variant, row.warmth) == (variant, warmth)]
        cells = [_capture_cell([row for row in mine if row.column is column]) for column in found]
        lines.append((Cell(variant, more=warmth), *cells))
    heads = ("variant", *(f"torch {column.name}" for column in found))
    return Table("Capture success", heads, tuple(lines)) if lines else None


def _capture_cell(rows: Sequence[PoolRow]) -> Cell:
    if not rows:
        return Cell(NOTHING)
    good = [row for row in rows if row.captured]
    refused = [row for row in rows if row.captured is False]
    doubts = [doubt for row in good for doubt in row.doubts]
    more = "; ".join(
        dict.fromkeys([*(shortened(row.refusal, 120) for row in refused if row.refusal), *doubts])
    )
    if refused:
        return Cell(f"refused {len(refused)} of {len(rows)}", "no", more)
    if len(good) < len(rows):
        return Cell(f"captured {len(good)} of {len(rows)}, the rest not said", "doubtful", more)
    return Cell(f"captured {len(good)} of {len(rows)}", "doubtful" if doubts else "yes", more)


def _listed_stage(title: str, rows: Sequence[PoolRow], stage: str) -> Table | None:
    mine = [row for row in rows if row.stage == stage]
    columns_: list[tuple[str, Callable[[PoolRow], Cell]]] = [
        ("torch", lambda row: Cell(row.column.name)),
        ("variant", lambda row: Cell(row.variant, more=row.warmth)),
        ("pools", lambda row: Cell(NOTHING if row.pools is None else str(row.pools))),
        ("retained", lambda row: Cell(yes_no(row.retained))),
        ("captured", lambda row: _flag(row.captured)),
        ("values equal", lambda row: _flag(row.values_equal)),
        ("reserved / peak", lambda row: Cell(_memory(row))),
        ("error", lambda row: Cell(row.refusal or NOTHING)),
        ("note", lambda row: Cell(", ".join([*([row.note] if row.note else []), *row.doubts]) or NOTHING)),
    ]
    lines = [tuple(cell(row) for _, cell in columns_) for row in mine]
    kept = [n for n in range(len(columns_)) if n < 2 or any(line[n].text != NOTHING for line in lines)]
    heads = tuple(columns_[n][0] for n in kept)
    return Table(title, heads, tuple(tuple(line[n] for n in kept) for line in lines)) if lines else None


def _flag(value: bool | None) -> Cell:
    return Cell(yes_no(value), {True: "yes", False: "no", None: ""}[value])


def _memory(row: PoolRow) -> str:
    sides = [NOTHING if value is None else f"{value:g}" for value in (row.reserved_mib, row.peak_mib)]
    return NOTHING if sides == [NOTHING, NOTHING] else f"{sides[0]} / {sides[1]} MiB"


def _misuse(rows: Sequence[PoolRow]) -> Misuse | None:
    """The row of the newest release; what the others showed in a few words."""
    order = [row for row in rows if row.stage == "order"]
    if not order:
        return None
    shown = order[-1]
    others = {row.column.name: _symptom(row) for row in order if row.column is not shown.column}
    by_symptom: dict[str, list[str]] = {}
    for name, symptom in others.items():
        by_symptom.setdefault(symptom, []).append(name)
    elsewhere = tuple(
        f"torch {listed(names)}: {'the same' if symptom == _symptom(shown) else symptom}"
        for symptom, names in by_symptom.items()
    )
    return Misuse(shown, _symptom(shown), elsewhere)


def _symptom(row: PoolRow) -> str:
    if row.refusal:
        return row.refusal
    if row.values_equal is False:
        return "no error at all: the output holds other values than eager's"
    if row.values_equal:
        return "nothing showed: the values were equal this time"
    return "nothing was recorded"


def _timing(found: Sequence[Column], rows: Sequence[PoolRow]) -> Iterable[Table]:
    """Warmed medians, a table for each release and size of a buffer: variants against sections."""
    timed = [row for row in rows if row.stage == "timing" and row.warmed is not False]
    for column in found:
        mine = [row for row in timed if row.column is column]
        for floats in sorted({row.floats for row in mine}, key=lambda each: each or 0):
            part = [row for row in mine if row.floats == floats]
            counts = sorted({row.sections for row in part}, key=lambda each: each or 0)
            title = ", ".join(word for word in (f"torch {column.name}", floats_word(floats)) if word)
            lines = []
            for variant in dict.fromkeys(row.variant for row in part):
                by_count = {row.sections: row for row in part if row.variant == variant}
                split = {row.sections: row for row in part if row.variant == SPLIT}
                cells = [_time_cell(by_count.get(count), split.get(count)) for count in counts]
                lines.append((Cell(variant), *cells))
            heads = ("variant", *(f"K = {NOTHING if count is None else count}" for count in counts))
            yield Table(title, heads, tuple(lines))


def _time_cell(row: PoolRow | None, split: PoolRow | None) -> Cell:
    if row is None:
        return Cell(NOTHING)
    if row.captured is False and row.variant != EAGER:
        return Cell("refused", "no", shortened(row.refusal, 80))
    if row.median_ms is None:
        return Cell(NOTHING, more=", ".join(row.doubts))
    spread = "" if row.spread_ms is None else f"{milliseconds(row.p10_ms)} to {milliseconds(row.p90_ms)}"
    if not row.sound:
        why = (
            ", ".join(row.doubts)
            or "replayed in another order" * (row.order_kept is False)
            or "capture not recorded"
        )
        return Cell(milliseconds(row.median_ms), "doubtful", why)
    times = ""
    if split and split.sound and split.variant != row.variant and split.median_ms and row.median_ms:
        times = f"{split.median_ms / row.median_ms:.2f}× as fast"
    parts = (times, spread, "unstable" if row.unstable else "")
    return Cell(milliseconds(row.median_ms), "", ", ".join(part for part in parts if part))
