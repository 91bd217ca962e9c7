"""A made-up dump of r/ChangeMyView of any size, in the form and with the habits of the real ones.

Lines carry the fields that the dumps of 2023 on carry, HTML escapes, quotes, edits, deleted text and DeltaBot's
confirmations. Words are drawn by Zipf's law, so that the text compresses about as English does. Compressed as the published dumps are,
with a long window, though not at their level (which takes hours).
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard

COMMON = (
    "the to of a and that is it in you i for be not are as this they on with have but if or people my can would "
    "just what do so about there at from like your more because an we one don't think it's will them how than who "
    "other no by all was some even"
)
_ONSETS = ("b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "ch", "sh", "th", "br", "pl")
_VOWELS = ("a", "e", "i", "o", "u", "ea", "ou", "ai")
_DEBATE = 60  # comments of a debate on average
_LEVEL, _WINDOW = 3, 27


def vocabulary(generator: random.Random, size: int = 40_000) -> np.ndarray:
    """Made-up words by rank; the first are English. Shape (size,), of objects."""
    ends = ["", "n", "r", "s", "t", "ng", "l", "d"]
    words = dict.fromkeys(COMMON.split())
    while len(words) < size:
        syllables = generator.choice((1, 2, 2, 3))
        words["".join(generator.choice(_ONSETS) + generator.choice(_VOWELS) + generator.choice(ends) for _ in range(syllables))] = None
    return np.array(list(words), dtype=object)


class Texts:
    """An endless supply of texts."""

    def __init__(self, seed: int) -> None:
        self.generator = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self._words = vocabulary(self.generator)
        weights = 1 / np.arange(1, len(self._words) + 1)
        self._cumulated = np.cumsum(weights / weights.sum())
        self._stock: list[str] = []
        self._lengths: list[int] = []
        self._next = 0

    def text(self, words: int) -> str:
        """A text of so many words, in sentences and paragraphs."""
        if len(self._stock) < self._next + words:
            self._stock, self._next = self._words[np.searchsorted(self._cumulated, self._numbers.random(200_000))].tolist(), 0
            for place in range(11, len(self._stock), 17):
                self._stock[place] += "." if place % 5 else ".\n\n"
        self._next += words
        return " ".join(self._stock[self._next - words : self._next]).replace("\n ", "\n")

    def length(self) -> int:
        """Words of a comment: lognormal, as real ones are; the median is 70."""
        if not self._lengths:
            self._lengths = np.minimum(3000, 5 + self._numbers.lognormal(4.2, 0.9, 10_000)).astype(int).tolist()
        return self._lengths.pop()


@dataclass(frozen=True)
class Debate:
    """What a debate's comments share."""

    id: str
    author: str
    subreddit: str
    slug: str
    time: int


def debates(seed: int, texts: Texts, subreddit: str = "changemyview") -> Iterator[tuple[str, list[str]]]:
    """Posts with their comments, each as a dump's line, without end."""
    generator, number, now = random.Random(seed), 0, 1_700_000_000
    while True:
        number += 1
        now += generator.randint(600, 9000)
        slug = "_".join(texts.text(9).replace("\n", "").replace(".", "").split())
        debate = Debate(f"{seed % 30 + 2:x}{number:06x}", f"author_{generator.randrange(40_000)}", subreddit, slug, now)
        comments: list[Made] = []
        for place in range(max(1, int(generator.expovariate(1 / _DEBATE)))):
            parent = generator.choice(comments) if comments and generator.random() > 0.25 else None
            if parent is not None and generator.random() < 0.02:
                comments += _award(debate, parent, f"{place:03x}", texts, generator)
                continue
            name = debate.author if parent is not None and generator.random() < 0.3 else f"user_{generator.randrange(300_000)}"
            comments.append(_comment(debate, f"{place:03x}", parent, name, texts.text(texts.length()), generator))
        yield _post(debate, texts), [comment.line for comment in comments]


def _award(debate: Debate, winner: Made, place: str, texts: Texts, generator: random.Random) -> list[Made]:
    giver = debate.author if generator.random() < 0.8 else f"user_{generator.randrange(300_000)}"
    award = _comment(debate, place, winner, giver, f"!delta {texts.text(30)}", generator)
    said = (
        f"Confirmed: 1 delta awarded to /u/{winner.author} ([{generator.randint(1, 30)}∆](/r/changemyview/wiki/user/{winner.author})).\n\n"
        "^[Delta System Explained](https://www.reddit.com/r/changemyview/wiki/deltasystem) ^| ^[Deltaboards]"
        "(https://www.reddit.com/r/changemyview/wiki/deltaboards)"
    )
    return [award, _comment(debate, f"{place}b", award, "DeltaBot", said, generator)]


# The fields of a comment in the dumps of 2023 on; what is drawn for each stands as %(name)s. Names in quotes are filled in as JSON strings.
_COMMENT = json.dumps({
    "_meta": {"retrieved_2nd_on": 1700003600}, "all_awardings": [], "approved_at_utc": None, "approved_by": None, "archived": False,
    "associated_award": None, "author": "%(author)s", "author_flair_background_color": "", "author_flair_css_class": "points",
    "author_flair_richtext": [], "author_flair_template_id": None, "author_flair_text": "%(flair)s", "author_flair_text_color": "dark",
    "author_flair_type": "text", "author_fullname": "t2_%(account)s", "author_is_blocked": False, "author_patreon_flair": False,
    "author_premium": False, "awarders": [], "banned_at_utc": None, "banned_by": None, "body": "@body", "can_gild": False,
    "can_mod_post": False, "collapsed": False, "collapsed_because_crowd_control": None, "collapsed_reason": None,
    "collapsed_reason_code": None, "comment_type": None, "controversiality": 0, "created": "@created", "created_utc": "@created",
    "distinguished": "@distinguished", "downs": 0, "edited": "@edited", "gilded": 0, "gildings": {}, "id": "%(id)s",
    "is_submitter": "@submitter", "likes": None, "link_id": "t3_%(debate)s", "locked": False, "mod_note": None, "mod_reason_by": None,
    "mod_reason_title": None, "mod_reports": [], "name": "t1_%(id)s", "no_follow": True, "num_reports": 0, "parent_id": "%(parent)s",
    "permalink": "/r/%(subreddit)s/comments/%(debate)s/cmv_%(slug)s/%(id)s/", "removal_reason": None, "replies": "",
    "report_reasons": [], "retrieved_on": "@created", "saved": False, "score": "@score", "score_hidden": False, "send_replies": True,
    "stickied": False, "subreddit": "%(subreddit)s", "subreddit_id": "t5_2w2s8", "subreddit_name_prefixed": "r/%(subreddit)s",
    "subreddit_type": "public", "top_awarded_type": None, "total_awards_received": 0, "treatment_tags": [], "unrepliable_reason": None,
    "ups": "@score", "updated_on": "@created", "user_reports": [],
}, separators=(",", ":"))  # fmt: skip
for _name in ("body", "created", "distinguished", "edited", "submitter", "score"):
    _COMMENT = _COMMENT.replace(f'"@{_name}"', f"%({_name})s")


@dataclass(frozen=True)
class Made:
    """A comment: its line, and what others need to answer it."""

    id: str
    author: str
    line: str


def _comment(debate: Debate, place: str, parent: Made | None, name: str, text: str, generator: random.Random) -> Made:
    draw = generator.random()
    body = text if draw > 0.04 else "[deleted]" if draw > 0.02 else "[removed]"
    if 0.04 < draw < 0.25:
        body = f"&gt; {body[:90]}\n\n{body[90:]}"
    if draw > 0.97:
        body += "\n\nEDIT: thanks for the delta &amp; the kind words!"
    comment_id, created = f"k{debate.id}{place}", debate.time + generator.randrange(200_000)
    author = "[deleted]" if draw < 0.03 else name
    line = _COMMENT % {
        "author": author,
        "flair": f"{generator.randrange(30)}∆",
        "account": f"{hash_of(author):x}",
        "body": json.dumps(body, ensure_ascii=False),
        "created": created,
        "distinguished": '"moderator"' if name == "DeltaBot" else "null",
        "edited": created + 500 if draw > 0.9 else "false",
        "id": comment_id,
        "submitter": "true" if name == debate.author else "false",
        "debate": debate.id,
        "parent": f"t1_{parent.id}" if parent else f"t3_{debate.id}",
        "subreddit": debate.subreddit,
        "slug": debate.slug,
        "score": generator.randrange(-9, 90),
    }
    return Made(comment_id, author, line)


def hash_of(name: str) -> int:
    """A number of a name that is the same in every process."""
    return zlib.crc32(name.encode())


def _post(debate: Debate, texts: Texts) -> str:
    return json.dumps({
        "all_awardings": [], "allow_live_comments": False, "archived": False, "author": debate.author, "author_flair_text": None,
        "author_fullname": f"t2_{hash_of(debate.author):x}", "can_mod_post": False, "contest_mode": False, "created_utc": debate.time,
        "domain": f"self.{debate.subreddit}", "edited": False, "gilded": 0, "hidden": False, "id": debate.id, "is_self": True,
        "link_flair_richtext": [], "locked": False, "media_only": False, "name": f"t3_{debate.id}", "no_follow": False,
        "num_comments": _DEBATE, "over_18": False, "permalink": f"/r/{debate.subreddit}/comments/{debate.id}/cmv_{debate.slug}/",
        "pinned": False, "retrieved_on": debate.time + 10**7, "score": 12, "selftext": texts.text(240), "spoiler": False, "stickied": False,
        "subreddit": debate.subreddit, "subreddit_id": "t5_2w2s8", "title": f"CMV: {texts.text(12)}", "total_awards_received": 0,
        "upvote_ratio": 0.8, "url": f"https://www.reddit.com/r/{debate.subreddit}/comments/{debate.id}/cmv_{debate.slug}/",
    }, separators=(",", ":"))  # fmt: skip


def write_dump(folder: Path, size: int, seed: int = 0, elsewhere: float = 0.0) -> tuple[Path, Path]:
    """Write ``…_submissions.zst`` and ``…_comments.zst`` of about ``size`` bytes of comments before compression; returns both paths.

    Args:
        folder: an existing folder.
        seed: same seed, same dump.
        elsewhere: the share of lines that are of other subreddits, as in a month of all of Reddit.
    """
    texts = Texts(seed)
    name = "all" if elsewhere else "changemyview"
    paths = (folder / f"{name}_submissions.zst", folder / f"{name}_comments.zst")
    sources = [debates(1, texts)] + [debates(number + 2, texts, f"subreddit_{number}") for number in range(40 if elsewhere else 0)]
    written = 0
    settings = zstandard.ZstdCompressionParameters.from_level(_LEVEL, window_log=_WINDOW, enable_ldm=True, threads=-1)
    with paths[0].open("wb") as first, paths[1].open("wb") as second:
        writers = [zstandard.ZstdCompressor(compression_params=settings).stream_writer(file) for file in (first, second)]
        while written < size:
            post, comments = next(texts.generator.choice(sources[1:]) if texts.generator.random() < elsewhere else sources[0])
            lines = "\n".join([*comments, ""]).encode()
            writers[0].write(f"{post}\n".encode())
            writers[1].write(lines)
            written += len(lines)
        for writer in writers:
            writer.close()
    return paths
