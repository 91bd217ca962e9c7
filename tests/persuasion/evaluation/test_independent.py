from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from suasion.models.chat.engine import ChatSampling, Message
from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.compare import System
from suasion.persuasion.evaluation.independent import opinions_section, second_opinions
from suasion.persuasion.judging.kept_answers import KeptAnswers
from suasion.persuasion.judging.llm import LlmConfig, LlmJudge


class Engine:
    """Prefers the reply with more evidence; says nothing readable of silence."""

    name, identity, concurrency = "rule at nowhere", "rule", 2

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        first, second = re.findall(r"(?s)<<<\w+ REPLY \w\n(.*?)\n\w+>>>", messages[1]["content"])
        if "silence" in first + second:
            return ["Well."] * n
        gap = first.count("evidence") - second.count("evidence")
        return [f"[[{'tie' if gap == 0 else 'A' if gap > 0 else 'B'}]]"] * n

    async def aclose(self) -> None:
        pass


def system(name: str, *texts: str) -> System:
    return System(name, [[Reply(text, 3, True)] for text in texts], np.zeros((len(texts), 1), dtype=np.float32))


PREMISES = [Premise(f"d{number}", f"View {number}.", ()) for number in range(3)]
SYSTEMS = [system("base", "no", "no", "no"), system("SFT", "evidence", "no", "silence"), system("GRPO", "no", "evidence", "evidence")]


def test_every_later_system_is_compared_with_every_earlier_one() -> None:
    judge = LlmJudge(Engine(), LlmConfig(), KeptAnswers(None), seed=0)
    found = {(one.system, one.against): one.as_dict() for one in second_opinions(judge, PREMISES, SYSTEMS)}
    assert set(found) == {("SFT", "base"), ("GRPO", "base"), ("GRPO", "SFT")}
    assert found["SFT", "base"]["win_share"]["value"] == 0.75 and found["SFT", "base"]["unreadable_answers"] == 2
    assert found["GRPO", "base"]["win_share"] | {"low": 0, "high": 0} == {"value": 5 / 6, "low": 0, "high": 0, "n": 3, "clusters": 3}
    assert found["GRPO", "SFT"]["win_share"]["value"] == 0.5 and found["GRPO", "SFT"]["judge"] == "rule at nowhere"


def test_the_report_tells_the_order_bias_and_what_could_not_be_read() -> None:
    judge = LlmJudge(Engine(), LlmConfig(), KeptAnswers(None), seed=0)
    (table,) = opinions_section(second_opinions(judge, PREMISES, SYSTEMS)).tables
    assert [row[0] for row in table.rows] == ["SFT against base", "GRPO against base", "GRPO against SFT"]
    assert [row[3] for row in table.rows] == [2, 0, 2] and [row[4] for row in table.rows] == [2, 3, 2]


def test_nothing_readable_is_said_so() -> None:
    judge = LlmJudge(Engine(), LlmConfig(), KeptAnswers(None), seed=0)
    silent = [system("base", "silence", "silence", "silence"), system("SFT", "a", "b", "c")]
    (table,) = opinions_section(second_opinions(judge, PREMISES, silent)).tables
    assert table.rows[0][1:] == ("unknown", "unknown", 6, 0)
