"""ci/bundle: what is in the archive, and what its `run` does on the node."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from steps import bundle
from steps.paths import StepError

FAKE = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
for word; do case $word in *.ndjson) : > "$word" ;; esac; done
exit 1
"""


def fake_build(folder: Path) -> Path:
    """A build folder whose programs are scripts."""
    (folder / "runner").mkdir(parents=True)
    (folder / "cases").mkdir()
    for program in (folder / "runner" / "cudasem", folder / "cases" / "cudasem_capture"):
        program.write_text(FAKE)
        program.chmod(0o755)
    subject = {
        "torch": "2.14.1",
        "areas": ["capture", "gone"],
        "torch_lib": "/here/lib",
        "build_log": "/here/log",
    }
    (folder / "cases" / "subject.json").write_text(json.dumps(subject))
    return folder


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # scripts cannot be stripped
    bundle.assemble({"2.14.1": fake_build(tmp_path / "build")}, tmp_path / "bundle")
    bundle.pack(tmp_path / "bundle", tmp_path / "b.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        tar.extractall(tmp_path / "node", filter="data")
    return tmp_path / "node" / "cudasem-bundle"


def run(unpacked: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(unpacked / "run"), *map(str, arguments)]
    return subprocess.run(command, cwd=unpacked.parent, capture_output=True, text=True, check=False)


def torch(folder: Path, version: str) -> Path:
    folder.mkdir()
    (folder / "version.py").write_text(f"__version__ = '{version}'\n")
    return folder


def test_the_archive_has_all_that_a_node_needs_and_no_path_of_this_machine(unpacked: Path) -> None:
    for part in ("bin/cudasem", "torch-2.14.1/cudasem_capture", "run", "share/cudasem/expected/capture.toml"):
        assert (unpacked / part).exists()
    assert list((unpacked / "share/cudasem/reports/recorded").glob("*.gz"))
    assert (unpacked / "share/cudasem/reports/cudasem_reports/templates/report.html.j2").exists()
    assert "/here" not in (unpacked / "torch-2.14.1/subject.json").read_text()


def test_run_takes_the_cases_of_the_release_and_passes_its_exit_status_on(unpacked: Path) -> None:
    folder = torch(unpacked.parent / "torch", "2.14.1+cu130")
    done = run(unpacked, "--torch-dir", folder, "--out", "logs", "--area", "capture")
    assert done.returncode == 1
    first, second = (unpacked / "bin" / "calls").read_text().splitlines()
    assert first.startswith(f"run --cases {unpacked}/torch-2.14.1 --torch {folder} --out logs/")
    assert first.endswith("-torch-2.14.1.ndjson --area capture")
    assert second.startswith("report logs/")


def test_run_says_what_it_was_built_for(unpacked: Path) -> None:
    done = run(unpacked, "--torch-dir", torch(unpacked.parent / "torch", "2.12.0"))
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [f"run: torch 2.12.0 is in {unpacked.parent / 'torch'}; this bundle is for torch 2.14.1"],
    )
    assert run(unpacked).returncode == 64
    assert "version.py was expected" in run(unpacked, "--torch-dir", unpacked).stderr


def test_a_build_without_case_binaries_is_no_bundle(tmp_path: Path) -> None:
    folder = fake_build(tmp_path / "build")
    (folder / "cases" / "cudasem_capture").unlink()
    with pytest.raises(StepError, match="no case binary"):
        bundle.copy_cases(folder / "cases", tmp_path / "out")
