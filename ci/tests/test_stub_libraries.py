"""Stubs for a libtorch in miniature, compiled here against NVIDIA libraries that then vanish."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from steps import elf, stub_libraries

BLAS = """
int cublas_level; int cublasLtMissing(void) { return 2; } int cublasCreate_v2(void) { return 1; }
"""
TORCH = """
extern int cublas_level; int cublasCreate_v2(void); int ncclSend(void); int cudaFree(void);
extern int nccl_rank;
__attribute__((weak)) int ncclMaybe(void);
int level(void) { return cublas_level; }
int rank_of(void) { return nccl_rank; }
int create(void) { return cublasCreate_v2(); }
int send_to(void) { return ncclMaybe ? ncclMaybe() : ncclSend(); }
int release(void) { return cudaFree(); }
"""


def compile_library(folder: Path, soname: str, source: str, *more: str) -> Path:
    library = folder / soname
    (folder / "source.c").write_text(source)
    command = [
        "cc",
        "-shared",
        "-fPIC",
        f"-Wl,-soname,{soname}",
        "-o",
        str(library),
        str(folder / "source.c"),
    ]
    subprocess.run([*command, *more], check=True)
    return library


@pytest.fixture
def torch_lib(tmp_path: Path) -> Path:
    """libtorch.so → libtorch_cuda.so → cuBLAS (versioned), NCCL (unversioned, unseen), the runtime."""
    nvidia, lib = tmp_path / "nvidia", tmp_path / "torch" / "lib"
    nvidia.mkdir()
    lib.mkdir(parents=True)
    script = nvidia / "script"
    script.write_text("libcublas.so.13 { global: cublas*; };\n")
    blas = compile_library(nvidia, "libcublas.so.13", BLAS, f"-Wl,--version-script={script}")
    nccl = compile_library(nvidia, "libnccl.so.2", "")
    runtime = compile_library(nvidia, "libcudart.so.13", "int cudaFree(void) { return 7; }")
    search = "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../../runtime:$ORIGIN"
    links = ["-Wl,--no-as-needed", str(blas), str(nccl), str(runtime), search]
    cuda = compile_library(lib, "libtorch_cuda.so", TORCH, *links)
    compile_library(lib, "libtorch.so", "", "-Wl,--no-as-needed", str(cuda), search)
    (tmp_path / "runtime").mkdir()
    runtime.rename(tmp_path / "runtime" / runtime.name)
    blas.unlink()
    nccl.unlink()
    return lib


def test_versions_and_unversioned_names_are_read(torch_lib: Path) -> None:
    library = elf.read(torch_lib / "libtorch_cuda.so")
    wanted = {symbol.name: symbol for symbol in library.wanted}
    assert library.versions["libcublas.so.13"] == {"libcublas.so.13"}
    assert wanted["cublasCreate_v2"].provider == "libcublas.so.13"
    assert wanted["ncclSend"].provider is None
    assert "ncclMaybe" not in wanted


def test_only_what_is_not_there_gets_a_stub(torch_lib: Path) -> None:
    made = stub_libraries.make(torch_lib)
    assert sorted(path.name for path in made) == ["libcublas.so.13", "libnccl.so.2"]


def test_making_them_again_gives_the_same(torch_lib: Path) -> None:
    first = stub_libraries.make(torch_lib)
    assert stub_libraries.make(torch_lib) == first


def test_libtorch_loads_with_every_name_bound(torch_lib: Path) -> None:
    stub_libraries.make(torch_lib)
    program = f"import ctypes; ctypes.CDLL({str(torch_lib / 'libtorch.so')!r}, mode=2)"  # RTLD_NOW
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_variables_are_zero_and_not_code(torch_lib: Path) -> None:
    stub_libraries.make(torch_lib)
    loaded = ctypes.CDLL(str(torch_lib / "libtorch_cuda.so"))
    assert (loaded.level(), loaded.rank_of(), loaded.release()) == (0, 0, 7)


@pytest.mark.parametrize(
    ("call", "name", "soname"),
    [("create", "cublasCreate_v2", "libcublas.so.13"), ("send_to", "ncclSend", "libnccl.so.2")],
)
def test_a_call_into_a_stub_aborts_with_both_names(
    torch_lib: Path, call: str, name: str, soname: str
) -> None:
    stub_libraries.make(torch_lib)
    program = f"import ctypes; ctypes.CDLL({str(torch_lib / 'libtorch_cuda.so')!r}).{call}()"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == -6
    assert result.stderr.startswith(f"{name} was called, and {soname} is a stub")


def test_an_unversioned_name_goes_to_the_longest_prefix() -> None:
    stubs = {soname: stub_libraries.Stub(soname) for soname in ("libcusparse.so.12", "libcusparseLt.so.0")}
    chosen = stub_libraries.owner(elf.Wanted("cusparseLtInit", "FUNC", None, None), stubs)
    assert chosen is stubs["libcusparseLt.so.0"]


def test_real_libraries_win_over_stubs_made_earlier(torch_lib: Path) -> None:
    stub_libraries.make(torch_lib)
    compile_library(torch_lib.parents[1] / "runtime", "libnccl.so.2", "")
    assert [path.name for path in stub_libraries.make(torch_lib)] == ["libcublas.so.13"]
