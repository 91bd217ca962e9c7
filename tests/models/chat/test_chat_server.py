from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.models.chat import server as server_module
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message, as_messages, without_thoughts
from suasion.models.chat.many import Answer, ask_all
from suasion.models.chat.patience import pause, retry_after
from suasion.models.chat.server import Server, ServerConfig
from tests.models.chat.fake_server import FakeServer, Reply, completion, scripted, serving

QUESTION: list[Message] = [{"role": "user", "content": "Is tea better?"}]
OVERFLOW = json.dumps(
    {"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}
).encode()


class Patient(Server):
    """A server that is asked again at once; what it would have waited, and said, is kept."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.waits: list[float] = []
        self.said: list[str] = []

        async def wait(seconds: float) -> None:
            self.waits.append(seconds)

        super().__init__(ServerConfig(url=url, model="m", **settings), wait=wait, told=self.said.append)


def asked(engine: Server, n: int = 1, **sampling: Any) -> list[str]:
    async def ask() -> list[str]:
        try:
            return await engine.complete(QUESTION, n, ChatSampling(**sampling))
        finally:
            await engine.aclose()

    return asyncio.run(ask())


def test_it_asks_as_openai_does() -> None:
    with serving(scripted(Reply(body=completion("Yes, it is.")))) as fake:
        assert asked(Patient(fake.url + "/", extra_body={"top_k": 5, "top_p": 0.5}), max_tokens=7, temperature=0.3, seed=4) == [
            "Yes, it is."
        ]
    body = fake.bodies[0]
    assert body["path"] == "/v1/chat/completions"
    assert body["messages"] == QUESTION and body["model"] == "m" and body["max_tokens"] == 7 and body["seed"] == 4
    assert body["temperature"] == 0.3 and body["top_k"] == 5 and body["top_p"] == 0.5  # extra_body has the last word
    assert "Authorization" not in fake.requests[0][0]


def test_several_answers_are_several_requests_with_seeds_of_their_own() -> None:
    with serving(lambda number, body: Reply(body=completion(f"seed {body['seed']}"))) as fake:
        assert asked(Patient(fake.url), n=3, seed=10) == ["seed 10", "seed 11", "seed 12"]
    assert all("n" not in body for body in fake.bodies)


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(status=500, body=b"oops"),
        Reply(status=503, body=b""),
        Reply(status=429, body=b"{}"),
        Reply(body=b"<html>garbage"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": [{"message": {"content": 7}}]}'),
        Reply(body=b"[" * 100_000),
        Reply(drop=True),
    ],
)
def test_a_passing_trouble_is_waited_out_and_named(trouble: Reply) -> None:
    with serving(scripted(trouble, trouble, Reply())) as fake:
        engine = Patient(fake.url)
        assert asked(engine) == ["yes"]
    assert len(engine.waits) == 2 and len(fake.requests) == 3
    assert all(fake.url in line and "asking again" in line for line in engine.said)


def test_a_lasting_trouble_ends_in_an_error_that_names_the_peer() -> None:
    with serving(scripted(Reply(status=502, body=b"bad gateway"))) as fake:
        engine = Patient(fake.url, retries=3)
        with pytest.raises(SuasionError, match=r"(?s)asked 4 times: HTTP 502: bad gateway.*m at http://127") as caught:
            asked(engine)
    assert len(fake.requests) == 4 and caught.value.hint


def test_retry_after_is_honoured_up_to_a_bound() -> None:
    with serving(scripted(Reply(status=429, headers={"Retry-After": "7"}), Reply())) as fake:
        engine = Patient(fake.url)
        assert asked(engine) == ["yes"]
    assert 7 <= engine.waits[0] <= 8
    with serving(scripted(Reply(status=429, headers={"Retry-After": "90000"}))) as fake:
        engine = Patient(fake.url)
        with pytest.raises(SuasionError, match="asks us to wait 90000 s"):
            asked(engine)
    assert len(fake.requests) == 1 and engine.waits == []


@pytest.mark.parametrize("status", [400, 413, 500])
def test_a_prompt_that_is_too_long_is_not_asked_again(status: int) -> None:
    with serving(scripted(Reply(status=status, body=OVERFLOW))) as fake, pytest.raises(ContextOverflow, match="8192"):
        asked(Patient(fake.url))
    assert len(fake.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 302])
def test_a_refusal_is_final(status: int) -> None:
    headers = {"Location": "http://127.0.0.1:1/elsewhere"}
    with (
        serving(scripted(Reply(status=status, body=b"no", headers=headers))) as fake,
        pytest.raises(SuasionError, match=f"HTTP {status}: no"),
    ):
        asked(Patient(fake.url))
    assert len(fake.requests) == 1


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(drip=True)])
def test_a_server_that_never_comes_to_an_end_is_given_up(reply: Reply) -> None:
    """A byte now and then resets a time-out between bytes: the limit is on the whole."""
    with serving(scripted(reply)) as fake, pytest.raises(SuasionError, match=r"no answer within 0\.3 s"):
        asked(Patient(fake.url, timeout=0.3, retries=1))
    assert len(fake.requests) == 2


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(SuasionError, match=f"(?s)asked 3 times: Connect.*127.0.0.1:{port}"):
        asked(Patient(f"http://127.0.0.1:{port}/v1", retries=2))


def test_an_endless_answer_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_LARGEST", 1 << 20)
    with serving(scripted(Reply(body=b" " * (2 << 20)))) as fake, pytest.raises(SuasionError, match="larger than"):
        asked(Patient(fake.url))


def test_the_key_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with serving(scripted(Reply(status=500, body=b"key sk-very-secret"), Reply(status=401, body=b"wrong key sk-very-secret"))) as fake:
        engine = Patient(fake.url, api_key_env="MY_KEY")
        with pytest.raises(SuasionError) as caught:
            asked(engine)
    assert fake.requests[0][0]["Authorization"] == "Bearer sk-very-secret"
    told = "\n".join([str(caught.value), *engine.said, engine.name, engine.config.model_dump_json()])
    assert "secret" not in told and "wrong key (key)" in told


def test_a_key_that_is_not_set_is_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(SuasionError, match="MY_KEY"):
        Patient("http://127.0.0.1:1/v1", api_key_env="MY_KEY")


@pytest.mark.parametrize("url", ["ftp://x/v1", "127.0.0.1:8000", "http://user:secret@host/v1"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(SuasionError, match="url"):
        validate({"url": url}, ServerConfig)


def test_an_address_that_cannot_be_called_is_no_traceback() -> None:
    for url in ("http://", "http://host:99999999/v1", "http://[::1/v1", "http://a b/v1"):
        with pytest.raises(SuasionError, match=r"address is wrong|no answer"):
            asked(Patient(url, retries=0, timeout=2))


def test_a_model_without_a_name() -> None:
    with pytest.raises(SuasionError, match="No model is named"):
        Server(ServerConfig())


def test_no_text_is_an_empty_answer_and_half_an_emoji_is_text() -> None:
    with serving(scripted(Reply(body=completion(None)), Reply(body=completion("\ud83d")))) as fake:
        engine = Patient(fake.url)
        assert [asked(engine)[0], asked(engine)[0]] == ["", "\ud83d"]


def many(fake: FakeServer, number: int, **settings: Any) -> tuple[Patient, list[Answer]]:
    engine, answers = Patient(fake.url, **settings), []
    ask_all(engine, [as_messages("s", str(i)) for i in range(number)], ChatSampling(), answers.append, label="Answers")
    return engine, answers


def test_many_questions_are_asked_a_bounded_number_at_once() -> None:
    with serving(lambda number, body: Reply(body=completion(f"to {body['messages'][1]['content']}"))) as fake:
        _, answers = many(fake, 40, concurrency=4)
    assert {answer.number: answer.text for answer in answers} == {i: f"to {i}" for i in range(40)}
    assert 1 <= fake.most_at_once <= 4


def test_one_question_that_does_not_fit_does_not_end_the_others() -> None:
    def answer(number: int, body: Mapping[str, Any]) -> Reply:
        return Reply(status=400, body=OVERFLOW) if body["messages"][1]["content"] == "2" else Reply()

    with serving(answer) as fake:
        _, answers = many(fake, 5)
    assert {answer.number: answer.text for answer in answers} == {0: "yes", 1: "yes", 2: None, 3: "yes", 4: "yes"}


def test_what_was_answered_before_the_end_is_handed_over() -> None:
    answers: list[Answer] = []
    with serving(lambda number, body: Reply() if number < 3 else Reply(status=401, body=b"expired")) as fake:
        engine = Patient(fake.url, concurrency=1)
        with pytest.raises(SuasionError, match="expired"):
            ask_all(engine, [QUESTION] * 10, ChatSampling(), answers.append)
    assert [answer.number for answer in answers] == [0, 1, 2] and len(fake.requests) == 4


def test_questions_from_within_an_event_loop_are_refused_with_words() -> None:
    async def inside() -> None:
        ask_all(Patient("http://127.0.0.1:1/v1"), [QUESTION], ChatSampling(), lambda answer: None)

    with pytest.raises(SuasionError, match="event loop"):
        asyncio.run(inside())


@given(attempt=st.integers(1, 10_000), after=st.none() | st.floats(0, 1e4), seed=st.integers())
def test_pauses_are_bounded_and_never_shorter_than_asked(attempt: int, after: float | None, seed: int) -> None:
    seconds = pause(attempt, after, random.Random(seed))
    assert (after or 0) <= seconds <= (after or 0) + 30


def test_pauses_grow_and_differ() -> None:
    generator = random.Random(0)
    first, later = ([pause(attempt, None, generator) for _ in range(200)] for attempt in (1, 6))
    assert max(first) <= 1 < max(later) and len(set(first)) > 100


@given(text=st.text())
def test_any_retry_after_is_read_or_left(text: str) -> None:
    found = retry_after({"retry-after": text})
    assert found is None or found >= 0


def test_a_retry_after_may_be_a_date() -> None:
    now = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "Tue, 01 Jan 2030 12:01:30 GMT"}, now) == 90
    assert retry_after({"retry-after": "Tue, 01 Jan 2030 11:00:00 GMT"}, now) == 0
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({}) is None and retry_after({"retry-after": "inf"}) is None


def test_thoughts_are_taken_off() -> None:
    assert without_thoughts("<think>[[A]]</think>\n[[B]]") == "[[B]]"
    assert without_thoughts("<think>for ever") == ""
    assert without_thoughts(" plain ") == "plain"
