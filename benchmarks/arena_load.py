"""Claim: 50 raters at once give 5,000 ballots to a server that is killed again and again; none is lost, none doubled, and the median
answer takes less than 50 ms on two cores.

Every rater answers a ballot about twice a second, some twenty times as fast as people do; the time counts from sending the answer until
the next page is there. The server is killed (SIGKILL) at random moments, ten seconds apart on average, and started again. A rater whose
answer got no reply sends it again, or reloads the page first, as people do. At the end the database must hold one ballot for each item,
and every ballot whose storing was told to a rater must be as it was sent. There is no rival: it holds, or it does not.

python benchmarks/arena_load.py [RATERS [BALLOTS_OF_EACH [SECONDS_BETWEEN_KILLS]]]
"""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

from suasion.persuasion.arena.create import create_from_replies
from suasion.persuasion.arena.invite import rater_token
from suasion.persuasion.arena.store import open_store
from suasion.persuasion.arena.study import Study

THINKS = 0.5  # seconds between two ballots of a rater, on average
TEXT = "The reasons that are given for it would hold for its opposite as well, and nobody would accept them there. " * 10
_FIELDS = re.compile(rb'<input type="hidden" name="(\w+)" value="([^"]*)">')


class Told:
    """What the raters saw."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sent: dict[str, str] = {}
        self.acknowledged: set[str] = set()
        self.seconds: list[float] = []
        self.broken: Counter[str] = Counter()


class Rater(threading.Thread):
    """A person with a browser that keeps one connection open."""

    def __init__(self, port: int, token: str, seed: int, told: Told) -> None:
        super().__init__(daemon=True)
        self.port, self.cookie, self.rng, self.told = port, f"rater={token}", random.Random(seed), told
        self.connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        """Answer until the thanks."""
        time.sleep(self.rng.random() * THINKS)
        page = self.insist("GET", "/")
        while b"Thank you" not in page:
            fields = {name.decode(): value.decode() for name, value in _FIELDS.findall(page)}
            if b'action="/consent"' in page:
                page = self.insist("POST", "/consent", fields | {"agree": "yes"})
                continue
            time.sleep(self.rng.expovariate(1 / THINKS))
            page = self.answer(fields)

    def answer(self, fields: dict[str, str]) -> bytes:
        """Give one ballot; the page after it."""
        item = fields["item"]
        with self.told.lock:
            answer = self.told.sent.setdefault(item, self.rng.choice(("left", "right", "tie")))
        start = time.perf_counter()
        try:
            status, _ = self.ask("POST", "/answer", fields | {"answer": answer})
            if status == 303:
                with self.told.lock:
                    self.told.acknowledged.add(item)
                page = self.ask("GET", "/")[1]
                with self.told.lock:
                    self.told.seconds.append(time.perf_counter() - start)
                return page
            with self.told.lock:
                self.told.broken[f"status {status}"] += 1
        except (OSError, http.client.HTTPException) as error:
            with self.told.lock:
                self.told.broken[type(error).__name__] += 1
            if self.rng.random() < 0.5:  # press the button again
                with contextlib.suppress(OSError, http.client.HTTPException):
                    time.sleep(0.5)
                    self.ask("POST", "/answer", fields | {"answer": answer})
        return self.insist("GET", "/")

    def insist(self, method: str, path: str, fields: dict[str, str] | None = None) -> bytes:
        """Ask until there is a reply; a redirect is followed."""
        while True:
            try:
                status, page = self.ask(method, path, fields)
                if status == 200:
                    return page
                method, path, fields = "GET", "/", None
                if status == 303:
                    continue
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.2 + 0.3 * self.rng.random())

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, bytes]:
        """One request."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Cookie": self.cookie} | ({"Content-Type": "application/x-www-form-urlencoded"} if fields else {})
            self.connection.request(method, path, urlencode(fields) if fields else None, headers)
            reply = self.connection.getresponse()
            return reply.status, reply.read()
        except BaseException:
            self.connection.close()
            self.connection = None
            raise


def main() -> None:
    """Make a study, let the raters in, kill the server now and then, and look at what is stored."""
    given = sys.argv[1:4]
    raters, ballots, between = [*given, *("50", "100", "10")[len(given) :]]
    raise SystemExit(run(int(raters), int(ballots), float(between)))


def run(raters: int, ballots: int, between: float) -> int:
    """The exit status: 0 where the claim holds."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        premises = {str(number): f"View {number}. {TEXT}" for number in range(ballots)}
        replies = {system: {key: f"{system} {key} {TEXT}" for key in premises} for system in ("one", "two", "three")}
        settings = Study(raters_per_premise=raters, ballots_per_rater=ballots, practice=False, reading_checks=0, repeat_checks=0)
        create_from_replies(study, settings, premises, replies)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        told = Told()
        with open_store(study) as store:
            people = [Rater(port, rater_token(store.secret, store.invite().id), seed, told) for seed in range(raters)]
        server = serve(study, port)
        kills, rng, start = 0, random.Random(0), time.perf_counter()
        try:
            for person in people:
                person.start()
            next_kill = time.perf_counter() + rng.expovariate(1 / between)
            while any(person.is_alive() for person in people):
                time.sleep(0.05)
                if time.perf_counter() > next_kill:
                    server.kill()
                    server.wait()
                    kills += 1
                    server = serve(study, port)
                    next_kill = time.perf_counter() + rng.expovariate(1 / between)
        finally:
            server.kill()
            server.wait()
        took = time.perf_counter() - start
        with open_store(study) as store:
            stored = {item.id: store.answer_of(item.id)[0] for rater in store.raters() for item in store.items(rater.id) if item.answered}
            rows = len(store.ballots())
    wanted = raters * ballots
    lost = [item for item in told.acknowledged if stored.get(item) != told.sent[item]]
    wrong = [item for item, answer in stored.items() if told.sent.get(item) != answer]
    median = 1000 * statistics.median(told.seconds)
    slow = 1000 * statistics.quantiles(told.seconds, n=20)[-1]
    print(f"{raters} raters, {wanted} ballots in {took:.0f} s, {kills} kills; answers without a reply: {dict(told.broken)}")
    print(f"stored: {rows}, told to be stored: {len(told.acknowledged)}, lost: {len(lost)}, other than sent: {len(wrong)}")
    print(f"from an answer to the next page: median {median:.1f} ms, 95% below {slow:.1f} ms")
    holds = rows == len(stored) == wanted and not lost and not wrong and median < 50
    print("holds" if holds else "DOES NOT HOLD")
    return 0 if holds else 1


def serve(study: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the server and wait until it listens."""
    command = [sys.executable, "-m", "suasion", "arena", "serve", str(study), "--port", str(port), "--backup-minutes", "0.1"]
    log = study.parent / "server.log"
    with log.open("wb") as said:
        server = subprocess.Popen(command, stderr=said)
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return server
        if server.poll() is not None:
            raise SystemExit(f"the server did not start: {log.read_text()}")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
