"""Where things are in a checkout, and the one kind of error that a step reports."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS_VENV = ROOT / ".venv"
TORCH_VENVS = ROOT / ".venvs"
RELEASES_TOML = ROOT / "expected" / "releases.toml"


class StepError(Exception):
    """What went wrong and what to do about it, for the person at the terminal: no traceback belongs to it."""


def shown(path: Path) -> str:
    """The path as a reader of a message wants it: relative to the checkout where it is inside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
