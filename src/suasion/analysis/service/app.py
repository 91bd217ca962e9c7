"""The HTTP service: one endpoint a task, and a page to try it on. Everything that comes in is untrusted text."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from suasion import __version__
from suasion.analysis.service.drawing import draw
from suasion.analysis.service.guard import Guard, refusal
from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks import Task, all_tasks, get_task
from suasion.analysis.verification.findings import Verdict, VerdictName
from suasion.analysis.verification.pool import Limits, Pool
from suasion.analysis.verification.rows import Row, clean_text
from suasion.analysis.verification.stream import batches
from suasion.config import Config
from suasion.errors import SuasionError

MOST_DRAWN = 100_000  # characters of an answer whose map is drawn
MOST_WAITING = 200_000_000  # characters of answers that wait for a verdict
PAGE = {"": ("index.html", "text/html"), "page.js": ("page.js", "text/javascript"), "page.css": ("page.css", "text/css")}


class Settings(Config):
    """What the service takes on. ``seconds`` are for a request as a whole, in and out; ``limits`` for each answer."""

    workers: int | None = None
    limits: Limits = Limits()
    seconds: float = 120.0
    megabytes: float = 16.0
    answers: int = 256
    hosts: tuple[str, ...] = ("*",)


class Question(BaseModel):
    """Answers to one problem."""

    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, Field(description="The text that is analysed.")] = ""
    reference: Annotated[str, Field(description="What a sequential task starts from: a map, an annotation, a reconstruction.")] = ""
    answers: Annotated[list[str], Field(description="Raw texts of a model.", min_length=1)]


class FindingOut(BaseModel):
    """What is wrong, or could not be decided; lines and columns of the answer count from 1."""

    code: str
    message: str
    line: int | None
    column: int | None
    undecided: bool


class VerdictOut(BaseModel):
    """The verdict on one answer."""

    verdict: VerdictName
    findings: list[FindingOut]
    scores: dict[str, float]


class Verdicts(BaseModel):
    """A verdict for each answer, in their order."""

    verdicts: list[VerdictOut]


class MapQuestion(BaseModel):
    """An answer whose map is to be drawn."""

    model_config = ConfigDict(extra="forbid")

    task: str
    answer: str


def make_app(settings: Settings | None = None) -> FastAPI:
    """The service as an ASGI application; its worker processes live as long as its lifespan."""
    settings = settings or Settings()
    waiting = _Waiting(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with Pool(make_judge, settings.workers, settings.limits) as pool:
            await asyncio.to_thread(pool.start)
            waiting.pool = pool
            yield

    # FastAPI's own pages for an API take their scripts from elsewhere
    app = FastAPI(
        title="suasion verify",
        version=__version__,
        description="Verdicts on argument maps, annotations and reconstructions, with what is wrong and where.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts))
    app.add_middleware(Guard, most_bytes=int(settings.megabytes * 1e6), seconds=settings.seconds)
    app.add_exception_handler(RequestValidationError, _unprocessable)
    app.add_exception_handler(HTTPException, _refused)
    errors: dict[int | str, dict[str, Any]] = {
        413: {"description": "The request is too large."},
        503: {"description": "Too many answers are waiting."},
        504: {"description": "There was no verdict in time."},
    }
    for task in all_tasks():
        app.add_api_route(
            f"/verify/{task.name}",
            _verify(task, waiting, settings),
            methods=["POST"],
            response_model=Verdicts,
            operation_id=f"verify_{task.name}",
            summary=task.goal,
            description=_requirements(task),
            responses=errors,
        )

    @app.post("/verify/{task}", include_in_schema=False)
    async def unknown(task: str) -> Response:
        try:
            get_task(task)
        except SuasionError as error:
            return refusal(404, " ".join(filter(None, (error.what, error.hint))))  # type: ignore[no-any-return]
        return refusal(404, "There is no such task.")  # type: ignore[no-any-return]

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether it runs, and how much waits for a verdict."""
        return {"status": "ok", "version": __version__, "workers": waiting.pool.workers, "waiting_characters": waiting.characters}

    @app.get("/tasks")
    async def tasks() -> list[dict[str, Any]]:
        """All tasks, each with a worked example."""
        return _TASKS

    _TASKS = [_described(task) for task in all_tasks()]
    one_at_a_time = asyncio.Lock()

    @app.post("/map")
    async def map_(question: MapQuestion) -> Response:
        """The map in an answer, laid out to be drawn: boxes with text, arrows as SVG paths."""
        async with one_at_a_time:
            return await asyncio.to_thread(_drawn, question)

    for path, (name, kind) in PAGE.items():
        app.add_api_route(f"/{path}", _static(name, kind), include_in_schema=False)
    return app


class _Waiting:
    """The pool, and how much waits for it."""

    pool: Pool

    def __init__(self, settings: Settings) -> None:
        self.seconds = settings.seconds
        self.characters = 0

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Verdicts in the order of the rows; a TimeoutError, and no more work, after ``seconds``."""
        characters = sum(row.characters for row in rows)
        self.characters += characters
        try:
            futures = [asyncio.wrap_future(self.pool.submit(batch)) for batch in batches(rows)]
            return [verdict for some in await asyncio.wait_for(asyncio.gather(*futures), self.seconds) for verdict in some]
        finally:
            self.characters -= characters


def _verify(task: Task, waiting: _Waiting, settings: Settings) -> Callable[[Question], Awaitable[Any]]:
    async def verify(question: Question) -> Any:
        if len(question.answers) > settings.answers:
            message = f"There are {len(question.answers):,} answers; no more than {settings.answers:,} are judged at a time."
            return refusal(422, message)
        if waiting.characters > MOST_WAITING:
            return refusal(503, "Too many answers are waiting for a verdict. Try again later.", {"Retry-After": "5"})
        rows = [Row("", task.name, question.source, answer, question.reference) for answer in question.answers]
        try:
            verdicts = await waiting.judge(rows)
        except TimeoutError:
            return refusal(504, f"There was no verdict within {settings.seconds:g} s. Send fewer answers at a time, or try again later.")
        except SuasionError as error:
            return refusal(503, error.what)
        return JSONResponse({"verdicts": [verdict_as_json(verdict) for verdict in verdicts]})

    return verify


def verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as scripts read it."""
    findings = [dataclasses.asdict(finding) for finding in verdict.findings]
    return {"verdict": verdict.name, "findings": findings, "scores": dict(verdict.scores)}


def _drawn(question: MapQuestion) -> Response:
    try:
        task = get_task(question.task)
        if len(question.answer) > MOST_DRAWN:
            raise SuasionError(f"The answer has {len(question.answer):,} characters; of up to {MOST_DRAWN:,} a map is drawn.")
        case = task.case("", clean_text(question.answer))
        document = case.map or case.reconstruction
        if document is None:
            raise SuasionError("The answer has no map to be drawn.")
        return JSONResponse(dataclasses.asdict(draw(document)))
    except SuasionError as error:
        return refusal(422, error.what)  # type: ignore[no-any-return]


def _requirements(task: Task) -> str:
    """What the judge asks for, as a list."""
    return "\n".join(f"* {check.requirement}" for check in task.checks if check.requirement)


def _described(task: Task) -> dict[str, Any]:
    return {"name": task.name, "goal": task.goal, "given": task.given, "artefacts": task.artefacts} | {
        "example": dataclasses.asdict(task.example)
    }


def _static(name: str, kind: str) -> Callable[[], Awaitable[Response]]:
    text = files("suasion.analysis.service").joinpath("page", name).read_text(encoding="utf-8")

    async def page() -> Response:
        return Response(text, media_type=f"{kind}; charset=utf-8")

    return page


async def _unprocessable(request: Request, error: Exception) -> Response:
    """What is wrong with the request, without a word of what it said: that may not even be text."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is called for no other
    told = "; ".join(f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}" for one in error.errors()[:5])
    return refusal(422, f"The request is not as it should be: {told}."[:2000].encode("utf-8", "replace").decode())  # type: ignore[no-any-return]


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is called for no other
    return refusal(error.status_code, str(error.detail), dict(error.headers or {}))  # type: ignore[no-any-return]
