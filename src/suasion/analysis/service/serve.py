"""Running the service until it is told to stop."""

from __future__ import annotations

from suasion.analysis.service.app import Settings, make_app
from suasion.errors import SuasionError
from suasion.listening import LOOPBACK, listen
from suasion.progress import say

__all__ = ["Settings", "serve"]

GRACE = 30  # seconds that requests under way may take when the service is to stop


def serve(host: str, port: int, settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; what is under way is finished then.

    On this machine's own address, only requests that name it are taken: a page elsewhere, whose name is made to mean this machine, gets
    nothing.

    Raises:
        SuasionError: the address cannot be had.
    """
    import uvicorn

    if host in LOOPBACK:
        settings = settings.model_copy(update={"hosts": (*LOOPBACK[:2], "[::1]")})
    bound = listen(host, port, "The service")
    with bound:
        shown = f"[{host}]" if ":" in host else host
        say(f"Verdicts at http://{shown}:{bound.getsockname()[1]}/ until Ctrl-C.")
        config = uvicorn.Config(make_app(settings), log_level="warning", timeout_graceful_shutdown=GRACE, server_header=False)
        server = uvicorn.Server(config)
        server.run(sockets=[bound])
    if not server.started:
        raise SuasionError("The service did not start.", hint="Look at what it said above.")
