"""``suasion serve`` as a process: it comes up, finishes what is under way when told to stop, and leaves nothing behind."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from typing import Any

import pytest

pytest.importorskip("fastapi")
from suasion.analysis.tasks import get_task
from tests.analysis.service.conftest import running


def ask(address: str, answers: list[str]) -> Any:
    task = get_task("logreco")
    body = json.dumps({"source": task.example.source, "answers": answers}).encode()
    request = urllib.request.Request(f"{address}/verify/logreco", body, {"Content-Type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - our own
        return json.load(reply)["verdicts"]


def test_a_request_under_way_is_finished_at_sigterm_and_no_process_is_left() -> None:
    good = get_task("logreco").example.answer
    with running("--workers", "1") as (process, address):
        assert ask(address, [good])[0]["verdict"] == "valid"
        replies: list[Any] = []
        # each answer another, so that nothing is remembered
        answers = [good.replace("```argdown", f"{number}\n```argdown") for number in range(250)]
        thread = threading.Thread(target=lambda: replies.append(ask(address, answers)))
        thread.start()
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        thread.join(60)
        assert process.wait(60) in (0, -signal.SIGTERM)  # uvicorn raises the signal once more when it is done
        assert [one["verdict"] for one in replies[0]] == ["valid"] * 250
    port = int(address.rpartition(":")[2])
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", port))


def test_it_listens_on_this_machine_alone() -> None:
    with running("--workers", "1") as (_, address):
        assert address.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-m", "suasion", "serve", "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
    assert "Traceback" not in done.stderr
