"""An address to serve at, taken before anything else is done, so that a port in use is told at once."""

from __future__ import annotations

import socket

from suasion.errors import SuasionError

#: Addresses that only this machine reaches.
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def listen(host: str, port: int, what: str) -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Args:
        what: serves there, for the error: ``The arena``.

    Raises:
        SuasionError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, so that asyncio turns Nagle's algorithm off: with it, replies in two parts wait 40 ms for the other side's word.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(2048)
    except (OSError, OverflowError) as error:
        bound.close()
        raise SuasionError(f"{what} cannot listen at {host}:{port}: {error}.", hint="Choose another --port, or --host.") from error
    return bound
