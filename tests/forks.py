"""Runs ``suasion`` command lines as processes of their own, without importing torch (six seconds) for each.

A server process imports everything once, does nothing with it, and forks a child for each command line. The child can be told to be
killed: SIGKILL at a certain point, so that nothing of it can tidy up.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEAVY = ("torch", "transformers", "trl", "peft", "datasets", "pyarrow.parquet", "matplotlib.pyplot", "scipy.stats", "statsmodels.api")


@dataclass(frozen=True)
class Ended:
    """How a command ended; a negative status is the signal that killed it."""

    status: int
    out: str
    err: str


class CommandLine:
    """The server's client: call it with the words of a command line."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        command = [sys.executable, "-m", "tests.forks"]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[1]
        )

    def together(self, processes: int, *words: object, kill: str = "", victim: int = 1) -> list[Ended]:
        """Run ``suasion WORDS`` in several processes as ``torchrun`` starts them, but with nobody who ends all when one ends.

        Args:
            kill: where SIGKILL strikes the process of rank ``victim``.

        Returns:
            How each ended, by rank.
        """
        assert self._server.stdin and self._server.stdout
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        jobs = []
        for rank in range(processes):
            folder = self._folder / f"rank-{rank}"
            folder.mkdir(exist_ok=True)
            place = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "LOCAL_WORLD_SIZE": processes, "MASTER_PORT": port}
            environment = {name: str(value) for name, value in place.items()} | {"MASTER_ADDR": "127.0.0.1"}
            struck = kill if rank == victim else ""
            job = {"words": [str(word) for word in words], "kill": struck, "file_limit": 0, "folder": str(folder)}
            jobs.append(job | {"environment": environment})
        self._server.stdin.write(json.dumps(jobs) + "\n")
        self._server.stdin.flush()
        statuses = json.loads(self._server.stdout.readline())
        folders = [self._folder / f"rank-{rank}" for rank in range(processes)]
        return [
            Ended(status, (folder / "out").read_text(), (folder / "err").read_text())
            for status, folder in zip(statuses, folders, strict=True)
        ]

    def __call__(self, *words: object, kill: str = "", file_limit: int = 0) -> Ended:
        """Run ``suasion WORDS``.

        Args:
            kill: where SIGKILL strikes, see :func:`_arm`.
            file_limit: the largest size a file may reach, in bytes: what a full disk feels like.
        """
        assert self._server.stdin and self._server.stdout
        job = {"words": [str(word) for word in words], "kill": kill, "file_limit": file_limit, "folder": str(self._folder)}
        self._server.stdin.write(json.dumps([job]) + "\n")
        self._server.stdin.flush()
        (status,) = json.loads(self._server.stdout.readline())
        return Ended(status, (self._folder / "out").read_text(), (self._folder / "err").read_text())

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin
        self._server.stdin.close()
        self._server.wait(timeout=30)


def _serve() -> None:
    import importlib

    for name in _HEAVY:
        importlib.import_module(name)
    from trl import DPOTrainer, GRPOTrainer, RewardTrainer, RLOOTrainer, SFTTrainer  # noqa: F401 - trl imports its trainers when they are asked for

    for line in sys.stdin:
        children = []
        for job in json.loads(line):
            child = os.fork()
            if child == 0:
                _be_the_command(job)
            children.append(child)
        print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]), flush=True)


def _be_the_command(job: dict[str, Any]) -> None:
    status: Any = 1
    try:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{job['folder']}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
        if job["file_limit"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_limit"], resource.RLIM_INFINITY))
        os.environ.update(job.get("environment", {}))
        _arm(job["kill"])
        from suasion.cli import main

        sys.argv = ["suasion", *job["words"]]
        main()
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)


def _arm(kill: str) -> None:
    """``step:N``: when step N is logged (before its checkpoint); ``sealing:N``: when checkpoint N is half written; ``trained``: after the
    last step, before the adapter is saved; ``adapter``: when the adapter is half written; ``drawing:N``: when the row of step N of judged
    pairs is half written. ``@2`` behind it: when that happens the second time, which is in an ensemble's second member."""
    from suasion.runs.following import Following
    from suasion.runs.run import Run
    from suasion.training import common

    kill, _, time = kill.partition("@")
    where, _, number = kill.partition(":")
    strike = _Strike(int(time or 1))
    if where == "step":
        for kind in (Run, Following):
            kind.log = strike.at(kind.log, lambda run, step, **_: step == int(number))  # type: ignore[attr-defined]
    elif where == "drawing":
        from suasion.training import judged_pairs

        def torn(path: Path, row: dict[str, Any]) -> None:
            with path.open("ab") as file:
                file.write(json.dumps(row).encode()[:200])

        append = judged_pairs.append_jsonl
        judged_pairs.append_jsonl = strike.at(append, lambda path, row: row["step"] == int(number), torn)  # type: ignore[attr-defined]
    elif where == "sealing":

        def tear(folder: Path) -> None:
            os.truncate(folder / "adapter_model.safetensors", 1000)
            (folder / "trainer_state.json").unlink()

        common.seal = strike.at(common.seal, lambda folder: folder.name == f"checkpoint-{number}", tear)
    elif where in ("trained", "adapter"):
        from suasion.persuasion.judging import learn
        from suasion.persuasion.stages import practice, sft

        def half(model: Any, base: Any, folder: Path) -> None:
            if where == "adapter":
                folder.mkdir(parents=True)
                (folder / "adapter_model.safetensors").write_bytes(b"half")

        for module in (learn, practice, sft):
            module.save_adapter = strike.at(module.save_adapter, lambda *_: True, half)  # type: ignore[attr-defined]


class _Strike:
    """Kills this process at the ``time``-th call that matches, after doing some damage."""

    def __init__(self, time: int) -> None:
        self.left = time

    def at(self, function: Callable[..., Any], matches: Callable[..., bool], damage: Callable[..., None] = lambda *_, **__: None) -> Any:
        def struck(*arguments: Any, **named: Any) -> Any:
            if matches(*arguments, **named):
                self.left -= 1
                if self.left == 0:
                    damage(*arguments, **named)
                    os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **named)

        return struck


if __name__ == "__main__":
    _serve()
