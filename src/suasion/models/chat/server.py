"""Any server that speaks OpenAI's chat completions (vLLM, SGLang, llama.cpp, hosted ones), asked patiently and within bounds.

Everything a server says is untrusted: its answers are read up to a size, its errors are quoted shortened, and the key is sent to it alone
and never told to anybody.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message
from suasion.models.chat.patience import TRANSIENT, Trouble, pause, retry_after
from suasion.progress import say

if TYPE_CHECKING:
    import httpx

#: Bytes of one response that are read; an answer of 100,000 tokens is smaller.
_LARGEST = 16 << 20
#: How servers say that a prompt is too long (OpenAI, vLLM, SGLang, llama.cpp, TGI).
_OVERFLOW = ("context_length_exceeded", "context length", "context size", "context window", "exceed_context", "too many tokens", "too long")


class ServerConfig(Config):
    """An OpenAI-compatible server."""

    url: str = "http://127.0.0.1:8000/v1"
    """Where it is, up to and with ``/v1``."""
    model: str = ""
    """Its name for the model."""
    api_key_env: str | None = None
    """The environment variable that holds the key. The key itself never stands in a recipe; none is sent unless this is set."""
    concurrency: int = Field(8, ge=1)
    """Requests under way at once."""
    timeout: float = Field(120, gt=0)
    """Seconds that one answer may take, from the first byte sent to the last received."""
    connect_timeout: float = Field(10, gt=0)
    retries: int = Field(5, ge=0)
    """How often a request is made again after a passing trouble: 429, 5xx, a broken connection, a time-out, an answer that is not JSON."""
    longest_wait: float = Field(120, ge=0)
    """Seconds of ``Retry-After`` that are still waited for; a server that asks for more is given up."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Laid over every request as it is, for what only this server knows (``chat_template_kwargs``, ``top_k``)."""

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")) or "@" in url:
            raise ValueError("must begin with http:// or https://, and hold no user name or password (use api_key_env)")
        return url.rstrip("/")


class Server:
    """A chat engine over HTTP.

    Args:
        config: where and how.
        wait: how to wait (tests do not).
        told: who is told of waits.

    Raises:
        SuasionError: no model is named, or the key's variable is not set.
    """

    def __init__(
        self, config: ServerConfig, *, wait: Callable[[float], Awaitable[None]] = asyncio.sleep, told: Callable[[str], None] = say
    ) -> None:
        if not config.model:
            raise SuasionError("No model is named for the server.", where=config.url, hint="Set server.model to its name for the model.")
        self.config, self._wait, self._told = config, wait, told
        self._key = key_of(config.api_key_env)
        self._random = random.Random()  # jitter is meant to differ from process to process; no result depends on it
        self._client: httpx.AsyncClient | None = None
        self._free: asyncio.Semaphore | None = None

    @property
    def name(self) -> str:
        """Model and server."""
        return f"{self.config.model} at {self.config.url}"

    @property
    def identity(self) -> str:
        """The model and what every request is told besides; not the address, which changes with every tunnel."""
        return json.dumps([self.config.model, self.config.extra_body], sort_keys=True)

    @property
    def concurrency(self) -> int:
        """As configured."""
        return self.config.concurrency

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        """``n`` answers, each a request of its own: many servers refuse ``n > 1`` or answer only once. Raises as the protocol says."""
        bodies = [self._body(messages, sampling, number) for number in range(n)]
        tasks = [asyncio.ensure_future(self._patiently(body)) for body in bodies]
        try:
            return list(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            raise

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client, self._free = self._client, None, None
        if client is not None:
            await client.aclose()

    def _body(self, messages: Sequence[Message], sampling: ChatSampling, number: int) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.config.model, "messages": list(messages), "max_tokens": sampling.max_tokens}
        body |= {"temperature": sampling.temperature, "top_p": sampling.top_p, "stream": False}
        if sampling.seed is not None:
            body["seed"] = sampling.seed + number
        return body | self.config.extra_body | sampling.extra_body

    async def _patiently(self, body: dict[str, Any]) -> str:
        """One answer, with retries."""
        for attempt in range(1, self.config.retries + 2):
            try:
                return await self._once(body)
            except Trouble as trouble:
                if trouble.after is not None and trouble.after > self.config.longest_wait:
                    raise self._gave_up(f"{trouble.what}; it asks us to wait {trouble.after:.0f} s", attempt) from trouble
                if attempt > self.config.retries:
                    raise self._gave_up(trouble.what, attempt) from trouble
                seconds = pause(attempt, trouble.after, self._random)
                self._told(f"{self.name}: {trouble.what}; asking again in {seconds:.1f} s ({attempt} of {self.config.retries})")
                await self._wait(seconds)
        raise AssertionError("unreachable")

    async def _once(self, body: dict[str, Any]) -> str:
        """One request. Raises :class:`Trouble` for what may pass, SuasionError for what will not."""
        import httpx

        client, free = self._connected()
        async with free:
            try:
                async with asyncio.timeout(self.config.timeout):
                    status, headers, content = await self._exchange(client, body)
            except TimeoutError as error:
                raise Trouble(f"no answer within {self.config.timeout:g} s") from error
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise SuasionError(f"The server's address is wrong: {error!s:.200}", where=self.config.url) from error
            except (httpx.HTTPError, httpx.StreamError) as error:
                raise Trouble(f"{type(error).__name__}{f': {error!s:.200}' if str(error) else ''}") from error
        if status != 200:
            raise self._refused(status, headers, content)
        return _content(content)

    async def _exchange(self, client: httpx.AsyncClient, body: dict[str, Any]) -> tuple[int, Any, bytes]:
        """Status, headers and body of a response, the body up to a size: an endless one must not fill the memory."""
        async with client.stream("POST", f"{self.config.url}/chat/completions", content=_dumped(body)) as response:
            content = bytearray()
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > _LARGEST:
                    raise SuasionError(f"The server's answer is larger than {_LARGEST >> 20} MB.", where=self.name)
            return response.status_code, response.headers, bytes(content)

    def _connected(self) -> tuple[httpx.AsyncClient, asyncio.Semaphore]:
        """Client and limit, made at the first request: they belong to the event loop that is running then."""
        import httpx

        if self._client is None or self._free is None:
            headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
            timeout = httpx.Timeout(self.config.timeout, connect=min(self.config.connect_timeout, self.config.timeout))
            self._client = httpx.AsyncClient(headers=headers, timeout=timeout, follow_redirects=False)
            self._free = asyncio.Semaphore(self.config.concurrency)
        return self._client, self._free

    def _refused(self, status: int, headers: Any, content: bytes) -> Exception:
        """What a status other than 200 means for us."""
        said = self._without_key(" ".join(content[:2000].decode("utf-8", "replace").split())[:300])
        if status not in (401, 403, 429) and any(phrase in said.lower() for phrase in _OVERFLOW):
            return ContextOverflow(f"The prompt does not fit into the model's context: {said}", where=self.name)
        if status in TRANSIENT:
            return Trouble(f"HTTP {status}{f': {said:.100}' if said else ''}", retry_after(headers))
        hint = {401: "Name the key's variable in server.api_key_env.", 404: "Check server.url (it ends in /v1) and server.model."}
        return SuasionError(f"The server refused with HTTP {status}: {said or 'no reason given'}", where=self.name, hint=hint.get(status))

    def _gave_up(self, what: str, attempts: int) -> SuasionError:
        tries = "once" if attempts == 1 else f"{attempts} times"
        return SuasionError(
            f"The server gave no answer, asked {tries}: {what}.",
            where=self.name,
            hint="Is it up? Answers that were had are kept: the same command goes on from there.",
        )

    def _without_key(self, said: str) -> str:
        """Some servers quote the key they refuse."""
        return said.replace(self._key, "(key)") if self._key else said


def key_of(variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise SuasionError(f"The environment variable {variable} holds no key.", hint="Set it, or set server.api_key_env to null.")
    return key


def _dumped(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=True).encode()  # half an emoji, as old dumps have them, has no UTF-8


def _content(content: bytes) -> str:
    """The answer's text; an answer without text (a model that only thought, a refusal) is empty."""
    try:
        message = json.loads(content)["choices"][0]["message"]
        text = message.get("content")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Trouble(f"an answer that is no chat completion: {content[:80]!r}") from error
    if text is None:
        return ""
    if not isinstance(text, str):
        raise Trouble(f"an answer whose content is no text: {content[:80]!r}")
    return text
