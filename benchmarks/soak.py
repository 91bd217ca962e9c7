"""Claim: the service survives 64 concurrent clients that send the worst there is for a minute, and every good request that comes in between
is answered rightly.

Each of the 64 sends one bad answer after the other, a bad request now and then, and sometimes hangs up before the reply. Eight more send
only good requests, valid and invalid answers by turns, no two alike. There is no rival: it holds, or it does not.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from urllib.parse import urlsplit

import psutil
from ordinary_answers import SOURCE, ordinary
from worst_answers import worst

CLIENTS, GOOD_CLIENTS = 64, 8
FINE = {200, 400, 404, 405, 408, 413, 422, 503, 504}
BODIES = [b"", b"{", b"[" * 100_000, b"\xff" * 1000, b'{"answers": [1]}', b'{"answers": ["' + b"x" * 17_000_000 + b'"]}']


class Tally:
    """What the clients saw."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.good = self.wrong = 0
        self.seconds: list[float] = []
        self.bad: Counter[str] = Counter()
        self.wrongs: list[str] = []


def main() -> None:
    """Start a service, send for a minute (or as many seconds as are asked for), and look at what came back."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    with subprocess.Popen([sys.executable, "-m", "suasion", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr  # noqa: S101
        match = re.search(r"http://\S+", server.stderr.readline())
        assert match  # noqa: S101
        host = urlsplit(match[0]).netloc
        noise: list[str] = []
        threading.Thread(target=lambda: noise.extend(server.stderr or ()), daemon=True).start()
        before = psutil.Process(server.pid).memory_info().rss
        tally = soak(host, seconds)
        health = request(host, "GET", "/health", b"", 60)[0]
        process = psutil.Process(server.pid)
        after, workers = process.memory_info().rss, [child.memory_info().rss for child in process.children()]
        server.send_signal(signal.SIGTERM)
        ended = server.wait(120)
    print(f"bad requests: {dict(sorted(tally.bad.items()))}")
    print(f"good requests: {tally.good:,}, slowest {max(tally.seconds):.1f} s, median {statistics.median(tally.seconds):.2f} s")
    print(
        f"memory of the service: {before / 2**20:.0f} MB before, {after / 2**20:.0f} MB after; of workers {[w >> 20 for w in workers]} MB"
    )
    for line in [*tally.wrongs[:5], *noise[:10]]:
        print(f"  {line.rstrip()[:300]}")
    held = {
        f"{tally.good:,} good requests answered rightly, {tally.wrong} not": tally.good > 0 and not tally.wrong,
        "no bad request got anything but a verdict or a plain refusal": set(tally.bad) <= {"hung up", *map(str, FINE)},
        f"still healthy ({health})": health == 200,
        f"nothing was logged as an error ({len(noise)} lines)": not any("Traceback" in line or "ERROR" in line for line in noise),
        f"stopped when told to ({ended})": ended in (0, -signal.SIGTERM),
    }
    for what, holds in held.items():
        print(f"{'HOLDS' if holds else 'FAILS'}  {what}")
    sys.exit(0 if all(held.values()) else 1)


def soak(host: str, seconds: float) -> Tally:
    """All clients at once."""
    tally, end = Tally(), time.monotonic() + seconds
    threads = [threading.Thread(target=bad_client, args=(host, number, end, tally)) for number in range(CLIENTS)]
    threads += [threading.Thread(target=good_client, args=(host, number, end, tally)) for number in range(GOOD_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally


def bad_client(host: str, number: int, end: float, tally: Tally) -> None:
    """The worst, in an order of its own."""
    generator, answers = random.Random(number), worst()
    while time.monotonic() < end:
        one = generator.choice(answers)
        body = json.dumps({"source": one.source, "answers": [one.answer] * generator.choice([1, 1, 1, 4])}).encode()
        path = f"/verify/{one.task}"
        kind = generator.random()
        if kind < 0.1:
            body = generator.choice(BODIES)
        elif kind < 0.2:
            path, body = "/map", json.dumps({"task": one.task, "answer": one.answer[:100_000]}).encode()
        try:
            status = str(request(host, "POST", path, body, 0.5 if kind > 0.9 else 300)[0])
        except TimeoutError:
            status = "hung up"
        except (OSError, http.client.HTTPException) as error:
            # a refusal of a body that is too large may close the connection while it is still being sent
            status = "413" if len(body) > 16_000_000 else repr(error)
        with tally.lock:
            tally.bad[status] += 1


def good_client(host: str, number: int, end: float, tally: Tally) -> None:
    """Ordinary answers; what becomes of each is known."""
    answers, count = ordinary(), number
    while time.monotonic() < end:
        count += 1
        one = answers[count % len(answers)]
        texts = [f"Client {number}, request {count}.\n\n{answer}" for answer in (one.valid, one.invalid)]
        body = json.dumps({"source": SOURCE, "answers": texts}).encode()
        started, told = time.monotonic(), "nothing"
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, KeyError):
            status, reply = request(host, "POST", f"/verify/{one.task}", body, 300)
            told = f"{status} {reply[:200]!r}"
            if [verdict["verdict"] for verdict in json.loads(reply)["verdicts"]] == ["valid", "invalid"]:
                told = ""
        with tally.lock:
            tally.good += not told
            tally.wrong += bool(told)
            tally.seconds.append(time.monotonic() - started)
            if told:
                tally.wrongs.append(f"{one.task}: {told}")


def request(host: str, method: str, path: str, body: bytes, timeout: float) -> tuple[int, bytes]:
    """The status and the body of a reply."""
    with contextlib.closing(http.client.HTTPConnection(host, timeout=timeout)) as connection:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read()


if __name__ == "__main__":
    main()
