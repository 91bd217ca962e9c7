"""All tricks, in the order in which they are told."""

from __future__ import annotations

from suasion.persuasion.judging.audit.tricks.injection import INJECTION
from suasion.persuasion.judging.audit.tricks.order import ORDER
from suasion.persuasion.judging.audit.tricks.padding import PADDING
from suasion.persuasion.judging.audit.tricks.style import STYLE
from suasion.persuasion.judging.audit.tricks.substance import SUBSTANCE
from suasion.persuasion.judging.audit.tricks.tone import TONE
from suasion.persuasion.judging.audit.tricks.trick import Trick

TRICKS: tuple[Trick, ...] = (*PADDING, *ORDER, *SUBSTANCE, *STYLE, *TONE, *INJECTION)
