"""ci/slurm: a real Slurm runs shards of the corpus, and the merged log equals the unsharded one."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import slurm_node

from steps import bundle, libtorch, releases
from steps.paths import ROOT

SUBMIT = ROOT / "ci" / "slurm" / "submit"
NEWEST = releases.newest(releases.supported()).torch
BUILT = ROOT / "build" / f"torch-{NEWEST}"
SELECTION = ["--area", "device_selection", "--area", "copies"]


def results(log: Path) -> dict[str, tuple[str, str]]:
    """Id → outcome and verdict."""
    names: dict[str, str] = {}
    outcomes: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "plan":
            names[event["key"]] = event["id"]
        elif event["event"] == "end":
            outcomes[event["key"]] = event["outcome"]
        elif event["event"] == "verdict":
            found[names[event["key"]]] = (outcomes[event["key"]], event["verdict"])
    return found


@pytest.mark.skipif(not os.environ.get("CUDASEM_SLURM"), reason="ci/test --full starts a Slurm for it")
def test_a_sharded_array_equals_the_unsharded_run(tmp_path: Path) -> None:
    assert slurm_node.is_installed(), "munged, slurmctld, slurmd and sbatch were expected"
    torch_dir = libtorch.installed_torch_dir(NEWEST)
    packed = tmp_path / "bundle"
    bundle.assemble({NEWEST: BUILT}, packed)
    whole = tmp_path / "whole.ndjson"
    command = ["run", "--cases", packed / f"torch-{NEWEST}", "--torch", torch_dir, "--out", whole, *SELECTION]
    subprocess.run([packed / "bin" / "cudasem", *map(str, command)], check=False, capture_output=True)
    wanted = results(whole)
    assert sum(outcome != "skip" for outcome, _ in wanted.values()) >= 5

    (tmp_path / "slurm").mkdir()
    with slurm_node.slurm(tmp_path / "slurm") as environment:
        submit = [SUBMIT, "--bundle", packed, "--torch-dir", torch_dir, "--shards", "3", "--wait"]
        done = subprocess.run(
            [*map(str, submit), "--out", str(tmp_path / "out"), "--", *SELECTION],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
        )
    (job,) = (tmp_path / "out").glob("job-*")
    said = "".join(path.read_text() for path in sorted(job.glob("*.txt")))
    assert done.returncode == 0, done.stderr + said
    assert results(job / f"torch-{NEWEST}-native.ndjson") == wanted
    assert len(list(job.glob("torch-*-shard-*.ndjson"))) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--bundle: an unpacked bundle was expected"),
        (["--shards"], "--shards: a value was expected"),
        (["--shard", "3"], "--shard is no option"),
    ],
)
def test_submit_says_what_it_expected(arguments: list[str], said: str) -> None:
    done = subprocess.run([SUBMIT, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 64
    assert said in done.stderr
