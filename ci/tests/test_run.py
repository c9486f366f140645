import json
from pathlib import Path

from steps import run


def write_log(path: Path, gpus: int) -> Path:
    events = [
        {
            "event": "machine",
            "gpus": [{"index": n} for n in range(gpus)],
            "error": "" if gpus else "no driver",
        },
        {"event": "subject", "torch": "2.14.1+cu130"},
        *({"event": "end", "outcome": outcome} for outcome in ("ok", "error", "skip", "missing")),
        {"event": "finish", "counts": {"as_expected": 2, "regression": 0, "skipped": 1}},
    ]
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_a_torn_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.ndjson", gpus=1)
    log.write_text(log.read_text()[:-20])
    assert run.lines_about(run.read(log), recorded=False) == [
        "torch 2.14.1+cu130: 2 ran, 1 skipped, 1 missing (the run did not finish)"
    ]


def test_without_a_gpu_the_summary_says_that_nothing_was_shown(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.ndjson", gpus=0)
    assert run.lines_about(run.read(log), recorded=True) == [
        "torch 2.14.1+cu130: 2 ran, 1 skipped, 1 missing (2 as expected, 1 skipped)",
        "No GPU here (no driver): only host-only cases ran, and NOTHING WAS SHOWN ABOUT A GPU.",
        "The report has recorded runs of real GPUs beside this one.",
    ]


def test_recorded_logs_are_found_packed_or_not(tmp_path: Path) -> None:
    for name in ("b.ndjson.gz", "a.ndjson", "README.md"):
        (tmp_path / name).touch()
    assert [path.name for path in run.recorded_logs(tmp_path)] == ["a.ndjson", "b.ndjson.gz"]
