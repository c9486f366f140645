import shutil

import pytest

from steps import system_packages
from steps.paths import StepError
from steps.system_packages import Package

CMAKE = Package("cmake", "cmake")
TIDY = Package("clang-tidy", "clang-tidy", tests_only=True)


@pytest.fixture
def not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system_packages, "check_cmake", lambda: None)


@pytest.mark.usefixtures("not_root")
def test_without_root_the_command_to_give_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "lacking", lambda: [CMAKE, TIDY])
    with pytest.raises(StepError, match="As root: apt-get install cmake clang-tidy"):
        system_packages.install_lacking()


@pytest.mark.usefixtures("not_root")
def test_what_only_tests_need_does_not_stop_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "lacking", lambda: [TIDY])
    assert "only ci/test needs them: clang-tidy" in system_packages.install_lacking()


def test_what_a_distribution_does_not_have_costs_only_the_tests_that_want_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = Package("chromium-driver", "chromedriver", tests_only=True)
    there: set[str] = set()
    asked: list[tuple[str, ...]] = []

    def apt(*arguments: str) -> None:
        asked.append(arguments)
        there.update(arguments)

    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system_packages, "check_cmake", lambda: None)
    monkeypatch.setattr(system_packages, "apt", apt)
    monkeypatch.setattr(system_packages, "is_known", lambda package: package is not browser)
    monkeypatch.setattr(
        system_packages, "lacking", lambda: [each for each in (TIDY, browser) if each.name not in there]
    )
    assert system_packages.install_lacking() == (
        "installed clang-tidy; not in this distribution, and only ci/test needs them: chromium-driver"
    )
    assert asked[-1] == ("install", "--yes", "--no-install-recommends", "clang-tidy")


@pytest.mark.skipif(shutil.which("apt-cache") is None, reason="no apt here")
def test_apt_is_asked_what_it_knows() -> None:
    assert not system_packages.is_known(Package("no-such-package-anywhere", "x"))


def test_nothing_lacking_installs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "lacking", lambda: [])
    monkeypatch.setattr(system_packages, "check_cmake", lambda: None)
    assert system_packages.install_lacking() == "all there"


def test_an_old_cmake_is_named_with_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "OLDEST_CMAKE", (99, 0))
    with pytest.raises(StepError, match=r"is too old: 99\.0 or newer"):
        system_packages.check_cmake()
