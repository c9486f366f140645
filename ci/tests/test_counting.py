from pathlib import Path

import pytest

from steps import test as suite
from steps.counting import Counts, closing_line, read_junit
from steps.paths import StepError

CTEST = """<?xml version="1.0"?><testsuite>
<testcase name="ok" status="run"/>
<testcase name="wrong" status="fail"><failure message="Failed"/></testcase>
<testcase name="no GPU" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
<testcase name="not built" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>"""
PYTEST = """<?xml version="1.0"?><testsuites><testsuite>
<testcase name="ok"/><testcase name="wrong"><failure/></testcase><testcase name="broken"><error/></testcase>
<testcase name="elsewhere"><skipped type="pytest.skip" message="no Chromium"/></testcase>
</testsuite></testsuites>"""


def test_ctest_a_test_that_could_not_start_has_failed(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(CTEST)
    assert read_junit(tmp_path / "junit.xml") == Counts(1, 2, 1)


def test_pytest_errors_are_failures(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(PYTEST)
    assert read_junit(tmp_path / "junit.xml") == Counts(1, 2, 1)


def test_a_torn_file_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(CTEST[:60])
    with pytest.raises(StepError, match="no test results could be read"):
        read_junit(tmp_path / "junit.xml")


def test_a_run_without_tests_is_not_green(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("<testsuite/>")
    assert suite.counted(tmp_path / "junit.xml", 0) == Counts(failed=1)


def test_a_failing_status_without_a_failed_test_counts(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text('<testsuite><testcase status="run"/></testsuite>')
    assert suite.counted(tmp_path / "junit.xml", 8) == Counts(passed=1, failed=1)


def test_a_step_shows_the_closing_line_of_its_test_program() -> None:
    assert closing_line("a\n100% tests passed, 0 tests failed out of 3\n\nTotal") == (
        "100% tests passed, 0 tests failed out of 3"
    )
    assert (
        closing_line("x\n===== 2 passed, 1 skipped in 0.05s =====\n")
        == "===== 2 passed, 1 skipped in 0.05s ====="
    )
    assert closing_line("compiled\n") == ""


def test_a_short_count_leaves_out_what_there_is_none_of() -> None:
    assert Counts(3).short == "3 passed"
    assert Counts(3, 1, 2).short == "3 passed, 1 failed, 2 skipped"
