"""A folder of case binaries with one area whose cases cost nothing, for ci/bench."""

import json
from dataclasses import dataclass
from pathlib import Path

from steps.paths import ROOT

SUBJECT = {
    "torch": "2.14.1",
    "git": "",
    "cuda_build": "13.0",
    "torch_lib": "",
    "cuda_lib": "",
    "compiler": "",
    "areas": ["trivial"],
    "build_log": "",
}


@dataclass(frozen=True)
class TrivialFolder:
    path: Path
    programs: Path
    """Where cudasem, cudasem_trivial and cudasem_bare_spawn are."""

    def __post_init__(self) -> None:
        (self.path / "subject.json").write_text(json.dumps(SUBJECT))
        self.binary.symlink_to(self.programs / "cudasem_trivial")
        expected = self.path / "expected"
        expected.mkdir()
        (expected / "releases.toml").write_text((ROOT / "expected" / "releases.toml").read_text())
        (self.path / "recorded").mkdir()

    @property
    def binary(self) -> Path:
        return self.path / "cudasem_trivial"

    def environment(self, cases: int, isolation: str = "process") -> dict[str, str]:
        """What cudasem_trivial reads."""
        return {"TRIVIAL_CASES": str(cases), "TRIVIAL_ISOLATION": isolation}

    def run(self, at_once: int) -> list[str | Path]:
        return [
            self.programs / "cudasem",
            "run",
            f"-j{at_once}",
            *("--cases", self.path),
            *("--expected", self.path / "expected"),
            *("--floor-from", self.path / "recorded"),
            *("--out", f"{self.path}/logs/"),
        ]

    def list(self) -> list[str | Path]:
        return [self.programs / "cudasem", "list", "--cases", self.path]

    def write_ctest(self, cases: int) -> Path:
        """The same cases as tests of ctest, a process each; the folder to give it."""
        folder = self.path / "ctest"
        folder.mkdir(exist_ok=True)
        lines = [
            f'add_test(case_{i:05} "{self.binary}" --run trivial.case_{i:05} --record-fd 2)'
            for i in range(cases)
        ]
        (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        return folder
