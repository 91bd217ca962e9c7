"""Running the pages until they are told to stop, with a backup now and then."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from suasion.errors import SuasionError
from suasion.listening import LOOPBACK, listen
from suasion.persuasion.arena.app import Served, host_of, make_app
from suasion.persuasion.arena.export import BACKUPS, back_up
from suasion.persuasion.arena.invite import admin_token
from suasion.persuasion.arena.store import Store, open_store
from suasion.progress import say

GRACE = 10  # seconds that requests under way may take when the server is to stop
KEPT_BACKUPS = 10


def serve(folder: Path, host: str, port: int, *, address: str | None, backup_minutes: float, requests_per_second: float) -> None:
    """Serve until SIGINT or SIGTERM. On this machine's own address, only requests that name it (or ``address``) are taken: a page
    elsewhere, whose name is made to mean this machine, gets nothing.

    Args:
        address: what raters' links begin with, where it is another than host and port: behind TLS, say.

    Raises:
        SuasionError: no study, a simulated study, or an address that cannot be had.
    """
    import uvicorn

    with open_store(folder) as store, listen(host, port, "The arena") as bound:
        if store.simulation:
            raise SuasionError("This study is simulated; people are never mixed in.", where=folder, hint="Make a study for people.")
        shown = f"[{host}]" if ":" in host else host
        here = f"http://{shown}:{bound.getsockname()[1]}"
        hosts = (*LOOPBACK[:2], "[::1]", *([host_of(address)] if address else [])) if host in LOOPBACK else ("*",)
        served = Served(address=address or here, hosts=hosts, requests_per_second=requests_per_second)
        app = make_app(store, served)
        say(f"The arena is at {here}/ until Ctrl-C.")
        say(f"Admin: {served.address.rstrip('/')}/admin/{admin_token(store.secret)}")
        if host not in LOOPBACK and not (address or "").startswith("https:"):
            say("Others can reach this without encryption: put it behind a server with TLS, and give its --address.")
        ended = threading.Event()
        keeper = threading.Thread(target=_keep_backups, args=(store, backup_minutes * 60, ended), daemon=True)
        keeper.start()
        config = uvicorn.Config(
            app, log_level="warning", timeout_graceful_shutdown=GRACE, server_header=False, date_header=False, access_log=False
        )
        server = uvicorn.Server(config)
        server.run(sockets=[bound])
        ended.set()
        keeper.join()
    if not server.started:
        raise SuasionError("The server did not start.", hint="Look at what it said above.")


def _keep_backups(store: Store, seconds: float, ended: threading.Event) -> None:
    while not ended.wait(seconds):
        try:
            back_up(store)
            for old in sorted((store.folder / BACKUPS).glob("arena-*.sqlite"))[:-KEPT_BACKUPS]:
                with suppress(OSError):
                    old.unlink()
        except SuasionError as error:
            say(f"No backup could be made: {error.what}")
