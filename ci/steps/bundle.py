"""ci/bundle: one archive for GPU nodes: the program, the cases of several releases, expectations and reports.

A node needs a driver and a libtorch; no compiler, no network. Python with Jinja2 makes the pages there, or
elsewhere from the log.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from steps import build, libtorch, releases, setup, style
from steps.paths import ROOT, StepError, shown

NODE_SCRIPT = ROOT / "ci" / "node" / "run"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ci/bundle", description=(__doc__ or "").split("\n\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--torch", action="append", metavar="VERSION", help="for this release (several times)")
    which.add_argument("--all-torch", action="store_true", help="for every supported release")
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "out" / "cudasem-bundle.tar.gz",
        metavar="FILE",
        help="the archive (out/cudasem-bundle.tar.gz)",
    )
    return parser.parse_args(argv)


def built_folders(options: argparse.Namespace) -> dict[str, Path]:
    """Sets up and builds what is asked for: release → its build folder."""
    command = ["--quiet", *(["--all-torch"] if options.all_torch else [])]
    for version in options.torch or []:
        command += ["--torch", version]
    wanted = setup.arguments(command)
    setup.run(wanted)
    folders = {}
    for release in setup.wanted_releases(wanted):
        built = build.build(libtorch.installed_torch_dir(release.torch), targets=("cudasem", "cases/all"))
        build.report(built)
        folders[release.torch] = built.folder
    return folders


def assemble(folders: dict[str, Path], bundle: Path) -> None:
    """Fills the folder `bundle`. StepError when a build lacks what belongs in it."""
    newest = folders[max(folders, key=releases.order)]
    copy_program(newest / "runner" / "cudasem", bundle / "bin" / "cudasem")
    for torch, folder in folders.items():
        copy_cases(folder / "cases", bundle / f"torch-{torch}")
    for path in style.tracked("expected/*", "reports/cudasem_reports/*", "reports/recorded/*"):
        target = bundle / "share" / "cudasem" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
    shutil.copy(NODE_SCRIPT, bundle / "run")


def copy_cases(cases: Path, target: Path) -> None:
    subject = json.loads((cases / "subject.json").read_text())
    present = [area for area in subject["areas"] if (cases / f"cudasem_{area}").exists()]
    if not present:
        raise StepError(f"{shown(cases)}: no case binary: ci/build says why")
    target.mkdir(parents=True)
    for area in present:
        copy_program(cases / f"cudasem_{area}", target / f"cudasem_{area}")
    subject |= {"torch_lib": "", "cuda_lib": "", "build_log": ""}  # of the machine that built
    (target / "subject.json").write_text(json.dumps(subject) + "\n")


def copy_program(source: Path, target: Path) -> None:
    """Without debug information where `strip` is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    if shutil.which("strip"):
        subprocess.run(["strip", "-g", str(target)], check=True)


def pack(bundle: Path, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_name(archive.name + ".new")
    with tarfile.open(unfinished, "w:gz") as tar:
        tar.add(bundle, arcname="cudasem-bundle", filter=anonymous)
    unfinished.rename(archive)


def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main() -> int:
    options = arguments()
    try:
        folders = built_folders(options)
        with tempfile.TemporaryDirectory() as folder:
            assemble(folders, Path(folder) / "bundle")
            pack(Path(folder) / "bundle", options.out)
    except StepError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 2
    size = options.out.stat().st_size / 2**20
    print(f"bundle: {shown(options.out)}, {size:.1f} MiB, for torch {', '.join(folders)}; on the node:")
    print(f"  tar xzf {options.out.name} && cudasem-bundle/run --torch-dir DIR")
    return 0


if __name__ == "__main__":
    sys.exit(main())
