"""libtorch, one environment for each release (.venvs/torch-VERSION), or a folder that somebody has already.

Small: the wheel without what it depends on, CUDA's headers and runtime, and stubs for the other NVIDIA
libraries (0.55 GB to download, for machines without a GPU). Full: all that torch depends on (3 GB), and the
headers.
"""

import hashlib
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

from steps import elf, pip, stub_libraries, venv
from steps.paths import TORCH_VENVS, StepError, shown
from steps.releases import Release

GIB_NEEDED = {"small": 2.5, "full": 9.0}  # installed, and the download while it is unpacked
HEADERS_AND_RUNTIME = "cuda-toolkit[cudart,crt,cccl]"

# What building and loading need, and which package has it. Below the torch folder or beside it.
PARTS = {
    "version.py": "torch",
    "lib/libtorch.so": "torch",
    "lib/libtorch_cpu.so": "torch",
    "lib/libtorch_cuda.so": "torch, built for CUDA",
    "lib/libc10.so": "torch",
    "lib/libc10_cuda.so": "torch, built for CUDA",
    "include/torch": "torch, with its headers",
    "../nvidia/cu13/lib/libcudart.so.13": "nvidia-cuda-runtime, of CUDA 13",
    "../nvidia/cu13/include/cuda_runtime.h": "nvidia-cuda-runtime, of CUDA 13",
    "../nvidia/cu13/include/crt/host_defines.h": "nvidia-cuda-crt, of CUDA 13",
}


def environment_of(torch: str, venvs: Path = TORCH_VENVS) -> Path:
    return venvs / f"torch-{torch}"


def torch_dir_in(environment: Path) -> Path | None:
    return next(environment.glob("lib/python3*/site-packages/torch"), None)


def installed_torch_dir(torch: str, venvs: Path = TORCH_VENVS) -> Path:
    """The torch folder of a finished install."""
    environment = environment_of(torch, venvs)
    folder = torch_dir_in(environment) if venv.read_stamp(environment) else None
    if folder is None:
        raise StepError(f"torch {torch} is not set up in {shown(environment)}: ci/setup --torch {torch}")
    return folder


def check(torch_dir: Path) -> str:
    """The version of the libtorch in torch_dir; StepError with all that it lacks."""
    if not torch_dir.is_dir():
        raise StepError(f"{torch_dir}: no such folder")
    lacking = [f"{part} ({package})" for part, package in PARTS.items() if not (torch_dir / part).exists()]
    if lacking and (torch_dir / "torch" / "version.py").exists():
        raise StepError(f"{torch_dir}: no libtorch itself. Did you mean {torch_dir / 'torch'}?")
    if lacking:
        raise StepError(f"{torch_dir}: not a libtorch to build against; missing: {', '.join(lacking)}")
    version = re.search(
        r"^__version__\s*=\s*['\"]([^'\"]+)", (torch_dir / "version.py").read_text(), re.MULTILINE
    )
    if version is None:
        raise StepError(f"{torch_dir}/version.py: no __version__ in it")
    return version[1]


def install(release: Release, full: bool, venvs: Path = TORCH_VENVS) -> str:
    """What was done, in a line. An unfinished or outdated environment is made anew."""
    environment = environment_of(release.torch, venvs)
    wanted = {
        "torch": release.torch,
        "extent": "full" if full else "small",
        "cuda_toolkit": release.cuda_toolkit or "as the wheel says",
        "stubs": recipe_of_stubs(),
    }
    have = venv.read_stamp(environment)
    differing = {key for key in wanted if have is None or have.get(key) != wanted[key]}
    if have is not None and have.get("extent") == "full":
        differing -= {"extent", "stubs"}  # everything is there, whatever was asked
    if not differing:
        return f"there ({have['extent'] if have else ''})"
    if differing == {"stubs"}:
        make_stubs(environment)
        venv.write_stamp(environment, wanted)
        return "stubs made anew"
    if environment.exists():
        reason = "other pins or extent wanted" if have else "an earlier install did not finish"
        print(f"setup: torch {release.torch}: {reason}: starting over", flush=True)
    try:
        install_anew(release, environment, wanted)
    except StepError:
        shutil.rmtree(environment, ignore_errors=True)  # of no use, and large
        raise
    return f"installed in {shown(environment)} ({wanted['extent']})"


def install_anew(release: Release, environment: Path, stamp: venv.Stamp) -> None:
    log = environment.with_name(f"{environment.name}.pip.log")
    extent = stamp["extent"]
    shutil.rmtree(environment, ignore_errors=True)
    check_disk(environment.parent, GIB_NEEDED[extent])
    size = {"small": "0.55 GB", "full": "3 GB"}[extent]
    print(
        f"setup: torch {release.torch}: installing (about {size} to download; log: {shown(log)})", flush=True
    )
    venv.create(environment)
    python = venv.python_of(environment)
    pip.install(python, [*(["--no-deps"] if extent == "small" else []), f"torch=={release.torch}"], log)
    pin = release.cuda_toolkit or pin_of_wheel(environment)
    pip.install(python, [f"{HEADERS_AND_RUNTIME}=={pin}"], log)
    if extent == "small":
        make_stubs(environment)
    folder = torch_dir_in(environment)
    if folder is None:
        raise StepError(f"pip installed torch {release.torch}, but not in {shown(environment)}")
    check(folder)
    check_loadable(folder / "lib")
    venv.write_stamp(environment, stamp)


def check_disk(folder: Path, gib: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < gib * 2**30:
        raise StepError(
            f"needs about {gib} GiB, but only {pip.free_space(folder)}: make room, then run ci/setup again"
        )


def pin_of_wheel(environment: Path) -> str:
    """The cuda-toolkit that an installed torch asks for in its metadata."""
    folder = torch_dir_in(environment)
    packages = metadata.distributions(name="torch", path=[str(folder.parent)] if folder else [])
    requirements = [line for package in packages for line in package.requires or []]
    for requirement in requirements:
        pin = re.match(r"cuda-toolkit(?:\[[^\]]*\])?\s*==\s*([\w.]+)", requirement)
        if pin:
            return pin[1]
    raise StepError(
        f"{shown(environment)}: this torch asks for no cuda-toolkit, so it was built for the CPU only or for"
        " CUDA 12; the cases need a build for CUDA 13"
    )


def recipe_of_stubs() -> str:
    """Changes when stubs would come out differently."""
    sources = [Path(module.__file__ or "") for module in (stub_libraries, elf)]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def make_stubs(environment: Path) -> None:
    folder = torch_dir_in(environment)
    if folder is None:
        raise StepError(f"{shown(environment)}: no torch in it")
    stub_libraries.make(folder / "lib")


def check_loadable(torch_lib: Path) -> None:
    """Asks the loader whether all that libtorch needs is found."""
    said = subprocess.run(
        ["ldd", str(torch_lib / "libtorch.so")], capture_output=True, text=True, check=False
    ).stdout
    absent = sorted({line.split()[0] for line in said.splitlines() if "not found" in line})
    if absent:
        raise StepError(f"{shown(torch_lib)}/libtorch.so cannot be loaded; not found: {', '.join(absent)}")
