"""A Slurm of one node, on loopback, for tests: its daemons live as long as the context does."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
CONF = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1,sched_interval=1
ReturnToService=2
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def is_installed() -> bool:
    return all(shutil.which(name, path=search_path()) for name in (*DAEMONS, "sbatch"))


def search_path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin"


@contextlib.contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """The environment with which Slurm's commands reach it. RuntimeError when the node does not come up."""
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": search_path()}
    for name in ("state", "spool"):
        (folder / name).mkdir()
    write_settings(folder)
    try:
        start(folder, environment)
        yield environment
    finally:
        for daemon in ("slurmd", "slurmctld", "munged"):
            end(folder / f"{daemon}.pid")


def write_settings(folder: Path) -> None:
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    host = socket.gethostname().partition(".")[0]
    conf = CONF.format(host=host, folder=folder, cpus=os.cpu_count(), ports=(free_port(), free_port()))
    (folder / "slurm.conf").write_text(conf)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(folder: Path, environment: dict[str, str]) -> None:
    munge = [
        "munged",
        "--force",
        *(f"--{what}-file={folder}/munged.{what}" for what in ("pid", "log", "seed")),
    ]
    munge += [f"--key-file={folder}/munge.key", f"--socket={folder}/munge.sock"]
    for command in (munge, ["slurmctld"], ["slurmd"]):
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=30)
    deadline = time.monotonic() + 30
    while "idle" not in state_of_node(environment):
        if time.monotonic() > deadline:
            logs = [path.read_text(errors="replace")[-1000:] for path in folder.glob("*.log")]
            raise RuntimeError("the node did not become idle within 30 s:\n" + "\n".join(logs))
        time.sleep(0.2)


def state_of_node(environment: dict[str, str]) -> str:
    command = ["sinfo", "--noheader", "--format=%T"]
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True).stdout


def end(pid_file: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.kill(int(pid_file.read_text()), signal.SIGTERM)
