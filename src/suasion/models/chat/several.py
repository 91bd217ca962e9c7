"""Several engines with the same model that share the load: each question goes to the one with the most room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatEngine, ChatSampling, ContextOverflow, Message
from suasion.progress import say


class Several:
    """A chat engine made of others. One that gives no answer any more is left out, and its questions go to the rest.

    Args:
        engines: all with the same identity, so that it does not matter who answers.
        told: who is told of an engine that is left out.

    Raises:
        SuasionError: there is none, or they are not alike.
    """

    def __init__(self, engines: Sequence[ChatEngine], *, told: Callable[[str], None] = say) -> None:
        if not engines:
            raise SuasionError("There is no engine to share the load.", hint="Name at least one server.")
        for one in engines:
            if one.identity != engines[0].identity:
                raise SuasionError(
                    f"{one.name} and {engines[0].name} are not set up alike.", hint="Give all servers the same model and options."
                )
        self._left, self._told = list(engines), told
        self._engines = tuple(engines)
        self._under_way = dict.fromkeys(range(len(engines)), 0)

    @property
    def name(self) -> str:
        """The names of all."""
        return ", ".join(one.name for one in self._engines)

    @property
    def identity(self) -> str:
        """Theirs."""
        return self._engines[0].identity

    @property
    def concurrency(self) -> int:
        """Of those that are left, together."""
        return sum(one.concurrency for one in self._left)

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        """As the protocol says; SuasionError, the last engine's, when none is left."""
        while True:
            engine = min(self._left, key=lambda one: self._under_way[self._place(one)] / one.concurrency)
            place = self._place(engine)
            self._under_way[place] += n
            try:
                return await engine.complete(messages, n, sampling)
            except ContextOverflow:
                raise
            except SuasionError as error:
                if self._left == [engine]:
                    raise
                if engine in self._left:
                    self._left.remove(engine)
                    self._told(f"{engine.name} is left out from now on: {error.what}")
            finally:
                self._under_way[place] -= n

    async def aclose(self) -> None:
        """Close all."""
        for engine in self._engines:
            await engine.aclose()

    def _place(self, engine: ChatEngine) -> int:
        return next(place for place, one in enumerate(self._engines) if one is engine)
