"""The schema files of log and record: real ones fit them, others do not, and old logs stay readable."""

from __future__ import annotations

import functools
import gzip
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from logs import Json, fine

from cudasem_reports import render, report
from cudasem_reports.read import load

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FIRST_VERSION = HERE / "data" / "log-of-schema-1.ndjson"
RECORDED = sorted((ROOT / "reports" / "recorded").glob("*.ndjson.gz"))
PROGRAM = os.environ.get("CUDASEM_PROGRAM", "")


@functools.cache
def validators(name: str) -> dict[str, Any]:
    """One for each event or record: asking all of them of every line takes a minute."""
    schema = json.loads((ROOT / "runner" / "schema" / f"{name}.json").read_text(encoding="utf-8"))
    kind = jsonschema.Draft202012Validator
    kind.check_schema(schema)
    return {"": kind(schema)} | {word: kind(part) for word, part in schema["$defs"].items()}


def problems(name: str, lines: list[str]) -> list[str]:
    known = validators(name)
    word = {"log": "event", "record": "record"}[name]
    found = []
    for number, line in enumerate(lines, start=1):
        says = json.loads(line)
        errors = known.get(says[word], known[""]).iter_errors(says)
        found += [f"line {number}: {error.json_path}: {error.message[:200]}" for error in errors]
    return found


def lines_of(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()


def examples(section: str) -> list[str]:
    """The JSON lines of a section of INTERPRETING.md."""
    text = (ROOT / "runner" / "INTERPRETING.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {section}.*?^## ", text, re.MULTILINE | re.DOTALL)
    assert found
    return [line for line in found[0].splitlines() if line.startswith('{"record"')]


@pytest.mark.parametrize("path", [FIRST_VERSION, *RECORDED], ids=lambda path: path.name)
def test_real_logs_fit_the_schema(path: Path) -> None:
    assert problems("log", lines_of(path)) == []


def test_a_log_of_the_first_version_is_read_and_shown() -> None:
    log = load(FIRST_VERSION)
    assert (log.run.id, log.exit, len(log.results)) == (log.run.id, 0, 9)
    assert {result.verdict for result in log.results} == {"as_expected", "skipped"}
    view = report.view(log)
    page = render.render("report", "md", run=view, recorded=[], all_runs=[view])
    assert all(result.plan.id in page for result in log.results)


@pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")
def test_a_log_of_the_first_version_is_judged_again(tmp_path: Path) -> None:
    command = [
        PROGRAM,
        "judge",
        FIRST_VERSION,
        "--out",
        tmp_path / "again.ndjson",
        "--expected",
        ROOT / "expected",
    ]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert problems("log", (tmp_path / "again.ndjson").read_text().splitlines()) == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"outcome": "fine"}, "$.outcome"),
        ({"attempt": 0}, "$.attempt"),
        ({"ms": "12"}, "$.ms"),
        ({"effects": [{"outcome": "ok"}]}, "$.effects[0].outcome"),
    ],
)
def test_another_event_does_not_fit(change: Json, path: str) -> None:
    end = next(event for event in map(json.loads, FIRST_VERSION.open()) if event["event"] == "end")
    assert problems("log", [json.dumps(end)]) == []
    (found,) = problems("log", [json.dumps(end | change)])
    assert f": {path}:" in found


def test_a_field_that_readers_do_not_know_fits() -> None:
    end = next(event for event in map(json.loads, FIRST_VERSION.open()) if event["event"] == "end")
    assert problems("log", [json.dumps(end | {"mood": "good"}), '{"event": "weather"}']) == []
    assert fine()


def test_the_records_of_the_contract_fit_the_schema() -> None:
    lines = examples("4. Records")
    assert len(lines) >= 10
    assert problems("record", lines) == []
    assert problems("record", ['{"record": "fact", "value": 1}']) != []
    assert problems("record", ['{"record": "weather"}']) != []


@pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")
def test_the_records_of_a_process_fit_the_schema() -> None:
    program = Path(PROGRAM).parent / "cudasem_misbehave"
    command = [str(program), "--run", "misbehave.corrupts", "--record-fd", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) >= 3
    assert problems("record", done.stdout.splitlines()) == []
