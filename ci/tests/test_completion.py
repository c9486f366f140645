"""`cudasem completion`: what bash, and zsh where it is there, offer at a place of the command line."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from steps.bench_folder import TrivialFolder

PROGRAM = os.environ.get("CUDASEM_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")


@pytest.fixture
def folder(tmp_path: Path) -> TrivialFolder:
    return TrivialFolder(tmp_path, Path(str(PROGRAM)).parent)


def offered(words: list[str]) -> list[str]:
    """By bash, for the last of the words."""
    quoted = " ".join(f"'{word}'" for word in [str(PROGRAM), *words])
    script = (
        f"source <('{PROGRAM}' completion bash)\n"
        f"COMP_WORDS=({quoted})\nCOMP_CWORD={len(words)}\n_cudasem\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "TRIVIAL_CASES": "12"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_commands() -> None:
    assert offered(["ru"]) == ["run"]
    assert {"list", "doctor", "diff", "completion"} <= set(offered([""]))


def test_options_of_the_command() -> None:
    assert "--junit" in offered(["run", "--j"])
    assert offered(["list", "--junit"]) == []


def test_words_of_an_option() -> None:
    assert offered(["run", "--profile", "no"]) == ["no_caching"]
    assert offered(["list", "--kind", "mis"]) == ["misuse"]


def test_ids_of_the_cases_that_were_named(folder: TrivialFolder) -> None:
    words = ["run", "--cases", str(folder.path)]
    assert offered([*words, "trivial.case_0001"]) == ["trivial.case_00010", "trivial.case_00011"]
    assert offered([*words, "--area", "tri"]) == ["trivial"]


def test_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "run.ndjson").touch()
    assert offered(["judge", f"{tmp_path}/ru"]) == [f"{tmp_path}/run.ndjson"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_takes_its_script() -> None:
    script = f"source <('{PROGRAM}' completion zsh) && print $_comps[cudasem]"
    done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=True)
    assert "_bash_complete" in done.stdout
