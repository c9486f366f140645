from pathlib import Path

import pytest

from steps import releases
from steps.paths import StepError
from steps.releases import Release

KNOWN = [Release("2.9.1", "13.0.1"), Release("2.14.0", "13.0.2"), Release("2.14.1", "13.0.3")]


def test_the_supported_releases_have_pins() -> None:
    for release in releases.supported():
        assert release.torch.count(".") == 2
        assert release.cuda_toolkit is not None
        assert release.cuda_toolkit.startswith("13.")


def test_newest_compares_numbers_not_text() -> None:
    assert releases.newest(KNOWN).torch == "2.14.1"


def test_a_short_version_means_its_newest_release() -> None:
    assert releases.find("2.14", KNOWN) == Release("2.14.1", "13.0.3")


def test_an_unsupported_version_has_no_pin() -> None:
    assert releases.find("2.16.0.dev20261101+cu132", KNOWN) == Release("2.16.0.dev20261101+cu132", None)


def test_what_is_not_a_version_is_refused_with_an_example() -> None:
    with pytest.raises(StepError, match=r"--torch newest: not a version; one looks like 2\.14\.1"):
        releases.find("newest", KNOWN)


def test_a_file_without_pins_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "releases.toml"
    file.write_text('[[release]]\ntorch = "2.14.1"\n')
    with pytest.raises(StepError, match=r"releases\.toml: wanted .*cuda_toolkit"):
        releases.supported(file)
