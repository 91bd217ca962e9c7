"""What a chat engine is: messages in, answers out, whether a server or the model in this process writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypedDict

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError


class Message(TypedDict):
    """One turn: ``system``, ``user`` or ``assistant``, and what it says."""

    role: str
    content: str


class ChatSampling(Config):
    """How answers are drawn."""

    temperature: float = Field(0.0, ge=0)
    """0: always the likeliest token."""
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(512, ge=1)
    """The most an answer may take."""
    seed: int | None = None
    """Sent along; whether a server keeps to it is its own affair."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Laid over the request as it is, for what OpenAI's protocol lacks (``min_p``, ``top_k``)."""


class ContextOverflow(SuasionError):
    """A prompt that does not fit into the model's context: asking again would not help, and other prompts may still fit."""


class ChatEngine(Protocol):
    """Anything that answers messages. Engines are for many questions at once: each bounds its own work."""

    @property
    def name(self) -> str:
        """Model and peer, for messages."""
        ...

    @property
    def identity(self) -> str:
        """What tells its answers from another engine's: the model and how it is set up, not where it is."""
        ...

    @property
    def concurrency(self) -> int:
        """How many questions are worth having under way at once."""
        ...

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        """``n`` answers to the same messages.

        Raises:
            ContextOverflow: the messages do not fit.
            SuasionError: there is no answer to be had; it names the peer.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections. The engine may be used again, also in another event loop."""
        ...


def as_messages(system: str, user: str) -> list[Message]:
    """The usual two turns."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def without_thoughts(answer: str) -> str:
    """An answer without what a reasoning model thought aloud before it (``<think> … </think>``); all of it where the thought never ends
    is thought, and nothing is left."""
    _, closed, after = answer.rpartition("</think>")
    if closed:
        return after.strip()
    return "" if answer.lstrip().startswith("<think>") else answer.strip()
