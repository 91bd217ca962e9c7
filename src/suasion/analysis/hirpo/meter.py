"""The retention meter read on a writer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suasion.analysis.hirpo.answering import answers
from suasion.analysis.hirpo.before import Before, drawn, greedy
from suasion.analysis.hirpo.retention import Retained, chat_numbers, measure
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.writer import Writer, memory_freed
from suasion.models.chat.engine import ChatEngine
from suasion.models.loading import load_base, with_saved_adapter


def read_meter(journey: Journey, writer: Writer, engine: ChatEngine, before: Before, label: str) -> Retained:
    """How much the writer has kept of what the base could do.

    Args:
        engine: that answers as the writer does.
        label: on progress lines.
    """
    config = journey.config
    seed, most = config.seed, config.retention.max_tokens
    prompts = [str(chat.turns[0]["content"]) for chat in before.held_out]
    said = answers(engine, prompts, drawn(most), seed + 1, f"{label}: general prompts")
    followed = answers(engine, [rule.prompt for rule in before.rules], greedy(most), seed, f"{label}: instructions")
    kept = [rule.kept(answer) for rule, answer in zip(before.rules, followed, strict=True)]
    with memory_freed():
        model, base_model = _both(writer)
        now = chat_numbers(model, base_model, journey.renderer, before.held_out, config.training.max_length)
        del model, base_model
    return measure(now, before.numbers, said, before.answers, kept, before.kept, before.rules, seed)


def _both(writer: Writer) -> tuple[Any, Callable[..., Any]]:
    """The writer and its base; one model where an adapter can be switched off."""
    if writer.weights == "full" or writer.folder is None:
        return writer.to_answer(), load_base(writer.base, "CAUSAL_LM").eval()
    model = with_saved_adapter(load_base(writer.base, "CAUSAL_LM"), writer.base, writer.folder, trainable=False).eval()

    def without(**inputs: Any) -> Any:
        with model.disable_adapter():
            return model(**inputs)

    return model, without
