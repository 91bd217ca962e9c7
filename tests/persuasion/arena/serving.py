"""A running arena, as a process of its own that may be killed."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A port that is free now, so that a killed server can come back to it."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(study: Path, *options: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``suasion arena serve``: the process and its address."""
    command = [sys.executable, "-m", "suasion", "arena", "serve", str(study), "--port", str(port), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            said = process.stderr.readline()
            match = re.search(r"http://[^/\s]+", said)
            assert match, said + process.stderr.read()
            yield process, match[0]
        finally:
            if process.poll() is None:
                process.kill()
