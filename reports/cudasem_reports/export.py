"""`cudasem export`: a case as a program that stands alone, for a bug report: one .cpp and one CMakeLists.txt.

The case's own text is kept as it is; of the suite's support code (cases/support) only what it uses comes
along, declaration by declaration. How it reports what it sees is templates/reproducer.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudasem_reports import cpp_blocks
from cudasem_reports.columns import Column
from cudasem_reports.cpp_blocks import Block, Source
from cudasem_reports.model import Plan
from cudasem_reports.render import render
from cudasem_reports.wording import effect_line, further_effects, observed_line, shortened

TREE = Path(__file__).resolve().parents[2]
_SPEAKING = "case.h"  # what a case says is replaced by templates/reproducer.cpp
_REPRODUCER = Path(__file__).parent / "templates" / "reproducer.cpp"
_HEAD = re.compile(r"^(CASE|MISUSE|OBSERVE|MEASURE)\((\w+), (\w+)", re.MULTILINE)
_NOT_ALONE = ("gtest/", "nlohmann/")
_ONLY_WITH = {  # a header of ours, and what a program must hold to need it
    "variant": "std::variant",
    "sstream": "std::ostringstream",
    "vector": "std::vector",
    "utility": "std::pair",
    "typeinfo": "std::type_info",
    "cxxabi.h": "abi::",
    "thread": "thread",
    "ATen/cuda/CUDAGraph.h": "raph",
    "ATen/cuda/MemPool.h": "MemPool",
    "c10/cuda/CUDACachingAllocator.h": "Caching",
    "c10/cuda/CUDAGuard.h": "Guard",
    "c10/cuda/CUDAEvent.h": "CUDAEvent",
    "c10/cuda/CUDAFunctions.h": "c10::cuda::",
    "c10/cuda/CUDAStream.h": "c10::cuda::",
    "ATen/cuda/CUDAEvent.h": "at::cuda::CUDAEvent",
    "ATen/cuda/CUDAContext.h": "at::cuda::",
    "c10/cuda/CUDAException.h": "C10_CUDA_",
    "optional": "std::optional",
    "functional": "std::function",
    "algorithm": "std::",
    "array": "std::array",
}
_OF_THE_SUITE = ("support/registry.h", "support/catalog.h", "support/source.h", "support/record.h")
_PRECOMPILED = "pch.h"  # the suite includes it everywhere


class ExportError(Exception):
    """A case that cannot be exported: what was expected, what was found, what to do."""


@dataclass(frozen=True)
class Case:
    """A case as its file says it."""

    kind: str  # CASE, MISUSE …
    area: str
    name: str
    file: str  # `cases/capture/host_synchronisation.cpp`
    head: str  # what stands in the brackets of the macro
    body: str  # from `{` to `}`
    outside: str  # its file without any case

    @property
    def id(self) -> str:
        return f"{self.area}.{self.name}"

    @property
    def needs_gpus(self) -> int:
        match = re.search(r"\.gpus = (\d+)", self.head)
        return int(match[1]) if match else 1

    @property
    def title(self) -> str:
        match = re.search(r'\.title\s*=\s*((?:"(?:\\.|[^"\\])*"\s*)+)', self.head)
        parts = re.findall(r'"((?:\\.|[^"\\])*)"', match[1]) if match else []
        return re.sub(r"\\(.)", r"\1", "".join(parts))


@dataclass(frozen=True)
class Seen:
    """What recorded runs showed of one way, alike: `error 900 at item`, and the first line of its text."""

    releases: tuple[str, ...]
    way: str
    line: str
    text: str


@dataclass(frozen=True)
class Program:
    case: Case
    includes: tuple[tuple[str, ...], ...]
    support: tuple[str, ...]
    own: tuple[str, ...]
    seen: tuple[Seen, ...]
    why: tuple[str, ...]
    links: tuple[str, ...]
    environment: tuple[str, ...]


def all_cases(cases: Path, area: str = "*") -> list[Case]:
    """Every case below the folder `cases`, in the order of files and lines. Raises ExportError."""
    found: list[Case] = []
    for path in sorted(cases.glob(f"{area}/*.cpp")):
        if path.parent.name != "support":
            found += _cases_of(path, f"cases/{path.relative_to(cases).as_posix()}")
    return found


def find(cases: Path, wanted: str) -> Case:
    """The case `area.name`; a way behind it is ignored. Raises ExportError."""
    name = wanted.partition("/")[0]
    if not cases.is_dir():
        raise ExportError(
            f"{cases}: expected the folder cases/ of the source tree, found none; name it with --cases"
        )
    for case in all_cases(cases, name.partition(".")[0]):
        if case.id == name:
            return case
    found = all_cases(cases)
    alike = sorted(case.id for case in found if name.rpartition(".")[2] in case.id or case.id.endswith(name))
    hint = f"did you mean {', '.join(alike[:3])}?" if alike else "`cudasem list` names them all"
    raise ExportError(f"{name}: expected a case of {cases}, found none of that name; {hint}")


def program(cases: Path, case: Case, columns: Sequence[Column] = ()) -> Program:
    """A program that shows `case`, with what the recorded runs of `columns` showed. Raises ExportError."""
    own = cpp_blocks.cut(case.outside)
    files = _support_files(cases, own.own_includes)
    reproducer = cpp_blocks.cut(_REPRODUCER.read_text(encoding="utf-8"))
    own_blocks = cpp_blocks.needed(own.blocks, cpp_blocks.used(case.body))
    uses = cpp_blocks.used(case.body).union(*(each.uses for each in own_blocks))
    library = [each for source in (reproducer, *files) for each in source.blocks]
    support = cpp_blocks.needed(library, uses | {"show", "print_versions"})
    held = set(support)
    used_files = [source for source in files if held & set(source.blocks)]
    text = "\n".join([*(each.text for each in (*support, *own_blocks)), case.body])
    return Program(
        case=case,
        includes=_includes([reproducer, _precompiled(cases), *used_files], own, text),
        support=tuple(_merged([each.text for each in support])),
        own=tuple(_without_static(each) for each in own_blocks),
        seen=tuple(_seen(case.id, columns)),
        why=tuple(dict.fromkeys(_whys(case.id, columns))),
        links=tuple(dict.fromkeys(_links(case.id, columns))),
        environment=tuple(_environment(case.id, columns)),
    )


def write(folder: Path, what: Program) -> list[Path]:
    """`folder`/NAME.cpp and `folder`/CMakeLists.txt. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = (folder / f"{what.case.name}.cpp", folder / "CMakeLists.txt")
    for path, form in zip(paths, ("cpp", "cmake"), strict=True):
        path.write_text(render("export", form, program=what).rstrip("\n") + "\n", encoding="utf-8")
    return list(paths)


def _cases_of(path: Path, file: str) -> Iterable[Case]:
    text = path.read_text(encoding="utf-8")
    outside, at = "", 0
    found: list[tuple[re.Match[str], str, str]] = []
    for match in _HEAD.finditer(text):
        if match.start() < at:
            continue
        bracket = cpp_blocks.closing(text, match.start())
        end = text.find("\n}\n", bracket) + len("\n}\n")
        if end < bracket:
            raise ExportError(f"{file}: expected a line `}}` at the end of {match[2]}.{match[3]}, found none")
        outside += text[at : match.start()]
        found.append((match, text[match.end() : bracket - 1], text[bracket:end].strip()))
        at = end
    outside += text[at:]
    return [Case(m[1], m[2], m[3], file, head, body, outside) for m, head, body in found]


def _support_files(cases: Path, includes: Iterable[str]) -> list[Source]:
    """The headers that `includes` reach, then the files that define what they declare."""
    headers: dict[str, Source] = {}
    bodies: dict[str, Source] = {}

    def visit(name: str) -> None:
        if name == _SPEAKING or name in headers or name in _OF_THE_SUITE:
            return
        try:
            source = cpp_blocks.cut((cases / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ExportError(
                f"{cases / name}: expected there, as a case includes it; found no such file"
            ) from None
        headers[name] = Source((), (), ())  # against circles; its place is behind what it includes
        for other in source.own_includes:
            visit(other)
        del headers[name]
        headers[name] = source
        body = cases / f"{name.removesuffix('.h')}.cpp"
        if body.is_file():
            bodies[name] = cpp_blocks.cut(body.read_text(encoding="utf-8"))
            for other in bodies[name].own_includes:
                if other != name:
                    visit(other)

    for name in includes:
        visit(name)
    return [*headers.values(), *(bodies[name] for name in headers if name in bodies)]


def _precompiled(cases: Path) -> Source:
    """Headers that cases need not include: each of them goes along where the text names what it holds."""
    path = cases / _PRECOMPILED
    source = cpp_blocks.cut(path.read_text(encoding="utf-8")) if path.is_file() else Source((), (), ())
    return Source((), tuple(name for name in source.system_includes if name in _ONLY_WITH), ())


def _includes(sources: Iterable[Source], own: Source, text: str) -> tuple[tuple[str, ...], ...]:
    """In three groups: torch, C, C++. What the case's file includes stays, of the others what is needed."""
    ours = (name for source in sources for name in source.system_includes)
    needed = {name for name in ours if name not in _ONLY_WITH or _ONLY_WITH[name] in text}
    wanted = sorted(name for name in needed | set(own.system_includes) if not name.startswith(_NOT_ALONE))
    torch = tuple(name for name in wanted if name.startswith(("ATen/", "c10/", "torch/")))
    standard = tuple(name for name in wanted if "." not in name)
    return torch, tuple(name for name in wanted if name not in torch + standard), standard


def _merged(blocks: list[str]) -> Iterable[str]:
    """Without declarations that nothing needs before the definition, which takes over their comment."""
    comments: dict[int, str] = {}
    dropped: set[int] = set()
    for index, text in enumerate(blocks):
        comment, signature = _declaration(text)
        define = [
            i for i, other in enumerate(blocks) if signature and _flat(other).startswith(signature + " {")
        ]
        between = blocks[index + 1 : define[0]] if define else []
        if define and not any(cpp_blocks.block(text).declares & cpp_blocks.used(other) for other in between):
            dropped.add(index)
            comments[define[0]] = comment
    for index, text in enumerate(blocks):
        if index not in dropped:
            yield comments.get(index, "") + text


def _declaration(text: str) -> tuple[str, str]:
    """Comment and signature of a block that declares one function and nothing else; else nothing."""
    lines = text.split("\n")
    comment = [line for line in lines if line.startswith("//")]
    code = _flat("\n".join(line for line in lines if not line.startswith("//")))
    alone = code.endswith(");") and code.count(";") == 1 and "{" not in code
    return ("".join(f"{line}\n" for line in comment), code[:-1]) if alone else ("", "")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _without_static(each: Block) -> str:
    """Everything stands in an unnamed namespace already."""
    return re.sub(r"^static (?!constexpr )", "", each.text, flags=re.MULTILINE)


def _plans(case: str, columns: Sequence[Column]) -> Iterable[Plan]:
    for column in columns:
        for way in ("/wrong", "", "/right"):
            if case + way in column.results:
                yield column.results[case + way].plan


def _seen(case: str, columns: Sequence[Column]) -> Iterable[Seen]:
    for way in ("wrong", "", "right"):
        alike: dict[tuple[str, str], list[str]] = {}
        for column in columns:
            result = column.results.get(f"{case}/{way}" if way else case)
            if result is not None and result.observed.ran:
                effects = [
                    observed_line(result.observed),
                    *map(effect_line, further_effects(result.observed)),
                ]
                what = (", then ".join(effects), shortened(result.observed.text))
                alike.setdefault(what, []).append(column.name)
        for (line, text), releases in alike.items():
            yield Seen(tuple(releases), way, line, text)


def _whys(case: str, columns: Sequence[Column]) -> Iterable[str]:
    return (
        plan.expectation.why for plan in _plans(case, columns) if plan.expectation and plan.expectation.why
    )


def _links(case: str, columns: Sequence[Column]) -> Iterable[str]:
    for plan in _plans(case, columns):
        yield from plan.links
        if plan.expectation and plan.expectation.link:
            yield plan.expectation.link


def _environment(case: str, columns: Sequence[Column]) -> Iterable[str]:
    """PyTorch's "Versions" section, of the newest release that a recorded run of the case has."""
    having = [column for column in columns if any(id_.partition("/")[0] == case for id_ in column.results)]
    if not having:
        return
    log = having[-1].log
    yield f"PyTorch version: {log.subject.torch}"
    yield f"PyTorch git: {log.subject.git}"
    yield f"CUDA used to build PyTorch: {log.subject.cuda_build}"
    yield f"OS: {log.machine.os}"
    yield f"Compiler: {log.subject.compiler}"
    yield f"Is CUDA available: {bool(log.machine.gpus)}"
    yield f"CUDA runtime version: {log.subject.cuda_runtime}"
    yield f"Nvidia driver version: {log.machine.driver}"
    for gpu in log.machine.gpus:
        yield f"GPU {gpu.index}: {gpu.name}, compute capability {gpu.cc}, {gpu.memory_mib} MiB"
