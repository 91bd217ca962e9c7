"""What vLLM's server is asked besides chat: to take in an adapter, and what it makes of given tokens. All waits end and name the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.models.chat.server import ServerConfig, key_of

LOADING = 300.0  # seconds that taking in an adapter may take


class Vllm:
    """One server, over HTTP.

    Args:
        config: where it is; ``model`` is its name for the base.
    """

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self._key = key_of(config.api_key_env)

    def load_adapter(self, name: str, folder: Path) -> None:
        """Serve an adapter under a name.

        Raises:
            SuasionError: the server cannot: it was not started for that, or cannot read the folder.
        """
        status, said = self._post("/load_lora_adapter", {"lora_name": name, "lora_path": str(folder.resolve())})
        if status in (404, 405):
            hint = "Start it with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 in its environment."
            raise SuasionError("The server takes in no adapters while it runs.", where=self.config.url, hint=hint)
        if status != 200 and "already been loaded" not in said:
            hint = "It must see the run's folder under the same path, and allow the adapter's rank (--max-lora-rank)."
            raise SuasionError(f"The server did not take in the adapter (HTTP {status}): {said:.300}", where=self.config.url, hint=hint)

    def unload_adapter(self, name: str) -> None:
        """Forget an adapter; one that is not there is forgotten already."""
        self._post("/unload_lora_adapter", {"lora_name": name})

    def log_probabilities(self, model: str, ids: Sequence[int]) -> np.ndarray:
        """What a model of the server gives to each of these tokens but the first, in nats; shape (len(ids) - 1,).

        Raises:
            SuasionError: it does not tell.
        """
        body = {"model": model, "prompt": list(ids), "max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0}
        answer = self._asked("/completions", body)
        try:
            told = answer["choices"][0]["prompt_logprobs"][1:]
            return np.array([float(one[str(token)]["logprob"]) for one, token in zip(told, ids[1:], strict=True)])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            what = f"The server does not tell the log-probabilities of a prompt's tokens: {error!r:.200}"
            raise SuasionError(what, where=self.config.url, hint="This needs vLLM's own server.") from error

    def prompt_ids(self, model: str, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """The token ids that the server makes of a chat, up to where its answer begins. Raises SuasionError: it does not tell."""
        body = {"model": model, "messages": list(messages), "add_generation_prompt": True}
        try:
            return [int(token) for token in self._asked("/tokenize", body, root=True)["tokens"]]
        except (LookupError, TypeError, ValueError) as error:
            what = f"The server does not tell the tokens of a chat: {error!r:.200}"
            raise SuasionError(what, where=self.config.url, hint="This needs vLLM's own server.") from error

    def _asked(self, path: str, body: Mapping[str, Any], root: bool = False) -> Any:
        import json

        status, said = self._post(path, body, root)
        if status != 200:
            raise SuasionError(f"The server refused {path} with HTTP {status}: {said:.300}", where=self.config.url)
        try:
            return json.loads(said)
        except (ValueError, RecursionError) as error:
            raise SuasionError(f"The server's answer to {path} is not JSON: {said:.80}", where=self.config.url) from error

    def _post(self, path: str, body: Mapping[str, Any], root: bool = False) -> tuple[int, str]:
        """Status and text of the answer."""
        import httpx

        url = (self.config.url.removesuffix("/v1") if root else self.config.url) + path
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx.Timeout(LOADING, connect=self.config.connect_timeout)
        try:
            response = httpx.post(url, json=body, headers=headers, timeout=timeout, follow_redirects=False)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SuasionError(f"The server does not answer: {error!s:.200}", where=url, hint="Is it up?") from error
        said = response.text
        return response.status_code, said.replace(self._key, "(key)") if self._key else said
