"""What the system must have: compilers, CMake, libraries. Installed on Debian and Ubuntu, else listed."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from steps.paths import StepError

INCLUDE_FOLDERS = (Path("/usr/include"), Path("/usr/local/include"))
OLDEST_CMAKE = (3, 25)


@dataclass(frozen=True)
class Package:
    name: str
    """Debian's."""
    sign: str
    """What shows that it is there, however it came: a command, or a header (with a dot in it)."""
    tests_only: bool = False
    """Only ci/test wants it."""


PACKAGES = (
    Package("cmake", "cmake"),
    Package("ninja-build", "ninja"),
    Package("clang", "clang++"),
    Package("g++", "g++"),
    Package("binutils", "readelf"),
    Package("git", "git"),
    Package("libtomlplusplus-dev", "toml++/toml.h"),
    Package("nlohmann-json3-dev", "nlohmann/json.hpp"),
    Package("libcli11-dev", "CLI/CLI.hpp"),
    Package("libfmt-dev", "fmt/format.h"),
    Package("libgtest-dev", "gtest/gtest.h"),
    Package("libgmock-dev", "gmock/gmock.h"),
    Package("libre2-dev", "re2/re2.h"),
    Package("zlib1g-dev", "zlib.h"),
    Package("ccache", "ccache", tests_only=True),
    Package("clang-tidy", "clang-tidy", tests_only=True),
    Package("shellcheck", "shellcheck", tests_only=True),
    Package("chromium", "chromium", tests_only=True),
    Package("chromium-driver", "chromedriver", tests_only=True),
)


FULL_TEST_PACKAGES = (Package("slurm-wlm", "slurmctld"), Package("munge", "munged"))
"""Only ci/test --full wants them."""


def is_there(package: Package) -> bool:
    if "." in package.sign:
        return any((folder / package.sign).exists() for folder in INCLUDE_FOLDERS)
    return shutil.which(package.sign) is not None


def python_can_make_environments() -> bool:
    """Debian ships Python without ensurepip; python3-venv has it."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        return False
    return True


def lacking() -> list[Package]:
    absent = [package for package in PACKAGES if not is_there(package)]
    if not python_can_make_environments():
        absent.append(Package("python3-venv", "ensurepip"))
    return absent


def install_lacking() -> str:
    """What was done, in a line. Without the right to install: StepError with the command to give."""
    absent = lacking()
    if not absent:
        check_cmake()
        return "all there"
    names = [package.name for package in absent]
    command = f"apt-get install {' '.join(names)}"
    if shutil.which("apt-get") is None:
        raise StepError(
            f"system packages missing: {', '.join(names)} (Debian's names: install what they are called here)"
        )
    if os.geteuid() != 0:
        if all(package.tests_only for package in absent):
            check_cmake()
            return f"missing, and only ci/test needs them: {', '.join(names)} (as root: {command})"
        raise StepError(f"system packages missing: {', '.join(names)}. As root: {command}")
    apt("update")
    unknown = [package.name for package in absent if package.tests_only and not is_known(package)]
    names = [name for name in names if name not in unknown]
    if names:
        print(f"setup: system packages: installing {' '.join(names)}", flush=True)
        apt("install", "--yes", "--no-install-recommends", *names)
    still_absent = [package.name for package in lacking() if package.name not in unknown]
    if still_absent:
        raise StepError(f"installed {', '.join(still_absent)}, and still cannot find what it should bring")
    check_cmake()
    done = [f"installed {' '.join(names)}"] if names else []
    left = [f"not in this distribution, and only ci/test needs them: {', '.join(unknown)}"] if unknown else []
    return "; ".join(done + left)


def is_known(package: Package) -> bool:
    """Ubuntu has no Chromium that apt-get could install."""
    command = ["apt-cache", "policy", package.name]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    candidate = re.search(r"Candidate: (\S+)", said)
    return candidate is not None and candidate[1] != "(none)"


def install_for_full_test() -> None:
    """StepError where that needs root and is not there."""
    names = [package.name for package in FULL_TEST_PACKAGES if not is_there(package)]
    if names and os.geteuid() != 0:
        raise StepError(
            f"ci/test --full needs {', '.join(names)}. As root: apt-get install {' '.join(names)}"
        )
    if names:
        apt("update")
        apt("install", "--yes", "--no-install-recommends", *names)


def apt(*arguments: str) -> None:
    result = subprocess.run(
        ["apt-get", "-qq", *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        errors = [line for line in result.stderr.splitlines() if line.startswith("E:")]
        said = "; ".join(errors[-3:]) or result.stderr.strip()[-300:]
        raise StepError(
            f"apt-get {' '.join(arguments)} failed: {said} (Debian 12 and Ubuntu 24.04 have every package)"
        )


def check_cmake() -> None:
    said = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_CMAKE:
        wanted = ".".join(str(part) for part in OLDEST_CMAKE)
        raise StepError(
            f"CMake {version[0] if version else '(unknown)'} is too old: {wanted} or newer is needed"
        )
