"""Signed links: each rater has one, it opens no other rater's series, and a new one cannot be made without the study's secret."""

from __future__ import annotations

import base64
import hashlib
import hmac

_BYTES = 16


def sign(secret: bytes, purpose: str, value: str) -> str:
    """A signature (HMAC-SHA256, 128 bits, base64url) of a value for one purpose: one of a link is none of a form."""
    digest = hmac.new(secret, f"{purpose}\0{value}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:_BYTES]).decode().rstrip("=")


def is_signed(secret: bytes, purpose: str, value: str, signature: str) -> bool:
    """Whether the signature is the value's; takes as long for a near miss as for nonsense."""
    return hmac.compare_digest(sign(secret, purpose, value).encode(), signature.encode("utf-8", "replace"))


def rater_token(secret: bytes, rater_id: str) -> str:
    """What a rater's link and cookie hold."""
    return f"{rater_id}.{sign(secret, 'rater', rater_id)}"


def rater_of_token(secret: bytes, token: str) -> str | None:
    """The rater's id; ``None`` where the token is not one of ours."""
    rater_id, _, signature = token.partition(".")
    return rater_id if is_signed(secret, "rater", rater_id, signature) else None


def rater_link(address: str, secret: bytes, rater_id: str) -> str:
    """The link that is sent to one person."""
    return f"{address.rstrip('/')}/r/{rater_token(secret, rater_id)}"


def admin_token(secret: bytes) -> str:
    """What opens the pages of whoever runs the study."""
    return sign(secret, "admin", "admin")


def is_admin(secret: bytes, token: str) -> bool:
    """Whether this is the study's admin token."""
    return is_signed(secret, "admin", "admin", token)


def form_token(secret: bytes, whose: str) -> str:
    """What a form of this rater (or of ``admin``) must bring back: a page elsewhere cannot know it."""
    return sign(secret, "form", whose)


def is_form_token(secret: bytes, whose: str, token: str) -> bool:
    """Whether the form is one that this rater was given."""
    return is_signed(secret, "form", whose, token)
