"""Many rows of ids through a one-number head: equal rows once, a common beginning once, the rest sorted by length into token budgets.

A judge reads four or more replies to one premise, and most of what it reads is the premise. Rows that begin with the same ids (whatever
template wrote them) share that beginning: it is computed once, its keys and values are laid under each row's own remainder. Attention
looks back only, so a row's score is the same number as if it had been read alone; what makes it so are the mask and the positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.models.sampling import Side, padded

Scores = NDArray[np.float32]
Row = tuple[int, ...]

#: A shorter common beginning is not worth a pass of its own (the template's first words are common to all rows).
_WORTH = 32
#: Rows that share one beginning at most; beyond it the beginning is simply computed again.
_MOST = 64
#: Tokens in one pass that keep a processor, or an accelerator, busy.
_ENOUGH = {"cpu": 512, "other": 2048}


@dataclass(frozen=True)
class Family:
    """Rows (by index) that share their first ``shared`` ids; a row on its own shares none."""

    members: tuple[int, ...]
    shared: int


def score_rows(
    model: Any,
    rows: Sequence[Sequence[int]],
    *,
    pad_id: int,
    budget: int,
    padding: Side = "right",
    advance: Callable[[int], None] = lambda done: None,
) -> Scores:
    """One number a row, shape (n,), float32; the same for a row whatever else is scored with it.

    Args:
        model: a sequence classifier with one label, in eval mode: a causal decoder with a ``score`` head, with or without an adapter, in
            any precision; or an encoder, which is asked for its own logits.
        rows: ids, without padding; none of them empty.
        budget: tokens held at once, padding and copies of beginnings included. A row that alone takes more is still scored.
        padding: ``left`` exists to prove that it makes no difference; nothing is shared then.
        advance: told how many rows each finished batch was.
    """
    import torch

    scores = np.empty(len(rows), dtype=np.float32)
    unique = sorted(set(map(tuple, rows)))  # in this order rows that begin alike are neighbours
    times = Counter(map(tuple, rows))
    found = np.empty(len(unique), dtype=np.float32)
    reader = _Reader(model, pad_id, padding)
    sharing = padding == "right" and reader.can_share(max(map(len, unique), default=0))
    groups = families(unique) if sharing else [Family((index,), 0) for index in range(len(unique))]
    with torch.inference_mode():
        for batch, values in _passes(reader, unique, groups, budget):
            found[batch] = values
            advance(sum(times[unique[index]] for index in batch))
    place = {row: index for index, row in enumerate(unique)}
    for index, row in enumerate(rows):
        scores[index] = found[place[tuple(row)]]
    return scores


def families(rows: Sequence[Row]) -> list[Family]:
    """Part sorted, distinct rows into neighbours that share a beginning, so that the fewest tokens are left to compute.

    A family of k rows sharing p ids saves (k - 1) p tokens; the best parting is found by dynamic programming over where the last family
    starts. Each row keeps at least its last id for itself, for there the score is read.
    """
    beside = [_common(first, second) for first, second in pairwise(rows)]
    saved, start = [0] * (len(rows) + 1), [0] * (len(rows) + 1)
    lengths = [0] * (len(rows) + 1)  # of what the family that ends here shares
    for end in range(1, len(rows) + 1):
        saved[end], start[end] = saved[end - 1], end - 1
        shared = len(rows[end - 1]) - 1
        for first in range(end - 2, max(-1, end - 1 - _MOST), -1):
            shared = min(shared, beside[first], len(rows[first]) - 1)
            if shared < _WORTH:
                break
            gain = saved[first] + (end - first - 1) * shared
            if gain > saved[end]:
                saved[end], start[end], lengths[end] = gain, first, shared
    found, end = [], len(rows)
    while end > 0:
        found.append(Family(tuple(range(start[end], end)), lengths[end]))
        end = start[end]
    return found[::-1]


def packed(lengths: Sequence[int], budget: int, *, before: int = 0, enough: int = 0) -> Iterator[list[int]]:
    """Indices, longest first, in batches.

    Args:
        lengths: of the rows.
        budget: a batch's number of rows x (``before`` + its longest) stays within it, unless the batch is a single row.
        before: what each row has before it.
        enough: tokens that keep the machine busy. A batch that has as many takes no row in that is more than a tenth shorter than its
            longest: another pass is then cheaper than the padding.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        longest = lengths[batch[0]] if batch else 0
        full = (len(batch) + 1) * (before + longest) > budget
        uneven = len(batch) * longest >= enough and 10 * lengths[index] < 9 * longest
        if batch and (full or uneven):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _passes(reader: _Reader, rows: Sequence[Row], groups: Sequence[Family], budget: int) -> Iterator[tuple[list[int], Scores]]:
    """Indices of rows with their scores, a batch at a time."""
    alone = [group.members[0] for group in groups if len(group.members) == 1]
    for batch in packed([len(rows[index]) for index in alone], budget, enough=reader.enough):
        chosen = [alone[i] for i in batch]
        yield chosen, reader.whole([rows[index] for index in chosen])
    sharing = [group for group in groups if len(group.members) > 1]
    # beginnings are held while their rests are read: the more of them, the better their rests can be sorted
    for together in packed([group.shared for group in sharing], budget // 2, enough=budget):
        some = [sharing[i] for i in together]
        left = budget - len(some) * some[0].shared
        beginnings = reader.beginnings([rows[group.members[0]][: group.shared] for group in some])
        members = [(number, index) for number, group in enumerate(some) for index in group.members]
        rests = [rows[index][some[number].shared :] for number, index in members]
        for batch in packed([len(rest) for rest in rests], left, before=some[0].shared, enough=reader.enough):
            values = reader.rest(beginnings, [members[i][0] for i in batch], [rests[i] for i in batch])
            yield [members[i][1] for i in batch], values


@dataclass(frozen=True)
class _Beginnings:
    """Keys and values a layer, shape (beginnings, heads, longest, d) each, and how many of the longest are no padding."""

    layers: list[tuple[Any, Any]]
    lengths: list[int]


class _Reader:
    """One model's forward passes over padded batches; every pass returns float32 scores, shape (batch,)."""

    def __init__(self, model: Any, pad_id: int, padding: Side) -> None:
        self.classifier = model.get_base_model() if hasattr(model, "get_base_model") else model
        self.device, self.pad_id, self.padding = model.device, pad_id, padding
        self.enough = _ENOUGH["cpu" if self.device.type == "cpu" else "other"]
        self.decoder = hasattr(self.classifier, "score")
        self.backbone = getattr(self.classifier, self.classifier.base_model_prefix)
        takes = signature(self.backbone.forward).parameters
        names = ("cache", "past_key_values") if "position_ids" in takes else ()  # its name before transformers 5.2x
        self.cache_name = next((name for name in names if name in takes), None)
        kinds = {weight.dtype for weight in self.backbone.parameters() if weight.is_floating_point()}
        additive = getattr(self.backbone.config, "_attn_implementation", None) in ("sdpa", "eager")
        self.mask_dtype = kinds.pop() if additive and len(kinds) == 1 else None

    def can_share(self, longest: int) -> bool:
        """Whether the model is a decoder of full attention that takes a cache. Windows and recurrent states count places, not positions,
        and the padding between a beginning and its rest would shift them."""
        from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

        if not self.decoder or self.cache_name is None:
            return False
        for layer in DynamicCache(config=self.backbone.config).layers:
            wide = type(layer) is DynamicSlidingWindowLayer and layer.sliding_window > 2 * longest
            if type(layer) is not DynamicLayer and not wide:
                return False
        return True

    def whole(self, rows: Sequence[Row]) -> Scores:
        """Rows from beginning to end."""
        ids, mask = padded(rows, self.pad_id, self.device, self.padding)
        if not self.decoder:
            return _as_scores(self.classifier(input_ids=ids, attention_mask=mask).logits[:, 0])
        hidden = self.backbone(input_ids=ids, attention_mask=mask, position_ids=_positions(mask), use_cache=False).last_hidden_state
        return self._at_end(hidden, mask)

    def beginnings(self, rows: Sequence[Row]) -> _Beginnings:
        """Keys and values of beginnings, sorted by length, the longest first; to be laid under rests."""
        import torch
        from transformers import DynamicCache

        longest, parts = max(map(len, rows)), []
        for batch in packed([len(row) for row in rows], longest * len(rows), enough=self.enough):
            ids, mask = padded([rows[index] for index in batch], self.pad_id, self.device, "right")
            cache = DynamicCache()
            self._continue(cache, ids, mask, _positions(mask))
            held: list[Any] = list(cache.layers)
            parts.append([(_widened(layer.keys, longest), _widened(layer.values, longest)) for layer in held])
        layers = [
            (torch.cat([keys for keys, _ in layer]), torch.cat([values for _, values in layer])) for layer in zip(*parts, strict=True)
        ]
        return _Beginnings(layers, [len(row) for row in rows])

    def rest(self, beginnings: _Beginnings, of: Sequence[int], rows: Sequence[Row]) -> Scores:
        """Rests of rows, each behind the beginning numbered in ``of``. Padding may lie between the two; the mask hides it."""
        import torch
        from transformers import DynamicCache

        ids, mask = padded(rows, self.pad_id, self.device, "right")
        lengths = [beginnings.lengths[number] for number in of]
        longest = max(lengths)
        cache = DynamicCache()
        for number, (keys, values) in enumerate(beginnings.layers):
            at = torch.tensor(list(of), device=keys.device)  # layers may lie on several devices
            cache.update(keys[at, :, :longest], values[at, :, :longest], number)
        before = (torch.arange(longest) < torch.tensor(lengths)[:, None]).to(mask)
        everything = torch.cat([before, mask], dim=1)
        positions = _positions(everything)[:, -mask.shape[1] :]
        return self._at_end(self._continue(cache, ids, everything, positions), mask)

    def _continue(self, cache: Any, ids: Any, mask: Any, positions: Any) -> Any:
        """Last hidden states of ids behind what the cache holds; their keys and values are added to it."""
        held = {str(self.cache_name): cache, "use_cache": True}
        if self.mask_dtype is not None and not bool(mask.all()):
            mask = _additive(mask, ids.shape[1], self.mask_dtype)
        return self.backbone(input_ids=ids, attention_mask=mask, position_ids=positions, **held).last_hidden_state

    def _at_end(self, hidden: Any, mask: Any) -> Scores:
        """The head's product at each row's last token, in float32: bfloat16 has 8 bits of mantissa and makes spurious ties
        (sentence-transformers issue 3894)."""
        import torch

        last = (mask * torch.arange(mask.shape[1], device=mask.device)).argmax(-1).to(hidden.device)
        at_end = hidden[torch.arange(len(last), device=hidden.device), last]
        head = _active_head(self.classifier.score)
        bias = None if head.bias is None else head.bias.float()
        return _as_scores(torch.nn.functional.linear(at_end.float(), head.weight.float(), bias)[:, 0])


def _as_scores(values: Any) -> Scores:
    return np.asarray(values.float().cpu().numpy(), dtype=np.float32)


def _widened(states: Any, width: int) -> Any:
    """Keys or values, shape (rows, heads, tokens, d), with zeros behind, up to ``width`` tokens."""
    import torch

    return torch.nn.functional.pad(states, (0, 0, 0, width - states.shape[2]))


def _positions(mask: Any) -> Any:
    """The place of each real token among its row's real tokens; padding repeats the last, so that no position is out of the table."""
    return (mask.cumsum(-1) - 1).clamp(min=0)


def _additive(mask: Any, own: int, dtype: Any) -> Any:
    """The mask that attention adds, shape (rows, 1, own, all). Given as zeros and ones, it would be turned into this in every layer:
    a twentieth of the time.

    Args:
        mask: ones where an id is real, shape (rows, all); its last ``own`` columns are of the ids now read.
    """
    import torch

    every = mask.shape[1]
    place = torch.arange(every, device=mask.device)
    seen = mask.bool()[:, None, None, :] & (place <= place[every - own :, None])
    seen |= place == place[every - own :, None]  # padding sees itself: a row of nothing but -inf has no softmax
    return torch.zeros(seen.shape, dtype=dtype, device=mask.device).masked_fill(~seen, torch.finfo(dtype).min)


def _active_head(score: Any) -> Any:
    """The trained head: PEFT wraps it and keeps the untouched original beside it."""
    wrapped = getattr(score, "modules_to_save", None)
    return score if wrapped is None else wrapped[score.active_adapters[0]]


def _common(first: Row, second: Row) -> int:
    """How many ids two rows have in common at their beginning."""
    return next((i for i, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), min(len(first), len(second)))
