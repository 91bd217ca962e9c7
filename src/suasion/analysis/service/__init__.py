"""Verification at work: many answers at once, on a cluster, over HTTP, and inside other people's frameworks."""

from suasion.analysis.service.many import verify_many
from suasion.analysis.verification.rows import Row

__all__ = ["Row", "verify_many"]
