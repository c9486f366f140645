"""The commands about the corpus as a whole, over recorded runs: `cudasem export` and its like."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cudasem_reports import claims, coverage, export, handbook, history
from cudasem_reports.columns import Column, columns
from cudasem_reports.read import load
from cudasem_reports.render import FORMATS, write_pages

RECORDED = export.TREE / "reports" / "recorded"
PYTHON = export.TREE / "reports" / "handbook" / "python"
CLAIMS = export.TREE / "expected" / "claims"


def add_to(commands: Any) -> None:
    """Puts these commands beside the others of `cudasem`."""
    one = commands.add_parser(
        "export",
        help="a case as a program that stands alone, for a bug report",
        prog="cudasem export",
        description="Writes one .cpp and one CMakeLists.txt without any header of this suite.",
    )
    one.add_argument("case", metavar="CASE", nargs="*", help="area.name; several go into a folder each")
    one.add_argument("--all", action="store_true", help="every misuse")
    one.add_argument(
        "--cases",
        metavar="DIR",
        type=Path,
        default=export.TREE / "cases",
        help="default: cases/ of the source tree",
    )
    one.add_argument(
        "--out", metavar="DIR", type=Path, help="default: a folder here that is named after the case"
    )
    _add_logs(one)

    book = commands.add_parser(
        "handbook",
        help='"Don\'t do this": a page for each misuse, an index of error texts',
        prog="cudasem handbook",
        description="Writes a static site and one Markdown file, from recorded runs.",
    )
    _add_logs(book)
    book.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("handbook"), help="default: handbook/ here"
    )
    book.add_argument("--format", dest="formats", choices=FORMATS, action="append", help="default: both")

    covered = commands.add_parser(
        "coverage",
        help="documented statements and the cases that show each; what documents leave open",
        prog="cudasem coverage",
    )
    _add_logs(covered)
    covered.add_argument("--out", metavar="DIR", type=Path, default=Path(), help="default: here")

    trend = commands.add_parser(
        "history",
        help="a folder of logs: a strip for each case, the first run of every change, run times, flakes",
        prog="cudasem history",
    )
    trend.add_argument(
        "folder", metavar="FOLDER", type=Path, help="of nightly logs; searched with all below it"
    )
    trend.add_argument("--out", metavar="DIR", type=Path, default=Path(), help="default: here")


def _add_logs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--logs", metavar="LOG", type=Path, nargs="+", help="event logs (default: those of reports/recorded)"
    )


def recorded(named: Sequence[Path] | None) -> tuple[Column, ...]:
    """The runs named, or the recorded ones, oldest release first. Raises LogError."""
    paths = named if named is not None else sorted(RECORDED.glob("*.ndjson.gz"))
    return columns([load(path) for path in paths])[0]


def _export(options: argparse.Namespace) -> int:
    wanted = [export.find(options.cases, name) for name in options.case]
    if options.all:
        wanted += [case for case in export.all_cases(options.cases) if case.kind == "MISUSE"]
    if not wanted:
        raise export.ExportError("expected CASE or --all, found neither; `cudasem list` names the cases")
    runs = recorded(options.logs)
    for case in wanted:
        folder = options.out or Path(case.id)
        if options.out and len(wanted) > 1:
            folder = options.out / case.id
        for path in export.write(folder, export.program(options.cases, case, runs)):
            print(f"wrote {path}")
    return 0


def _handbook(options: argparse.Namespace) -> int:
    statements = claims.by_id(claims.read(CLAIMS))
    book = handbook.view(recorded(options.logs), statements, PYTHON)
    for path in handbook.write(options.out, book, options.formats or FORMATS):
        print(f"wrote {path}")
    print(f"{len(book.pages)} misuses, {len(book.index)} error texts")
    return 0


def _coverage(options: argparse.Namespace) -> int:
    found = coverage.view(recorded(options.logs), claims.read(CLAIMS))
    paths = write_pages(
        options.out, f"coverage-{found.date or 'undated'}", "coverage", FORMATS, coverage=found
    )
    print(found.headline)
    for path in paths:
        print(f"wrote {path}")
    return 0


def _history(options: argparse.Namespace) -> int:
    found = history.view(*history.read_folder(options.folder))
    stem = f"history-{found.date or 'undated'}"
    paths = write_pages(options.out, stem, "history", FORMATS, history=found, glyphs=history.GLYPHS)
    print(found.headline)
    for note in found.notes:
        print(f"  {note}")
    for path in paths:
        print(f"wrote {path}")
    return 0


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "export": _export,
    "handbook": _handbook,
    "coverage": _coverage,
    "history": _history,
}
