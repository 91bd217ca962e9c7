"""``suasion serve``: verdicts over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer


def serve_command(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at. Others than this machine's own let others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one and says which.")] = 8000,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes that judge. Default: one a core.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="What a request may take.")] = 120.0,
    megabytes: Annotated[float, typer.Option("--megabytes", min=0.001, help="What a request may hold.")] = 16.0,
) -> None:
    """Serve verdicts over HTTP, one endpoint a task, and a page to try them on (needs the extra serve).

    POST /verify/TASK takes {"source", "reference", "answers": […]} and gives {"verdicts": [{"verdict", "findings", "scores"}]}.
    It stops at Ctrl-C or SIGTERM, when what is under way is done.
    """
    from suasion.errors import SuasionError

    try:
        from suasion.analysis.service.serve import Settings, serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn"):
            raise
        raise SuasionError("The service's libraries are not installed.", hint="pip install 'suasion[serve]'") from error
    serve(host, port, Settings(workers=workers, seconds=seconds, megabytes=megabytes))
