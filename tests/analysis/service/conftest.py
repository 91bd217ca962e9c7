"""A running service, as a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def running(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``suasion serve`` on a free port: the process and its address."""
    command = [sys.executable, "-m", "suasion", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            said = process.stderr.readline()
            match = re.search(r"http://\S+", said)
            assert match, said + process.stderr.read()
            yield process, match[0].rstrip("/")
        finally:
            if process.poll() is None:
                process.kill()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a service with one worker."""
    pytest.importorskip("fastapi")
    with running("--workers", "1") as (_, found):
        yield found
