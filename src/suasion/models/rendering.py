"""Premise and reply into token ids: one function for the judge, one for the writer, used in training and in serving alike.

A conversation is ``prompt ids + reply ids + end id``. The prompt is the chat template's rendering of the task and the premise, the end
id is the token the template puts behind a reply. So what the writer is trained on, what it is sampled from, and what the judge reads are
the same ids, and the judge always reads its score at the end token.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

INSTRUCTION = "Reply to the view you are given so as to change its holder's mind."
_SENTINEL = "Xq7ReplyGoesHere"


class RenderingConfig(Config):
    """How much of a premise and a reply a model sees. The defaults fit prompt and reply into 768 tokens."""

    premise_words: int = Field(470, ge=1)
    prompt_tokens: int = Field(512, ge=1)
    reply_tokens: int = Field(256, ge=1)
    """The most a writer may write in practice and evaluation."""
    total_tokens: int = Field(768, ge=1)
    """Prompt and reply together, in fine-tuning and before the judge."""


@dataclass(frozen=True)
class Conversation:
    """A rendered premise and reply. ``ids[:prompt_length]`` is the prompt; ``cut`` tells that the reply did not fit."""

    ids: list[int]
    prompt_length: int
    cut: bool


def special_pattern(tokenizer: PreTrainedTokenizerBase) -> re.Pattern[str]:
    """Matches every special token as it would be spelled in a text."""
    return re.compile("|".join(map(re.escape, sorted(_special_ids(tokenizer), key=len, reverse=True))) or "(?!)")


def broken_up(special: re.Pattern[str], text: str) -> str:
    """Text in which no special token can be spelled: each gets a space behind its first character."""
    return special.sub(lambda match: f"{match.group(0)[0]} {match.group(0)[1:]}", text)


def _special_ids(tokenizer: PreTrainedTokenizerBase) -> dict[str, int]:
    """Every special token with its id. ``all_special_tokens`` alone is too few: Llama 3 does not list its header tokens there."""
    added = {str(token): index for index, token in tokenizer.added_tokens_decoder.items() if token.special}
    return added | dict(zip(map(str, tokenizer.all_special_tokens), tokenizer.all_special_ids, strict=True))


def cut_words(text: str, words: int) -> str:
    """The first ``words`` white-space separated words of ``text``, its white space kept."""
    match = re.match(rf"\s*(?:\S+\s+){{0,{max(words - 1, 0)}}}\S+", text) if words > 0 else None
    return match.group(0).strip() if match else ""


class Renderer:
    """Renders for one tokenizer.

    Args:
        tokenizer: with a chat template and a padding token apart from its end token (see :mod:`suasion.models.base`).
        config: the limits.

    Raises:
        SuasionError: the template puts no end token behind a reply, begins with two BOS tokens, or the limits leave no room.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, config: RenderingConfig) -> None:
        if config.total_tokens <= config.prompt_tokens:
            raise SuasionError("rendering.total_tokens must be larger than rendering.prompt_tokens: no room is left for a reply.")
        self.tokenizer = tokenizer
        self.config = config
        self._special_ids = _special_ids(tokenizer)
        self._special = special_pattern(tokenizer)
        self._has_system_turn = self._shows_system_turn()
        self.end_id = self._find_end_id()
        self._fitted = lru_cache(maxsize=4096)(self._fit)
        self._check_bos()

    def messages(self, premise: str) -> list[dict[str, str]]:
        """The writer's prompt as a message list; the premise is cut to fit ``premise_words`` and ``prompt_tokens``."""
        return self._messages(self._fitted(premise))

    def prompt(self, premise: str) -> list[int]:
        """Ids of the writer's prompt, ending where the reply begins."""
        return self._prompt_ids(self._fitted(premise))

    def premise_was_cut(self, premise: str) -> bool:
        """Whether the premise had to be shortened to fit."""
        return self._fitted(premise) != self.harmless(premise).strip()

    def conversation(self, premise: str, reply: str) -> Conversation:
        """Prompt and reply, with the end token, within ``total_tokens``. A reply that does not fit is cut before the end token."""
        prompt = self.prompt(premise)
        room = self.config.total_tokens - len(prompt) - 1
        tokens = self._encode(self.harmless(reply).strip())
        return Conversation([*prompt, *tokens[:room], self.end_id], len(prompt), cut=len(tokens) > room)

    def labels(self, conversation: Conversation) -> list[int]:
        """Labels for imitation: -100 on the prompt, so that only the reply is scored, and on the end token of a cut reply, which did not
        end there."""
        labels = [-100] * conversation.prompt_length + conversation.ids[conversation.prompt_length :]
        if conversation.cut:
            labels[-1] = -100
        return labels

    def harmless(self, text: str) -> str:
        """Text in which no special token can be spelled: dumps and model answers must not end a turn or open another."""
        return broken_up(self._special, text)

    def _messages(self, premise: str) -> list[dict[str, str]]:
        if self._has_system_turn:
            return [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": premise}]
        return [{"role": "user", "content": f"{INSTRUCTION}\n\n{premise}"}]

    def _shows_system_turn(self) -> bool:
        """Some templates refuse a system turn (Gemma's), some leave it out without a word: then the task goes into the user's turn."""
        from jinja2 import TemplateError

        turns = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": "x"}]
        try:
            return INSTRUCTION in str(self.tokenizer.apply_chat_template(turns, tokenize=False))
        except TemplateError:
            return False

    def _fit(self, premise: str) -> str:
        """The longest beginning of the premise, in whole words, whose prompt fits: the template's own tokens are never cut."""
        text, limit = cut_words(self.harmless(premise).strip(), self.config.premise_words), self.config.prompt_tokens

        def length(end: int) -> int:
            return len(self._prompt_ids(text[:end]))

        if length(len(text)) <= limit:
            return text
        ends = [word.end() for word in re.finditer(r"\S+", text)]
        if ends and length(ends[0]) > limit:
            ends = list(range(1, ends[0]))  # a script without spaces, or a wall of letters: cut inside the first word
        fitting = bisect_right(ends, limit, key=length)
        if fitting == 0:
            raise SuasionError(
                f"rendering.prompt_tokens = {self.config.prompt_tokens} leaves no room for a premise.", where=f"premise '{premise:.60}'"
            )
        return text[: ends[fitting - 1]]

    def _prompt_ids(self, premise: str) -> list[int]:
        return self.ids(self._messages(premise))

    def ids(self, messages: list[dict[str, str]]) -> list[int]:
        """Ids of messages up to where the reply begins."""
        return self._encode(str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)))

    def _encode(self, text: str) -> list[int]:
        # no special tokens added: the template has written the BOS where it belongs
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _find_end_id(self) -> int:
        turns = [*self._messages("x"), {"role": "assistant", "content": _SENTINEL}]
        text = str(self.tokenizer.apply_chat_template(turns, tokenize=False))
        behind = self._encode(text.rpartition(_SENTINEL)[2])
        for token in behind:
            if token in self._special_ids.values() and token != self.tokenizer.pad_token_id:
                return token
        if self.tokenizer.eos_token_id is None:
            raise SuasionError("The chat template puts no end token behind a reply, and the tokenizer has no eos_token.")
        return int(self.tokenizer.eos_token_id)

    def _check_bos(self) -> None:
        bos = self.tokenizer.bos_token_id
        ids = self._prompt_ids("x")
        if bos is not None and ids[:2] == [bos, bos]:
            raise SuasionError(
                "The chat template writes the BOS token twice.", hint="Mend the tokenizer's chat_template; the base lock covers it."
            )
