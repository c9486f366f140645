from pathlib import Path

from steps import style


def test_a_long_file_is_named_and_data_is_not(tmp_path: Path) -> None:
    (tmp_path / "expected").mkdir()
    for name in ("long.cpp", "expected/claims.toml", "short.cpp"):
        (tmp_path / name).write_text("x\n" * (10 if name == "short.cpp" else style.LONGEST + 1))
    paths = [Path("long.cpp"), Path("expected/claims.toml"), Path("short.cpp")]
    assert style.problems_of_files(paths, tmp_path) == [
        "long.cpp: 501 lines; over 500 it is two ideas: split it"
    ]


def test_recordings_have_a_limit_of_their_own(tmp_path: Path) -> None:
    log = tmp_path / "reports" / "recorded" / "run.ndjson.gz"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"\0" * (style.RECORDED_MIB * 2**20 + 1))
    found = style.problems_of_files([log.relative_to(tmp_path)], tmp_path)
    assert found == ["reports/recorded: 4.0 MiB, more than the 4 MiB that were agreed on"]


def test_a_lax_script_is_told_what_it_lacks(tmp_path: Path) -> None:
    script = tmp_path / "go"
    script.write_text("#!/usr/bin/env bash\n\techo\n")
    found = style.problems_of_shell(Path("go"), tmp_path)
    assert [problem.split(": ")[1].split()[0] for problem in found] == ["`set", "has", "tab"]
