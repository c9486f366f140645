"""The command line: what `cudasem report`, `diff`, `matrix` and `pools` start."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from cudasem_reports import corpus_commands, diff, export, matrix, new_case, pool_plot, pools, propose, report
from cudasem_reports.bisect import bisect as find_flip
from cudasem_reports.bisect import read_releases, run_with_ci
from cudasem_reports.model import Log
from cudasem_reports.read import LogError, load
from cudasem_reports.render import FORMATS, write_pages
from cudasem_reports.transition import Change
from cudasem_reports.wording import listed

OK, DIFFERS, CANNOT, USAGE = 0, 1, 2, 64


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see `{self.prog} --help`", file=sys.stderr)
        raise SystemExit(USAGE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code; one line on stderr says what is wrong."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command](options)
    except (LogError, diff.CannotCompareError, export.ExportError) as error:
        print(f"cudasem {options.command}: {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"cudasem {options.command}: {error.filename or options.out}: expected to write there, "
            f"found: {error.strerror}; choose another --out",
            file=sys.stderr,
        )
    return CANNOT


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="cudasem", description="Reports over event logs. They read logs and never judge.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    one = commands.add_parser("report", help="the dated report of one run", prog="cudasem report")
    one.add_argument("log", metavar="LOG", type=Path, help="event log, .ndjson or .ndjson.gz")
    one.add_argument(
        "--beside",
        metavar="RECORDED_LOG",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="recorded runs; the newest for each GPU is shown beside, labelled as not from this machine",
    )
    one.add_argument(
        "--only", metavar="GLOB", default="*", help="the cases that match, as 'capture.*' (default: all)"
    )

    two = commands.add_parser(
        "diff",
        help="may I upgrade? the difference between two runs",
        prog="cudasem diff",
        epilog="exit: 0 expected/ foretells all that differs, 1 it does not, 2 cannot be compared, 64 usage",
    )
    two.add_argument("old", metavar="OLD", type=Path, help="event log of the run before")
    two.add_argument("new", metavar="NEW", type=Path, help="event log of the run after")
    two.add_argument(  # done by the program in front of us, which takes it away
        "--expected", metavar="DIR", help="judge both again against this folder first (`cudasem diff` alone)"
    )
    two.add_argument(
        "--changing", choices=("torch", "cuda", "driver"), default="", help="what was meant to change"
    )
    two.add_argument(
        "--allow-different", action="store_true", help="compare across GPUs or profiles all the same"
    )

    several = commands.add_parser(
        "matrix", help="cases against releases: where the runs differ", prog="cudasem matrix"
    )
    several.add_argument("--all", action="store_true", help="the rows in which the runs agree too")
    study = commands.add_parser(
        "pools",
        help="can a path split at memory-pool boundaries be one graph now?",
        prog="cudasem pools",
    )
    for command in (several, study):
        command.add_argument(
            "logs",
            metavar="LOG",
            type=Path,
            nargs="+",
            help="event logs; of two of one release the newest stands",
        )

    study.add_argument(
        "--measured-again",
        metavar="LOG",
        type=Path,
        nargs="+",
        default=[],
        help="other runs of the same settings: how far their medians lie from those of LOG",
    )

    entries = commands.add_parser(
        "propose",
        help="entries for expected/ from what runs showed, for a person to complete",
        prog="cudasem propose",
        epilog="exit: 0 nothing to propose, 1 there is, 2 cannot be read, 64 usage",
    )
    entries.add_argument("logs", metavar="LOG", type=Path, nargs="+", help="event logs, one a release")
    entries.add_argument(
        "--expected", metavar="DIR", type=Path, default=Path("expected"), help="default: expected/ here"
    )
    entries.add_argument("--write", action="store_true", help="put them into the files of expected/")

    flip = commands.add_parser(
        "bisect",
        help="which release flipped a case",
        prog="cudasem bisect",
        epilog="exit: 0 found, 1 releases between the two are not known, 2 cannot be found, 64 usage",
    )
    flip.add_argument("case", metavar="CASE", help="a case, or one way of it")
    flip.add_argument("--good", metavar="RELEASE", required=True, help="a release from before the flip")
    flip.add_argument("--bad", metavar="RELEASE", required=True, help="a release from after it")
    flip.add_argument(
        "--logs", metavar="LOG", type=Path, nargs="+", default=[], help="default: reports/recorded/"
    )
    flip.add_argument(
        "--run", action="store_true", help="run the case with ci/run on releases that no log shows"
    )
    flip.add_argument(
        "--expected", metavar="DIR", type=Path, default=Path("expected"), help="default: expected/ here"
    )

    stub = commands.add_parser(
        "new-case", help="a case, its claim and its expectation as stubs", prog="cudasem new-case"
    )
    stub.add_argument("area", metavar="AREA", help="a folder of cases/")
    stub.add_argument("name", metavar="NAME", help="the fact in lower_case, without the area")
    stub.add_argument("--misuse", action="store_true", help="with a wrong and a right way")
    stub.add_argument("--claim", metavar="ID", default="", help="a claim that is there; else a stub of one")
    stub.add_argument("--topic", metavar="FILE", default="", help="cases/AREA/FILE.cpp (default: NAME)")
    stub.add_argument(
        "--root", metavar="DIR", type=Path, default=Path(), help="the source tree (default: here)"
    )

    corpus_commands.add_to(commands)

    for command in (one, two, several, study):
        command.add_argument(
            "--out", metavar="DIR", type=Path, default=Path(), help="where pages go (default: here)"
        )
        command.add_argument(
            "--format",
            dest="formats",
            type=_formats,
            default=FORMATS,
            metavar="html,md",
            help="default: both",
        )
    return parser


def _formats(text: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(text.split(",")))
    unknown = [word for word in words if word not in FORMATS]
    if unknown:
        raise argparse.ArgumentTypeError(f"expected {' or '.join(FORMATS)}, found `{unknown[0]}`")
    return words


def _report(options: argparse.Namespace) -> int:
    log = load(options.log)
    beside = report.choose_beside(log, [load(path) for path in options.beside])
    main_view = report.view(log, only=options.only)
    recorded = [
        report.view(other, f"recorded-{number}:", report.label_beside(other))
        for number, other in enumerate(beside, start=1)
    ]
    runs = {"run": main_view, "recorded": recorded}
    stem = report_stem(log) + ("" if options.only == "*" else f"-only-{_file_name(options.only)}")
    paths = write_pages(options.out, stem, "report", options.formats, **runs)
    _say(main_view.headline, paths)
    return OK


def _diff(options: argparse.Namespace) -> int:
    view = diff.view(load(options.old), load(options.new), options.changing, options.allow_different)
    paths = write_pages(options.out, diff_stem(view), "diff", options.formats, diff=view)
    print("May I upgrade?", end=" ")
    _say(view.headline, [])
    for group in view.groups:
        if group.change in (Change.NEITHER, Change.GONE, Change.NEW):
            continue
        for entry in group.entries:
            print(f"  {summary_line(entry)}")
    _print_paths(paths)
    return view.exit_code


def _matrix(options: argparse.Namespace) -> int:
    view = matrix.view([load(path) for path in options.logs], options.all)
    paths = write_pages(
        options.out, _file_name(f"matrix-{view.date or 'undated'}"), "matrix", options.formats, matrix=view
    )
    print(view.headline)
    for note in view.notes:
        print(f"  {note}")
    table = matrix.text_table(view)
    if table:
        print(table)
    _print_paths(paths)
    return OK


def _pools(options: argparse.Namespace) -> int:
    study = pools.study(
        [load(path) for path in options.logs], [load(path) for path in options.measured_again]
    )
    stem = _file_name(f"pool-boundaries-{study.date or 'undated'}")
    svg, no_plot = pool_plot.plot(study.columns, study.rows)
    paths = write_pages(options.out, stem, "pools", options.formats, study=study, svg=svg, no_plot=no_plot)
    paths += pools.write_csv(options.out, stem, study)
    print(study.question, " ".join(study.sentences))
    figures = (study.stability, study.repeat.sentence if study.repeat else "")
    for line in filter(None, (*study.notes, *figures, *pools.answer_lines(study))):
        print(f"  {line}")
    _print_paths(paths)
    return OK


def _propose(options: argparse.Namespace) -> int:
    logs = [load(path) for path in options.logs]
    found = propose.propose(logs, options.expected, datetime.date.today())
    for proposal in found:
        if isinstance(proposal, propose.ByHand):
            print(f"# {proposal.id}: by hand: {proposal.why}\n")
        else:
            print(f"# {proposal.id}: {'; '.join(proposal.changes)}\n" + "\n\n".join(proposal.entries) + "\n")
    if options.write:
        _print_paths(propose.write(found))
    if found:
        print('# fill in each `why = ""` and `link = ""`: `cudasem lint` refuses them as they are')
    return DIFFERS if found else OK


def _bisect(options: argparse.Namespace) -> int:
    logs = [load(path) for path in options.logs or sorted(Path("reports/recorded").glob("*.ndjson.gz"))]
    releases = read_releases(options.expected)
    run = run_with_ci(options.case) if options.run else (lambda _: None)
    flip = find_flip(options.case, options.good, options.bad, logs, releases, run)
    print(f"{options.case} flipped between torch {flip.before.release} and {flip.after.release}")
    for seen in flip.seen:
        print(f"  {seen.release}  {seen.words}  ({seen.source})")
    if flip.between:
        print(f"  not known: {listed(flip.between)}; --run runs the case there, on this machine's GPU")
    print(f"  https://github.com/pytorch/pytorch/compare/v{flip.before.release}...v{flip.after.release}")
    return OK if flip.exact else DIFFERS


def _new_case(options: argparse.Namespace) -> int:
    for each in new_case.new_case(
        options.root, options.area, options.name, options.misuse, options.claim, options.topic
    ):
        print(f"{each.path}: {each.what}")
    case = f"{options.area}.{options.name}"
    print(
        f"next: replace each TODO, then ./ci/build, cudasem lint, cudasem run '{case}*' (see CONTRIBUTING.md)"
    )
    return OK


def summary_line(entry: diff.Entry) -> str:
    """`regression  streams.order: ok -> error 900 at wait`; a known change with its why."""
    what = entry.summary.replace("→", "->")
    line = f"{entry.transition.change.value}  {entry.id}: {what}"
    why = entry.reasons[-1][1].why if entry.reasons else ""
    return f"{line} ({why})" if entry.transition.change is Change.KNOWN and why else line


def _say(headline: report.Headline, paths: list[Path]) -> None:
    print(headline.text)
    for note in headline.notes:
        print(f"  {note}")
    _print_paths(paths)


def _print_paths(paths: list[Path]) -> None:
    for path in paths:
        print(f"wrote {path}")


def report_stem(log: Log) -> str:
    profile = "" if log.run.profile == "native" else f"-{log.run.profile}"
    return _file_name(f"report-{_when(log)}-torch-{log.subject.release or 'unknown'}{profile}")


def diff_stem(view: diff.DiffView) -> str:
    """Named after the first axis that changed: `diff-2026-11-30-170500-torch-2.13.0-to-2.14.1`."""
    axes = diff.changed_axes(view.old, view.new)
    if not axes:
        return _file_name(f"diff-{_when(view.new)}-torch-{view.new.subject.release}")
    old, new = (diff.axis_value(log, axes[0]).partition("+")[0] for log in (view.old, view.new))
    return _file_name(f"diff-{_when(view.new)}-{axes[0]}-{old}-to-{new}")


def _when(log: Log) -> str:
    """`2026-11-30-170500`: two runs of a day have a page each, one run written again has one."""
    return log.run.utc[:19].replace("T", "-").replace(":", "") or "undated"


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")


_COMMANDS = {
    "report": _report,
    "diff": _diff,
    "matrix": _matrix,
    "pools": _pools,
    "bisect": _bisect,
    "propose": _propose,
    "new-case": _new_case,
    **corpus_commands.RUN,
}
