"""`cudasem run --junit --json`: what other programs read of a run, end to end."""

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from steps.bench_folder import TrivialFolder
from steps.paths import ROOT

PROGRAM = os.environ.get("CUDASEM_PROGRAM")
RESULTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def check_junit(document: Path) -> ET.Element:
    """The common shape: suites and cases named and timed, at most one result each, counts that add up."""
    root = ET.parse(document).getroot()
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name") and float(suite.get("time", "")) >= 0
        found = dict.fromkeys(["tests", *RESULTS.values()], 0)
        for case in suite:
            assert case.tag == "testcase" and case.get("name") and case.get("classname")
            assert len(case) <= 1
            found["tests"] += 1
            for result in case:
                found[RESULTS[result.tag]] += 1
        assert {name: int(suite.get(name, "")) for name in found} == found
    for name in ("tests", *RESULTS.values()):
        assert int(root.get(name, "")) == sum(int(suite.get(name, "")) for suite in root)
    return root


def test_the_golden_document_has_the_common_shape() -> None:
    check_junit(ROOT / "runner" / "golden" / "junit.xml")


@pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")
def test_a_run_has_them_all_and_stdout_holds_the_document_alone(tmp_path: Path) -> None:
    folder = TrivialFolder(tmp_path, Path(str(PROGRAM)).parent)
    command = [*folder.run(2), "--junit", tmp_path / "junit.xml", "--json", "-"]
    environment = {**os.environ, **folder.environment(5)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert (document["exit"], document["counts"], document["unexpected"]) == (0, {"as_expected": 5}, [])
    assert "5 as expected" in done.stderr
    cases = [case.get("name") for suite in check_junit(tmp_path / "junit.xml") for case in suite]
    assert len(cases) == 5
