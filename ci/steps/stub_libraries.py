"""Stand-ins for the NVIDIA libraries that libtorch needs to be loaded, for machines without a GPU.

The loader wants each library, its versions and its variables to be there; the host-only cases call none of
them. So a stub has every name that libtorch takes from the library: a function ends the process and says its
name, a variable is zero. To compile and to list, gigabytes of cuBLAS, cuDNN and NCCL need not be downloaded.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from steps import elf
from steps.paths import StepError

NVIDIA = re.compile(r"lib(cu|nv|nccl)")
NOT_STUBBED = (
    "libcudart.so",
    "libcuda.so",
)  # the runtime is installed for real; the driver is never asked for
VARIABLE_BYTES = 4096

HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void say(const char* text) { if (write(2, text, strlen(text)) < 0) abort(); }
static void stop(const char* name) {
  say(name);
  say(" was called, and @SONAME@ is a stub: this libtorch was set up without a GPU\\n");
  say("(ci/setup --full installs the real one)\\n");
  abort();
}
#define FUNCTION(name) void name(void) { stop(#name); }
#define VARIABLE(name) _Alignas(64) char name[@BYTES@];
"""


@dataclass
class Stub:
    """One library to make: what it must define, and the versions that it must carry."""

    soname: str
    functions: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    version_of: dict[str, str] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)

    @property
    def prefix(self) -> str:
        """How its names begin, in lower case: libcusparseLt.so.0 has cusparseLtInit, for example."""
        return self.soname.removeprefix("lib").split(".so")[0].removesuffix("_host").lower()

    def source(self) -> str:
        lines = [HEAD.replace("@SONAME@", self.soname).replace("@BYTES@", str(VARIABLE_BYTES))]
        lines += [f"FUNCTION({name})" for name in sorted(self.functions)]
        lines += [f"VARIABLE({name})" for name in sorted(self.variables)]
        return "\n".join(lines) + "\n"

    def version_script(self) -> str:
        nodes = []
        for version in sorted(self.versions):
            names = sorted(name for name, of in self.version_of.items() if of == version)
            exported = f" global: {'; '.join(names)};" if names else ""
            nodes.append(f"{version} {{{exported} }};\n")
        return "".join(nodes)


def make(torch_lib: Path, compiler: str = "cc") -> list[Path]:
    """Fills torch_lib with stubs for what its libraries need and cannot find. Returns what it made.

    libtorch looks there last, so real libraries win when they are installed later.
    """
    libraries = read_libraries(torch_lib)
    return [compile_stub(stub, torch_lib, compiler) for stub in plan(libraries, torch_lib)]


def read_libraries(torch_lib: Path) -> dict[Path, elf.Library]:
    """libtorch.so and every library beside it that it brings along."""
    libraries: dict[Path, elf.Library] = {}
    waiting = [torch_lib / "libtorch.so"]
    while waiting:
        path = waiting.pop()
        if path in libraries or not path.exists() or is_stubbed(path.name):
            continue
        libraries[path] = elf.read(path)
        waiting += [torch_lib / name for name in libraries[path].needed]
    return libraries


def is_stubbed(soname: str) -> bool:
    return NVIDIA.match(soname) is not None and not soname.startswith(NOT_STUBBED)


def is_found(soname: str, library: elf.Library, origin: Path) -> bool:
    """Whether the library's own search path has it; stubs of an earlier time, beside it, do not count."""
    folders = (Path(folder.replace("$ORIGIN", str(origin))) for folder in library.search)
    return any((folder / soname).exists() for folder in folders if folder.resolve() != origin.resolve())


def plan(libraries: dict[Path, elf.Library], origin: Path) -> list[Stub]:
    stubs: dict[str, Stub] = {}
    for library in libraries.values():
        for soname in library.needed:
            if is_stubbed(soname) and not is_found(soname, library, origin):
                stub = stubs.setdefault(soname, Stub(soname))
                stub.versions |= library.versions.get(soname, set())
    for path, library in libraries.items():
        functions: set[str] | None = None
        for wanted in library.wanted:
            chosen = owner(wanted, stubs)
            if chosen is None:
                continue
            if wanted.type == "NOTYPE" and functions is None:
                functions = elf.called(path)
            is_function = wanted.type == "FUNC" or (functions is not None and wanted.name in functions)
            (chosen.functions if is_function else chosen.variables).add(wanted.name)
            if wanted.version is not None:
                chosen.version_of[wanted.name] = wanted.version
    for stub in stubs.values():
        stub.variables -= stub.functions
    return list(stubs.values())


def owner(wanted: elf.Wanted, stubs: dict[str, Stub]) -> Stub | None:
    """The stub that has to define a symbol: the one its version names, else the longest fitting prefix."""
    if wanted.provider is not None:
        return stubs.get(wanted.provider)
    name = wanted.name.lower().lstrip("_")
    fitting = [stub for stub in stubs.values() if name.startswith(stub.prefix)]
    return max(fitting, key=lambda stub: len(stub.prefix)) if fitting else None


def compile_stub(stub: Stub, folder: Path, compiler: str) -> Path:
    library = folder / stub.soname
    source = folder / f"{stub.soname}.c"
    script = folder / f"{stub.soname}.version"
    source.write_text(stub.source())
    script.write_text(stub.version_script())
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", f"-Wl,-soname,{stub.soname}", "-o", str(library)]
    if stub.versions:
        command.append(f"-Wl,--version-script={script}")
    result = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise StepError(f"stub for {stub.soname} did not compile: {result.stderr.strip()[:500]}")
    source.unlink()
    script.unlink()
    return library


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1], "libtorch.so").exists():
        sys.exit("usage: python -m steps.stub_libraries TORCH/lib (the folder with libtorch.so)")
    for made in make(Path(sys.argv[1])):
        print(made)
