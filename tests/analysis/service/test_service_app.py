"""The HTTP service: verdicts over the wire are the library's, limits hold, and nothing that comes in makes it fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
from fastapi.testclient import TestClient

from suasion.analysis.service import app as service
from suasion.analysis.service.app import Settings, make_app, verdict_as_json
from suasion.analysis.tasks import Task, all_tasks, get_task, scores
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Limits
from suasion.analysis.verification.verify import verify

MAP = "```argdown\n[A]: We should.\n    + <B>: It helps.\n\nfoo\n```"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = Settings(workers=1, megabytes=1.0, answers=5, hosts=("testserver",))
    with TestClient(make_app(settings), raise_server_exceptions=False) as made:
        yield made


def ask(client: TestClient, task: str, *answers: str, **more: str) -> Any:
    return client.post(f"/verify/{task}", json={"answers": answers, **more})


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.name)
def test_verdicts_are_those_of_the_library(client: TestClient, task: Task) -> None:
    example = task.example
    answers = [example.answer, "nothing", example.answer.replace("]", ")", 2)]
    reply = ask(client, task.name, *answers, source=example.source, reference=example.reference)
    assert reply.status_code == 200
    told = reply.json()["verdicts"]
    assert [one["verdict"] for one in told[:2]] == ["valid", "invalid"]
    expected = verify(task, example.source, answers, example.reference, scores=lambda case: scores(task, case))
    assert told == json.loads(json.dumps([verdict_as_json(one) for one in expected]))


def test_openapi_has_one_endpoint_a_task_with_what_is_asked_for(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {path for path in paths if path.startswith("/verify/")} == {f"/verify/{task.name}" for task in all_tasks()}
    for task in all_tasks():
        said = paths[f"/verify/{task.name}"]["post"]
        assert said["summary"] == task.goal
        assert all(check.requirement in said["description"] for check in task.checks)
        assert {"200", "413", "422", "503", "504"} <= set(said["responses"])


def test_health_and_tasks(client: TestClient) -> None:
    health = client.get("/health").json()
    assert (health["status"], health["workers"], health["waiting_characters"]) == ("ok", 1, 0)
    assert [task["name"] for task in client.get("/tasks").json()] == [task.name for task in all_tasks()]


def test_every_reply_has_the_headers(client: TestClient) -> None:
    for reply in (client.get("/"), client.get("/nothing"), client.post("/verify/argmap"), ask(client, "argmap", MAP)):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_page_asks_nobody_else(client: TestClient) -> None:
    for path in ("/", "/page.js", "/page.css"):
        text = client.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text


def test_an_unknown_task_is_told_with_the_nearest(client: TestClient) -> None:
    reply = ask(client, "argmop", MAP)
    assert (reply.status_code, reply.json()["error"]) == (404, "There is no task 'argmop'. Did you mean argmap?")


BAD_BODIES = {
    "empty": b"",
    "no JSON": b'{"answers":',
    "not UTF-8": b'{"answers": ["\xff"]}',
    "a list": b"[]",
    "deep": b"[" * 200_000,
    "deep inside": b'{"answers": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "no answers": b'{"answers": []}',
    "numbers": b'{"answers": [1]}',
    "a huge number": b'{"answers": ' + b"9" * 10_000 + b"}",
    "unknown key": b'{"answers": ["x"], "anwser": 1}',
    "odd key": rb'{"answers": ["x"], "\ud800": 1}',
    "too many": json.dumps({"answers": ["x"] * 6}).encode(),
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_bad_bodies_get_a_plain_message(client: TestClient, name: str) -> None:
    reply = client.post("/verify/argmap", content=BAD_BODIES[name], headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert 10 < len(reply.json()["error"]) < 2100
    assert "Traceback" not in reply.text


def test_a_large_request_is_refused_whether_or_not_it_says_so(client: TestClient) -> None:
    body = json.dumps({"answers": ["x" * 1_100_000]}).encode()
    assert client.post("/verify/argmap", content=body).status_code == 413

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(body), 50_000):
            yield body[start : start + 50_000]

    reply = client.post("/verify/argmap", content=pieces())
    assert reply.status_code == 413
    assert "1,000,000 bytes" in reply.json()["error"]


@pytest.mark.parametrize("text", ["\0" * 100, "half \ud800 of one", "\u202e", "\x1b[2J", "<script>alert(1)</script>", "```" * 1000])
def test_odd_texts_get_verdicts(client: TestClient, text: str) -> None:
    body = json.dumps({"answers": [f"```argdown\n[A]: {text}\n    + <B>\n```"], "source": text})
    reply = client.post("/verify/argmap", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 200
    drawn = client.post("/map", content=json.dumps({"task": "argmap", "answer": json.loads(body)["answers"][0]}))
    assert drawn.status_code in (200, 422)


def test_names_of_other_hosts_are_refused(client: TestClient) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_maps_are_laid_out(client: TestClient) -> None:
    drawn = client.post("/map", json={"task": "argmap", "answer": get_task("argmap").example.answer}).json()
    assert drawn["boxes"]
    assert drawn["arrows"]
    refused = {"no block": "nothing", "too long": "x" * (service.MOST_DRAWN + 1)}
    for answer in refused.values():
        reply = client.post("/map", json={"task": "argmap", "answer": answer})
        assert reply.status_code == 422
        assert reply.json()["error"]
    assert client.post("/map", json={"task": "nothing", "answer": MAP}).status_code == 422


def test_an_answer_that_takes_too_long_is_undecided_and_others_are_not() -> None:
    tiny = Limits(moment=0.01, seconds=0.02)
    long = "```argdown\n" + "".join(f"[Claim {number}]: text\n  + [Reason {number}]: text\n" for number in range(20_000)) + "```"
    with TestClient(make_app(Settings(workers=1, limits=tiny))) as client:
        told = ask(client, "argmap", long).json()["verdicts"]
    assert told[0]["verdict"] == "undecided"
    assert told[0]["findings"][0]["code"] == "limit.time"


def test_no_verdict_in_time_is_504_and_stops_the_work(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    never: list[Future[list[Verdict]]] = []

    class Stuck:
        workers = 1

        def __init__(self, *_: object) -> None: ...
        def __enter__(self) -> Stuck:
            return self

        def __exit__(self, *_: object) -> None: ...
        def start(self) -> None: ...
        def submit(self, rows: object) -> Future[list[Verdict]]:
            never.append(Future())
            return never[-1]

    monkeypatch.setattr(service, "Pool", Stuck)
    with TestClient(make_app(Settings(seconds=0.2))) as stuck:
        reply = ask(stuck, "argmap", MAP)
        assert reply.status_code == 504
        assert "0.2 s" in reply.json()["error"]
        assert never[0].cancelled()
        assert stuck.get("/health").json()["waiting_characters"] == 0


def test_too_much_waiting_is_503(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_WAITING", -1)
    reply = ask(client, "argmap", MAP)
    assert reply.status_code == 503
    assert reply.headers["retry-after"]


def test_many_clients_at_once_each_get_their_own(client: TestClient) -> None:
    def one(number: int) -> bool:
        text = "x" * number
        told = ask(client, "argmap", f"```argdown\n[{text}]: It is so.\n    + <B>: It helps.\n\nunlabelled {text} end\n```").json()[
            "verdicts"
        ]
        return f"unlabelled {text} end" in told[0]["findings"][0]["message"]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(one, range(1, 17)))
