"""What a shared library asks of others, read with readelf (binutils)."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from steps.paths import StepError

DYNAMIC = re.compile(r"\((NEEDED|RPATH|RUNPATH)\).*\[(.*)\]")
VERSIONS_OF = re.compile(r"Version: \d+  File: (\S+)  Cnt:")
VERSION = re.compile(r"Name: (\S+)  Flags: .*  Version: (\d+)\s*$")
UNDEFINED = re.compile(r" (\w+) +GLOBAL +\w+ +UND (\S+?)(?:@(\S+) \((\d+)\))?\s*$")


@dataclass(frozen=True)
class Wanted:
    """A symbol that the library must find elsewhere (a weak one need not be found and is left out)."""

    name: str
    type: str
    """FUNC or OBJECT, as the link editor saw it defined; NOTYPE: it did not see it."""
    provider: str | None
    """The library that its version ties it to; None: it has no version, and any may have it."""
    version: str | None


@dataclass
class Library:
    needed: list[str] = field(default_factory=list)
    search: list[str] = field(default_factory=list)
    """RPATH or RUNPATH, with $ORIGIN as written."""
    versions: dict[str, set[str]] = field(default_factory=dict)
    """By needed library: the version names that the loader will insist on."""
    wanted: list[Wanted] = field(default_factory=list)


def read(path: Path) -> Library:
    library = Library()
    provider_by_version_index: dict[str, str] = {}
    undefined: list[re.Match[str]] = []
    file = ""
    for line in readelf(path, "--dynamic", "--version-info", "--dyn-syms"):
        if entry := DYNAMIC.search(line):
            if entry[1] == "NEEDED":
                library.needed.append(entry[2])
            else:
                library.search += entry[2].split(":")
        elif entry := VERSIONS_OF.search(line):
            file = entry[1]
            library.versions[file] = set()
        elif file and (entry := VERSION.search(line)):
            library.versions[file].add(entry[1])
            provider_by_version_index[entry[2]] = file
        elif entry := UNDEFINED.search(line):
            undefined.append(entry)
    library.wanted = [
        Wanted(entry[2], entry[1], provider_by_version_index.get(entry[4]), entry[3]) for entry in undefined
    ]
    return library


def called(path: Path) -> set[str]:
    """Names that the library calls through its procedure linkage table, hence functions."""
    slots = (line.split() for line in readelf(path, "--relocs") if "_JUMP_SL" in line)
    return {fields[4].split("@")[0] for fields in slots if len(fields) > 4}


def readelf(path: Path, *what: str) -> list[str]:
    result = subprocess.run(
        ["readelf", "--wide", *what, str(path)],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise StepError(f"readelf could not read {path}: {result.stderr.strip()[:300]}")
    return result.stdout.splitlines()
