from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message
from suasion.models.chat.server import ServerConfig
from suasion.persuasion.judging.kept_answers import KeptAnswers
from suasion.persuasion.judging.llm import LlmConfig, LlmJudge, load_llm_judge
from tests.models.chat.fake_server import Reply, completion, serving


class Engine:
    """Answers by a rule of the replies shown; what it was asked is kept."""

    name, identity, concurrency = "rule at nowhere", "rule", 3

    def __init__(self, rule: Callable[..., str]) -> None:
        self.rule = rule
        self.asked: list[list[str]] = []

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        replies = re.findall(r"(?s)<<<\w+ REPLY[^\n]*\n\| (.*?)\n\w+>>>", messages[1]["content"])
        self.asked.append(replies)
        return [self.rule(*replies)] * n

    async def aclose(self) -> None:
        pass


def judge(rule: Callable[..., str], path: Path | None = None, **config: int) -> LlmJudge:
    return LlmJudge(Engine(rule), LlmConfig(**config), KeptAnswers(path), seed=0)  # type: ignore[arg-type]


def longer(first: str, second: str) -> str:
    return "[[tie]]" if len(first) == len(second) else f"Longer.\n[[{'A' if len(first) > len(second) else 'B'}]]"


PREMISES, FIRSTS, SECONDS = ["v", "v", "w"], ["aaaa", "a", "aa"], ["b", "bbb", "bb"]
DEBATES = ["d1", "d1", "d2"]


def test_a_verdict_that_survives_the_swap_counts() -> None:
    found = judge(longer).compare(PREMISES, FIRSTS, SECONDS)
    assert found.credit.tolist() == [1.0, 0.0, 0.5]
    assert found.orders.tolist() == [[1, 1], [0, 0], [0.5, 0.5]]
    assert found.flipped(DEBATES).value == 0 and found.shown_first(DEBATES).value == 0.5
    assert found.win_share(DEBATES).value == 0.5 and found.win_share(DEBATES).clusters == 2


@pytest.mark.parametrize(("tag", "pull"), [("A", 1.0), ("B", 0.0)])
def test_a_judge_that_looks_at_the_place_only_finds_ties_and_is_shown_up(tag: str, pull: float) -> None:
    found = judge(lambda first, second: f"[[{tag}]]").compare(PREMISES, FIRSTS, SECONDS)
    assert found.credit.tolist() == [0.5] * 3
    assert found.flipped(DEBATES).value == 1 and found.flipped(DEBATES).low > 0.3
    assert found.shown_first(DEBATES).value == pull


def test_an_unreadable_verdict_is_counted_and_never_a_score() -> None:
    found = judge(lambda first, second: "I cannot say." if first == "a" else longer(first, second)).compare(PREMISES, FIRSTS, SECONDS)
    assert np.isnan(found.credit).tolist() == [False, True, False]
    assert found.unreadable == 1 and found.flipped(DEBATES).n == 2 and found.shown_first(DEBATES).n == 5
    told = found.as_dict(DEBATES)
    assert told["unreadable_answers"] == 1 and told["pairs"] == 3 and told["win_share"]["n"] == 2
    json.dumps(told, allow_nan=False)


def test_nothing_readable_is_no_number() -> None:
    found = judge(lambda *replies: "").compare(PREMISES, FIRSTS, SECONDS)
    assert found.win_share(DEBATES).as_dict()["value"] is None and found.unreadable == 6
    assert judge(longer).compare([], [], []).orders.shape == (0, 2)


def test_a_question_that_does_not_fit_is_counted() -> None:
    def overflow(*replies: str) -> str:
        if "bbb" in replies:
            raise ContextOverflow("too long")
        return longer(*replies)

    found = judge(overflow).compare(PREMISES, FIRSTS, SECONDS)
    assert found.too_long == 2 and np.isnan(found.credit).tolist() == [False, True, False]


def test_marks_are_scores_and_nan_where_there_is_none() -> None:
    one = judge(lambda reply: f"[[{len(reply)}]]" if reply != "a" else "no idea")
    scores = one.score(PREMISES, FIRSTS)
    assert scores.dtype == np.float32 and scores[[0, 2]].tolist() == [4, 2] and np.isnan(scores[1])
    assert one.may_be_unreadable


def test_the_same_is_not_asked_twice_and_a_killed_evaluation_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "answers.jsonl"
    first = judge(longer, log)
    first.compare(PREMISES[:2], FIRSTS[:2], SECONDS[:2])
    assert len(first.engine.asked) == 4  # type: ignore[attr-defined]
    log.write_bytes(log.read_bytes()[:-9])  # the kill tore the last line
    again = judge(longer, log)
    found = again.compare(PREMISES + PREMISES, FIRSTS + FIRSTS, SECONDS + SECONDS)
    assert len(again.engine.asked) == 3  # type: ignore[attr-defined]
    assert found.credit.tolist() == [1.0, 0.0, 0.5] * 2
    third = judge(longer, log)
    third.compare(PREMISES, FIRSTS, SECONDS)
    assert third.engine.asked == []  # type: ignore[attr-defined]


def test_what_was_answered_before_an_error_is_kept(tmp_path: Path) -> None:
    def fails(*replies: str) -> str:
        if "bb" in replies:
            raise SuasionError("gone")
        return longer(*replies)

    with pytest.raises(SuasionError, match="gone"):
        judge(fails, tmp_path / "answers.jsonl").compare(PREMISES, FIRSTS, SECONDS)
    again = judge(longer, tmp_path / "answers.jsonl")
    again.compare(PREMISES, FIRSTS, SECONDS)
    assert 1 <= len(again.engine.asked) < 6  # type: ignore[attr-defined]


@pytest.mark.parametrize("changed", [{"identity": "another model"}, {"seed": 1}, {"temperature": 0.5}])
def test_another_model_seed_or_sampling_is_asked_anew(tmp_path: Path, changed: dict[str, object]) -> None:
    log = tmp_path / "answers.jsonl"
    judge(longer, log).compare(PREMISES, FIRSTS, SECONDS)
    engine = Engine(longer)
    engine.identity = str(changed.get("identity", "rule"))
    sampling = ChatSampling(temperature=float(str(changed.get("temperature", 0))))
    LlmJudge(engine, LlmConfig(sampling=sampling), KeptAnswers(log), seed=int(str(changed.get("seed", 0)))).compare(
        PREMISES, FIRSTS, SECONDS
    )
    assert len(engine.asked) == 6


def test_long_texts_are_cut_for_the_judge() -> None:
    one = judge(lambda reply: "[[5]]", reply_words=3)
    one.score(["v"], ["one two three four five"])
    assert one.engine.asked == [["one two three"]]  # type: ignore[attr-defined]


def test_a_judge_over_http(tmp_path: Path) -> None:
    def answer(number: int, body: dict[str, object]) -> Reply:
        text = str(body["messages"])
        return Reply(body=completion("[[90]]" if "evidence" in text.split("REPLY", 1)[1] else "[[10]]"))

    with serving(answer) as fake:
        config = LlmConfig(server=ServerConfig(url=fake.url, model="m"))
        one = load_llm_judge(config, seed=0, kept=tmp_path / "answers.jsonl", label="Marks")
        replies = ["There is evidence.", "No."] * 6
        for _ in range(2):
            assert one.score([f"view {number}" for number in range(12)], replies).tolist() == [90, 10] * 6
        assert len(fake.requests) == 12 and fake.bodies[0]["temperature"] == 0 and fake.bodies[0]["seed"] == 0


def test_no_place_for_answers_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SuasionError, match="No place to keep"):
        KeptAnswers(tmp_path / "file" / "answers.jsonl")


def test_the_section_is_strict() -> None:
    assert validate({"server": {"model": "m", "extra_body": {"top_k": 1}}}, LlmConfig).server.model == "m"
    with pytest.raises(SuasionError, match=r"server\.modle.*model"):
        validate({"server": {"modle": "m"}}, LlmConfig)
