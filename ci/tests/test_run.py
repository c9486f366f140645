import gzip
import json
from pathlib import Path

import pytest

from steps import run


def write_log(path: Path, torch: str, utc: str, gpus: int = 1) -> Path:
    events = [
        {"event": "run", "utc": utc},
        {
            "event": "machine",
            "gpus": [{"index": n} for n in range(gpus)],
            "error": "" if gpus else "no driver",
        },
        {"event": "subject", "torch": torch},
        *({"event": "end", "outcome": outcome} for outcome in ("ok", "error", "skip", "missing")),
        {"event": "finish", "counts": {"as_expected": 2, "regression": 0, "skipped": 1}},
    ]
    text = "".join(json.dumps(event) + "\n" for event in events)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def test_a_torn_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.ndjson", "2.14.1+cu130", "2026-11-30T00:00:00Z")
    log.write_text(log.read_text()[:-20])
    assert (run.read(log).executed, run.read(log).verdicts) == (2, {})


def test_the_recorded_run_of_the_same_release_is_preferred(tmp_path: Path) -> None:
    same = write_log(tmp_path / "same.ndjson.gz", "2.14.1+cu130", "2026-10-01T00:00:00Z")
    newer = write_log(tmp_path / "newer.ndjson.gz", "2.15.0+cu132", "2026-11-01T00:00:00Z")
    assert run.newest_recorded("2.14.1+cu130", tmp_path) == same
    assert run.newest_recorded("2.13.0+cu130", tmp_path) == newer
    assert run.newest_recorded("2.13.0+cu130", tmp_path / "nothing") is None


def test_without_a_gpu_the_summary_says_that_nothing_was_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path / "a.ndjson", "2.14.1+cu130", "2026-11-30T00:00:00Z", gpus=0)
    (tmp_path / "a.html").touch()
    run.print_summary(run.read(log), log, None)
    said = capsys.readouterr().out
    assert "2 ran, 1 skipped, 1 missing (2 as_expected, 1 skipped)" in said
    assert "No GPU here (no driver): only host-only cases ran, and NOTHING WAS SHOWN ABOUT A GPU." in said
    assert said.rstrip().endswith("a.html")
