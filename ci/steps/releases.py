"""The supported releases of torch, from expected/releases.toml."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from steps.paths import RELEASES_TOML, StepError, shown


@dataclass(frozen=True)
class Release:
    torch: str
    cuda_toolkit: str | None
    """PyPI's cuda-toolkit with this wheel's headers and runtime; None: only the wheel itself knows."""


def supported(path: Path = RELEASES_TOML) -> list[Release]:
    """Oldest first, as the file has them."""
    try:
        entries = tomllib.loads(path.read_text())["release"]
        releases = [Release(entry["torch"], entry["cuda_toolkit"]) for entry in entries]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise StepError(
            f"{shown(path)}: wanted [[release]] tables with `torch` and `cuda_toolkit`: {error}"
        ) from error
    if not releases:
        raise StepError(f"{shown(path)}: no [[release]] in it")
    return releases


def order(version: str) -> tuple[int, ...]:
    """A release's numbers, for comparing; what follows them (rc1, .dev…, +cu130) does not count."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else ()


def newest(releases: list[Release]) -> Release:
    return max(releases, key=lambda release: order(release.torch))


def find(asked: str, releases: list[Release]) -> Release:
    """`2.14.1`, or `2.14` for the newest supported 2.14; any other version comes back without a pin."""
    if not re.fullmatch(r"\d+\.\d+[0-9A-Za-z.+]*", asked):
        raise StepError(f"--torch {asked}: not a version; one looks like {newest(releases).torch}")
    for release in releases:
        if release.torch == asked:
            return release
    within = [release for release in releases if release.torch.startswith(f"{asked}.")]
    return newest(within) if within else Release(asked, None)
