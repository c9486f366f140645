"""How many tests passed, failed and were skipped: read from the JUnit files of ctest and pytest."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from steps.paths import StepError, shown


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    @property
    def short(self) -> str:
        """Without what there is none of, so that only the last line of a run looks like one."""
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.passed} passed{failed}" + (f", {self.skipped} skipped" if self.skipped else "")


ONE_PASSED = Counts(passed=1)
ONE_FAILED = Counts(failed=1)


def read_junit(path: Path) -> Counts:
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        raise StepError(f"{shown(path)}: no test results could be read: {error}") from error
    return sum((outcome(case) for case in cases), Counts())


def outcome(case: ElementTree.Element) -> Counts:
    """A test that ctest could not start (`notrun` for another reason than its own wish) has failed."""
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return ONE_FAILED
    if case.get("status") == "notrun":
        asked_for = skipped is not None and (skipped.get("message") or "").startswith("SKIP_")
        return Counts(skipped=1) if asked_for else ONE_FAILED
    return Counts(skipped=1) if skipped is not None or case.get("status") == "disabled" else ONE_PASSED


CLOSING = re.compile(r"^(=+ .* in [0-9.]+s.* =+|\d+% tests passed, .*)$", re.MULTILINE)


def closing_line(log: str) -> str:
    """What pytest or ctest itself says last of its tests; empty if neither ran."""
    found = CLOSING.findall(log)
    return found[-1] if found else ""
