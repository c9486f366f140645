"""Installs are played with a pip that only makes files, so that these tests need neither network nor disk."""

import json
from pathlib import Path

import pytest

from steps import libtorch, pip, stub_libraries, venv
from steps.paths import StepError
from steps.releases import Release

RELEASE = Release("2.14.1", "13.0.3")


def make_libtorch(torch_dir: Path, version: str = "2.14.1+cu130") -> Path:
    for part in libtorch.PARTS:
        path = torch_dir / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (torch_dir / "version.py").write_text(f"__version__ = '{version}'\n")
    return torch_dir


class FakePip:
    """Stands in for venv, pip and stubs: keeps what was asked, fails on the request that it is told to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.requests: list[str] = []
        self.stubs_made = 0
        self.fail_on = ""
        self.failure: BaseException = KeyboardInterrupt()
        patch.setattr(venv, "create", self.create)
        patch.setattr(pip, "install", self.install)
        patch.setattr(stub_libraries, "make", self.make_stubs)
        patch.setattr(libtorch, "check_disk", lambda folder, gib: None)
        patch.setattr(libtorch, "check_loadable", lambda folder: None)

    def create(self, environment: Path) -> None:
        (environment / "bin").mkdir(parents=True)
        (environment / "bin" / "python").touch()

    def install(self, python: Path, arguments: list[str], log: Path) -> None:
        self.requests.append(" ".join(arguments))
        if self.fail_on and self.fail_on in self.requests[-1]:
            raise self.failure
        make_libtorch(python.parents[1] / "lib" / "python3.11" / "site-packages" / "torch")

    def make_stubs(self, torch_lib: Path) -> list[Path]:
        self.stubs_made += 1
        return []


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePip:
    return FakePip(monkeypatch)


def test_the_small_install_asks_for_torch_alone_and_the_headers_of_its_pin(
    fake: FakePip, tmp_path: Path
) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    assert fake.requests == ["--no-deps torch==2.14.1", "cuda-toolkit[cudart,crt,cccl]==13.0.3"]
    assert fake.stubs_made == 1


def test_the_full_install_takes_dependencies_and_makes_no_stubs(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=True, venvs=tmp_path)
    assert fake.requests[0] == "torch==2.14.1"
    assert fake.stubs_made == 0


def test_a_finished_install_is_left_alone(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    fake.requests.clear()
    assert libtorch.install(RELEASE, full=False, venvs=tmp_path) == "there (small)"
    assert fake.requests == []


def test_an_interrupted_install_is_noticed_and_done_again(
    fake: FakePip, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.fail_on = "cuda-toolkit"
    with pytest.raises(KeyboardInterrupt):
        libtorch.install(RELEASE, full=False, venvs=tmp_path)
    with pytest.raises(StepError, match=r"torch 2\.14\.1 is not set up .*ci/setup --torch 2\.14\.1"):
        libtorch.installed_torch_dir("2.14.1", tmp_path)
    fake.fail_on = ""
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    assert "did not finish: starting over" in capsys.readouterr().out
    assert libtorch.installed_torch_dir("2.14.1", tmp_path).name == "torch"


def test_a_failed_install_leaves_nothing_behind(fake: FakePip, tmp_path: Path) -> None:
    fake.fail_on, fake.failure = "torch", StepError("no such version")
    with pytest.raises(StepError, match="no such version"):
        libtorch.install(RELEASE, full=False, venvs=tmp_path)
    assert not (tmp_path / "torch-2.14.1").exists()


def test_a_torn_stamp_counts_as_unfinished(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    (tmp_path / "torch-2.14.1" / venv.STAMP).write_text('{"torch": "2.1')
    assert libtorch.install(RELEASE, full=False, venvs=tmp_path).startswith("installed")


def test_another_pin_starts_over(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    libtorch.install(Release("2.14.1", "13.0.4"), full=False, venvs=tmp_path)
    assert fake.requests[-1] == "cuda-toolkit[cudart,crt,cccl]==13.0.4"


def test_a_full_install_serves_where_a_small_one_would_do(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=True, venvs=tmp_path)
    assert libtorch.install(RELEASE, full=False, venvs=tmp_path) == "there (full)"


def test_a_small_install_does_not_serve_a_gpu(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    assert libtorch.install(RELEASE, full=True, venvs=tmp_path).endswith("(full)")


def test_a_changed_stub_generator_only_makes_stubs_anew(fake: FakePip, tmp_path: Path) -> None:
    libtorch.install(RELEASE, full=False, venvs=tmp_path)
    stamp_file = tmp_path / "torch-2.14.1" / venv.STAMP
    stamp_file.write_text(json.dumps({**json.loads(stamp_file.read_text()), "stubs": "older"}))
    fake.requests.clear()
    assert libtorch.install(RELEASE, full=False, venvs=tmp_path) == "stubs made anew"
    assert (fake.requests, fake.stubs_made) == ([], 2)


def test_an_unsupported_release_takes_its_pin_from_the_wheel(tmp_path: Path) -> None:
    site = make_libtorch(tmp_path / "lib" / "python3.12" / "site-packages" / "torch").parent
    info = site / "torch-2.16.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: torch\nVersion: 2.16.0\nRequires-Dist: sympy\n"
        'Requires-Dist: cuda-toolkit[cublas,cudart]==13.4.0; platform_system == "Linux"\n'
    )
    assert libtorch.pin_of_wheel(tmp_path) == "13.4.0"


def test_a_wheel_without_cuda_13_is_refused(tmp_path: Path) -> None:
    make_libtorch(tmp_path / "lib" / "python3.12" / "site-packages" / "torch")
    with pytest.raises(StepError, match="CPU only or for CUDA 12"):
        libtorch.pin_of_wheel(tmp_path)


def test_a_torch_dir_with_everything_gives_its_version(tmp_path: Path) -> None:
    assert libtorch.check(make_libtorch(tmp_path / "torch")) == "2.14.1+cu130"


def test_a_torch_dir_names_all_that_it_lacks_and_the_package(tmp_path: Path) -> None:
    folder = make_libtorch(tmp_path / "torch")
    (folder / "lib" / "libtorch_cuda.so").unlink()
    (tmp_path / "nvidia/cu13/include/crt/host_defines.h").unlink()
    with pytest.raises(StepError) as error:
        libtorch.check(folder)
    assert "lib/libtorch_cuda.so (torch, built for CUDA)" in str(error.value)
    assert "crt/host_defines.h (nvidia-cuda-crt" in str(error.value)


def test_a_folder_above_torch_is_answered_with_the_right_one(tmp_path: Path) -> None:
    folder = make_libtorch(tmp_path / "site-packages" / "torch")
    with pytest.raises(StepError, match=f"Did you mean {folder}"):
        libtorch.check(folder.parent)
