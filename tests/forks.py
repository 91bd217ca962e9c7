"""Runs ``suasion`` command lines as processes of their own, without importing torch (six seconds) for each.

A server process imports everything once, does nothing with it, and forks a child for each command line. The child can be told to be
killed: SIGKILL at a certain point, so that nothing of it can tidy up.
"""

from __future__ import annotations

import json
import os
import resource
import signal
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

    def __call__(self, *words: object, kill: str = "", file_limit: int = 0) -> Ended:
        """Run ``suasion WORDS``.

        Args:
            kill: where SIGKILL strikes, see :func:`_arm`.
            file_limit: the largest size a file may reach, in bytes: what a full disk feels like.
        """
        assert self._server.stdin and self._server.stdout
        job = {"words": [str(word) for word in words], "kill": kill, "file_limit": file_limit, "folder": str(self._folder)}
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        status = int(self._server.stdout.readline())
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
        child = os.fork()
        if child == 0:
            _be_the_command(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _be_the_command(job: dict[str, Any]) -> None:
    status: Any = 1
    try:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{job['folder']}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
        if job["file_limit"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_limit"], resource.RLIM_INFINITY))
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
    last step, before the adapter is saved; ``adapter``: when the adapter is half written. ``@2`` behind it: when that happens the second
    time, which is in an ensemble's second member."""
    from suasion.runs.run import Run
    from suasion.training import common

    kill, _, time = kill.partition("@")
    where, _, number = kill.partition(":")
    strike = _Strike(int(time or 1))
    if where == "step":
        Run.log = strike.at(Run.log, lambda run, step, **_: step == int(number))  # type: ignore[method-assign]
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
