"""Texts that are copies, or nearly copies, of each other: found by MinHash, confirmed by counting what they share."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from suasion.progress import track

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Shingles = frozenset[tuple[str, ...]]

_HASHES = 128
_MISSED = 1e-6  # of the pairs at the threshold, no more than this share may be missed
_DOUBT = 0.25  # the share of equal hashes strays from the Jaccard by 0.044 (standard deviation) at most: five of them may be wrong
_WORD = re.compile(r"\w+")


def shingles(text: str) -> Shingles:
    """The word 5-grams of a text in lower case without punctuation; a shorter text is a single shingle."""
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[start : start + 5]) for start in range(max(1, len(words) - 4))) if words else frozenset()


def jaccard(one: Shingles, other: Shingles) -> float:
    """Shared shingles over all shingles of two texts; 0 when both are empty."""
    return len(one & other) / (len(one | other) or 1)


def near_duplicates(texts: Mapping[str, str], threshold: float) -> list[tuple[str, str]]:
    """Keys of texts whose shingles overlap by ``threshold`` or more (Jaccard), as links that join each set of near-copies.

    MinHash with bands (Broder 1997; Leskovec, Rajaraman & Ullman, "Mining of Massive Datasets", section 3.4) proposes pairs, the texts
    themselves confirm them. Texts that are joined already are not compared again, so many copies of one text cost little. Besides
    the texts, half a kilobyte is held for each.

    Returns:
        Pairs (smaller key, larger key), sorted: enough to join everything that is to be joined, not every pair there is.
    """
    import numpy as np

    links: list[tuple[str, str]] = []
    first_with: dict[bytes, str] = {}
    keys: list[str] = []
    signatures: list[NDArray[np.uint32]] = []
    sign = _signer()
    with track("looking for copies", len(texts), unit="texts") as progress:
        for key in sorted(texts):
            progress.advance()
            words = _WORD.findall(texts[key].lower())
            if not words:
                continue
            digest = hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=16).digest()
            if (twin := first_with.setdefault(digest, key)) != key:
                links.append((twin, key))
            else:
                keys.append(key)
                signatures.append(sign(words))
        del first_with
        if keys:
            links += _joined(keys, np.stack(signatures), texts, threshold)
    return sorted(links)


def _rows(threshold: float) -> int:
    """How many hashes make a band: as many as miss next to nothing. At 0.8 that is 4, and a pair at 0.2 is looked at once in 20."""
    return next((rows for rows in (4, 3, 2) if (1 - threshold**rows) ** (_HASHES // rows) <= _MISSED), 1)


def _signer() -> Callable[[list[str]], NDArray[np.uint32]]:
    """Words of a text → its 128 MinHash values. The 5-grams are hashed with NumPy: with a hash call for each it takes thrice as long."""
    import numpy as np
    from datasketch import MinHash

    sketch = MinHash(num_perm=_HASHES, seed=1, hashfunc=int)
    odd = np.random.default_rng(1).integers(0, 1 << 63, size=5, dtype=np.uint64) * 2 + 1

    def sign(words: list[str]) -> NDArray[np.uint32]:
        codes = np.asarray([zlib.crc32(word.encode("utf-8", "replace")) for word in words], dtype=np.uint64)
        grams = max(1, len(words) - 4)
        mixed = np.zeros(grams, dtype=np.uint64)
        for place, factor in enumerate(odd[: min(5, len(words))]):
            mixed += codes[place : place + grams] * factor
        sketch.clear()
        sketch.update_batch((mixed >> np.uint64(32)).tolist())
        return np.asarray(sketch.hashvalues, dtype=np.uint32)

    return sign


def _joined(keys: list[str], signatures: NDArray[np.uint32], texts: Mapping[str, str], threshold: float) -> list[tuple[str, str]]:
    """Links among texts that share a band of their signatures."""
    import numpy as np

    parent = np.arange(len(keys))
    refused: set[tuple[int, int]] = set()
    links: list[tuple[str, str]] = []

    def find(member: int) -> int:
        while parent[member] != member:
            parent[member] = parent[parent[member]]
            member = int(parent[member])
        return member

    for bucket in _buckets(signatures, _rows(threshold)):
        roots = np.asarray([find(int(member)) for member in bucket])
        for place, one in enumerate(map(int, bucket[:-1])):
            if (roots == roots[0]).all():
                break
            apart = np.flatnonzero(roots[place + 1 :] != roots[place]) + place + 1
            alike = (signatures[bucket[apart]] == signatures[one]).mean(axis=1) >= threshold - _DOUBT
            mine = shingles(texts[keys[one]]) if alike.any() else frozenset()
            for spot in apart[alike]:
                other = int(bucket[spot])
                if roots[spot] == roots[place] or (one, other) in refused:
                    continue
                if jaccard(mine, shingles(texts[keys[other]])) < threshold:
                    refused.add((one, other))
                    continue
                links.append((keys[one], keys[other]))
                old, new = roots[spot], roots[place]
                parent[old] = new
                roots[roots == old] = new
    return links


def _buckets(signatures: NDArray[np.uint32], rows: int) -> Iterator[NDArray[np.int64]]:
    """Rows that share a whole band with another, in ascending order; band after band."""
    import numpy as np

    factors = np.random.default_rng(2).integers(0, 1 << 63, size=rows, dtype=np.uint64) * 2 + 1
    for band in range(_HASHES // rows):
        codes = (signatures[:, band * rows : (band + 1) * rows].astype(np.uint64) * factors).sum(axis=1, dtype=np.uint64)
        order = np.argsort(codes, kind="stable")
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        for start, end in zip([0, *ends], [*ends, len(order)], strict=True):
            if end - start > 1:
                yield order[start:end]
