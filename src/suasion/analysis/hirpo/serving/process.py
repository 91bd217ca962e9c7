"""A vLLM server that is started here for an epoch's answers, and stopped before training: so both have the whole GPU in turn."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from suasion.analysis.hirpo.engine import VllmConfig
from suasion.errors import SuasionError
from suasion.listening import LOOPBACK
from suasion.progress import say

_STOP = 30.0  # seconds it may take to end when asked to
_PAUSE = 0.5


@contextmanager
def started(config: VllmConfig, model: str, adapters: Sequence[tuple[str, Path]], log: Path) -> Iterator[str]:
    """The server's address, up to and with ``/v1``, once it answers; it is stopped when the block ends.

    Args:
        config: how to start it.
        model: a folder, or a name of the hub; the server calls it ``base``.
        adapters: names and folders.
        log: a file that all it prints is appended to.

    Raises:
        SuasionError: it cannot be started, ends, or does not answer in time; the end of what it printed is told.
    """
    command = command_line(config, model, adapters)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as printed:
        try:
            process = subprocess.Popen(  # noqa: S603 - the recipe's own command
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, process_group=0
            )
        except OSError as error:
            hint = "Install vLLM, best in an environment of its own, and name its program in engine.start.command."
            raise SuasionError(f"Cannot start {command[0]}: {error.strerror or error}", hint=hint) from error
    url = f"http://{LOOPBACK[0]}:{config.port}"
    try:
        say(f"Starting vLLM at {url}; it prints to {log}")
        _wait(process, url, config.start, log)
        yield f"{url}/v1"
    finally:
        _stop(process)


def command_line(config: VllmConfig, model: str, adapters: Sequence[tuple[str, Path]]) -> list[str]:
    """What starts the server."""
    command = [*config.command, model, "--served-model-name=base", f"--host={LOOPBACK[0]}", f"--port={config.port}"]
    if adapters:
        command += ["--enable-lora", f"--max-lora-rank={config.max_lora_rank}", "--lora-modules"]
        command += [f"{name}={folder.resolve()}" for name, folder in adapters]
    return [*command, *config.options]


def _wait(process: subprocess.Popen[bytes], url: str, seconds: float, log: Path) -> None:
    """Until it is healthy."""
    import httpx

    until = time.monotonic() + seconds
    while True:
        if process.poll() is not None:
            raise SuasionError(f"vLLM ended with status {process.returncode} before it answered: {_end(log)}", where=log)
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        if time.monotonic() > until:
            raise SuasionError(f"vLLM did not answer within {seconds:g} s: {_end(log)}", where=log, hint="Raise engine.start.start.")
        time.sleep(_PAUSE)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it and the processes it started, which are of its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_STOP)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _end(log: Path) -> str:
    with suppress(OSError):
        return " ".join(log.read_text("utf-8", "replace")[-600:].split()) or "it printed nothing."
    return "what it printed cannot be read."
