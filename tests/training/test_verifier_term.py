"""The verifier as a term of the reward: asked over HTTP, bounded by the margin, and a clear error where it does not answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from suasion.analysis.tasks import get_task
from suasion.errors import SuasionError
from suasion.training import verifier_term
from suasion.training.rewards import ShapingConfig, taken_off
from suasion.training.verifier_term import VerifierTerm, costs
from tests.analysis.service.conftest import running


@contextmanager
def answering(*replies: tuple[int, str], asked: list[Any] | None = None) -> Iterator[str]:
    """The address of a service that gives these statuses and bodies, one a request; the last one again and again."""
    left = list(replies)

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if asked is not None:
                asked.append(json.loads(body))
            status, text = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def told(*verdicts: str) -> str:
    return json.dumps({"verdicts": [{"verdict": one, "findings": [], "scores": {}} for one in verdicts]})


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier_term, "pause", lambda *_: 0.0)


def test_the_real_service_tells_a_valid_answer_from_a_wrong_one() -> None:
    pytest.importorskip("fastapi")
    example = get_task("argmap").example
    with running("--workers", "1") as (_, address):
        config = ShapingConfig(margin=0.5, verifier=VerifierTerm(weight=0.4, task="argmap", url=address))
        found = taken_off(config, [example.source] * 2, [example.answer, "Dogs are loyal."], [True, True])
        assert found["verifier_penalty"].tolist() == [0.0, 0.4]
        with pytest.raises(SuasionError, match=r"status 404.*argmap"):  # which names the nearest task
            costs(VerifierTerm(weight=1, task="argmaps", url=address), ["a"], ["b"])


def test_replies_go_back_to_their_places_whatever_premise_they_answer() -> None:
    asked: list[Any] = []
    with answering((200, told("valid", "invalid")), (200, told("undecided")), asked=asked) as url:
        term = VerifierTerm(weight=1, task="argmap", url=url)
        assert costs(term, ["p", "q", "p"], ["a", "b", "c"]).tolist() == [0, 0.5, 1]
    assert asked == [{"source": "p", "answers": ["a", "c"]}, {"source": "q", "answers": ["b"]}]


def test_a_busy_service_is_asked_again() -> None:
    asked: list[Any] = []
    with answering((503, ""), (503, ""), (200, told("valid")), asked=asked) as url:
        assert costs(VerifierTerm(weight=1, task="argmap", url=url), ["p"], ["a"]).tolist() == [0]
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((500, "broken"), "status 500"),
        ((422, "no"), "status 422"),
        ((200, "no JSON"), "cannot be read"),
        ((200, told("perhaps")), "cannot be read"),
        ((200, told("valid", "valid")), "2 verdicts on 1 answers"),
    ],
)
def test_what_is_no_verdict_is_an_error_and_never_a_reward(reply: tuple[int, str], message: str) -> None:
    with answering(reply) as url, pytest.raises(SuasionError, match=message):
        costs(VerifierTerm(weight=1, task="argmap", url=url), ["p"], ["a"])


def test_nobody_there() -> None:
    with pytest.raises(SuasionError, match="gave no verdicts") as caught:
        costs(VerifierTerm(weight=1, task="argmap", url="http://127.0.0.1:9"), ["p"], ["a"])
    assert "suasion serve" in (caught.value.hint or "")


def test_its_weight_counts_for_the_margin() -> None:
    with pytest.raises(ValueError, match="margin"):
        ShapingConfig(margin=0.3, repetition=0.1, verifier=VerifierTerm(weight=0.3, task="argmap", url="http://verifier"))
