"""What the base says before any training: answers to general prompts, to be rehearsed and to be measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suasion.analysis.hirpo.answering import answers
from suasion.analysis.hirpo.general.instructions import Instruction, instructions
from suasion.analysis.hirpo.general.prompts import HELD_OUT, REHEARSED, general_prompts
from suasion.analysis.hirpo.retention import ChatNumbers, chat_numbers
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.analysis.hirpo.stage import Journey, Part, perform
from suasion.analysis.hirpo.writer import Writer, memory_freed
from suasion.files import read_json, write_json
from suasion.models.chat.engine import ChatEngine, ChatSampling
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.chats import Chat, answer_ids

KIND = "Rehearsal"
_FILE = "before.json"


@dataclass(frozen=True)
class Before:
    """The base's answers, in the order of their prompts."""

    rehearsed: list[Chat]
    held_out: list[Chat]
    rules: list[Instruction]
    kept: list[bool]
    numbers: ChatNumbers

    @property
    def answers(self) -> list[str]:
        """To the held-out prompts."""
        return [chat.answer for chat in self.held_out]


def drawn(most: int) -> ChatSampling:
    """How general answers are drawn: as the model's probabilities are, so that their mean loss is a divergence."""
    return ChatSampling(temperature=1.0, max_tokens=most)


def greedy(most: int) -> ChatSampling:
    """How instructions are answered."""
    return ChatSampling(temperature=0.0, max_tokens=most)


def before_run(journey: Journey) -> Run:
    """The run that holds the base's answers; made once for all recipes that ask for the same ones."""
    config = journey.config
    part = Part(KIND, _asked(config), {}, {})

    def work(run: Run) -> None:
        with journey.serve(Writer(journey.base, "full", None)) as engine:
            found = _ask(engine, config)
        ended = _ended(journey.renderer, found["rehearsed"], config.rehearsal.max_tokens)
        found["rehearsed"] = [pair for pair, whole in zip(found["rehearsed"], ended, strict=True) if whole and pair[1]]
        chats = [_chat(pair) for pair in found["held_out"]]
        with memory_freed():
            model = Writer(journey.base, "full", None).to_answer()
            numbers = chat_numbers(model, model, journey.renderer, chats, journey.config.training.max_length)
            del model
        write_json(run.path / _FILE, found | {"loss": numbers.loss})
        rules = instructions(config.retention.instructions, config.seed)
        kept = [rule.kept(answer) for rule, answer in zip(rules, found["instructions"], strict=True)]
        run.results = {
            "rehearsed": len(found["rehearsed"]),
            "cut_off": len(ended) - sum(ended),
            "held_out": len(chats),
            "chat_loss": sum(numbers.loss) / max(1, len(numbers.loss)),
            "instructions_kept": sum(kept) / max(1, len(kept)),
        }

    return perform(journey, part, work)


def read_before(run: Run, config: HirpoConfig) -> Before:
    """What a run of :func:`before_run` holds."""
    found = read_json(run.path / _FILE)
    rules = instructions(config.retention.instructions, config.seed)
    kept = [rule.kept(answer) for rule, answer in zip(rules, found["instructions"], strict=True)]
    numbers = ChatNumbers(found["loss"], [0.0] * len(found["loss"]))
    return Before([_chat(pair) for pair in found["rehearsed"]], [_chat(pair) for pair in found["held_out"]], rules, kept, numbers)


def _asked(config: HirpoConfig) -> dict[str, object]:
    return {
        "seed": config.seed,
        "base": config.base.model_dump(mode="json"),
        "rehearsal": {"prompts": config.rehearsal.prompts, "max_tokens": config.rehearsal.max_tokens},
        "retention": {name: getattr(config.retention, name) for name in ("prompts", "instructions", "max_tokens")},
        "training": {"max_length": config.training.max_length},
    }


def _ask(engine: ChatEngine, config: HirpoConfig) -> dict[str, list[Any]]:
    rehearsed = general_prompts(REHEARSED, config.rehearsal.prompts, config.seed)
    held_out = general_prompts(HELD_OUT, config.retention.prompts, config.seed)
    rules = instructions(config.retention.instructions, config.seed)
    most, fewer = config.rehearsal.max_tokens, config.retention.max_tokens
    return {
        "rehearsed": list(zip(rehearsed, answers(engine, rehearsed, drawn(most), config.seed, f"{KIND}: general prompts"), strict=True)),
        "held_out": list(zip(held_out, answers(engine, held_out, drawn(fewer), config.seed + 1, f"{KIND}: held-out prompts"), strict=True)),
        "instructions": answers(engine, [rule.prompt for rule in rules], greedy(fewer), config.seed, f"{KIND}: instructions"),
    }


def _chat(pair: list[str] | tuple[str, str]) -> Chat:
    return Chat([{"role": "user", "content": pair[0]}], pair[1])


def _ended(renderer: Renderer, pairs: list[tuple[str, str]], most: int) -> list[bool]:
    """Whether answers came to their end. An engine gives text alone, so an answer as long as the limit is taken for one that was cut."""
    return [len(answer_ids(renderer, answer)) <= most for _, answer in pairs]
