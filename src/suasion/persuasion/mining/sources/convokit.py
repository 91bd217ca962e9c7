"""ConvoKit's ``winning-args-corpus``: a folder of ``conversations.json`` (the posts) and ``utterances.jsonl``, read without the package.

Both spellings of every key are taken: ``root`` and ``conversation_id``, ``user`` and ``speaker``, ``reply-to`` and ``reply_to``, the
post's fields beside or inside ``meta``. Texts are escaped from HTML once, as in dumps.

``success`` is 1 on every utterance of a path that won a delta, the author's own replies included. The path was made of one challenger's
comments and the author's replies (Tan et al. 2016), so the award belongs to the challenger's last comment on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.mining.debates import DELETED, Comment, Label, Post
from suasion.persuasion.mining.sources.jsonrows import objects, peek
from suasion.persuasion.mining.sources.lines import Reading, author_name, bare_id, seconds, unescape_once, was_edited, whole_number
from suasion.persuasion.mining.sources.packed import Advance

CONVERSATIONS = "conversations.json"
UTTERANCES = ("utterances.jsonl", "utterances.json")

_MISSING = "[missing]"


@dataclass(frozen=True, slots=True)
class Step:
    """An utterance on a path that won: what is needed to find the award's winner."""

    id: str
    parent_id: str
    speaker: str
    time: int | None
    pair_ids: tuple[str, ...] = ()


def is_corpus(folder: Path) -> bool:
    """Whether a folder holds a ConvoKit corpus: by its two files and the keys of its first utterances."""
    utterances = _utterances(folder)
    if utterances is None or not (folder / CONVERSATIONS).is_file():
        return False
    return any("id" in row and "text" in row and _either(row, "root", "conversation_id") is not None for row in peek(utterances))


def read(folder: Path, reading: Reading, advance: Advance) -> Iterator[Post | Comment | Label]:
    """Every post and comment of a corpus in the order of its utterances, then a label for each path that won.

    Args:
        folder: with both files.
        reading: counts an utterance, and a post that has none, as one line; labels are not counted.
        advance: told of the bytes taken from both files.

    Only the posts and the utterances that won are held in memory.

    Raises:
        SuasionError: a file is absent or cannot be read.
    """
    utterances = _utterances(folder)
    if utterances is None:
        raise SuasionError(
            "This folder is no ConvoKit corpus.", where=folder, hint=f"It needs {' or '.join(UTTERANCES)} beside {CONVERSATIONS}."
        )
    posts = _conversations(folder / CONVERSATIONS, advance)
    steps: defaultdict[str, list[Step]] = defaultdict(list)
    authors: dict[str, str] = {}
    for row in objects(utterances, reading, advance):
        reading.lines["read"] += 1
        thing = _thing(row, posts)
        if isinstance(thing, str):
            reading.lines[thing] += 1
            continue
        yield thing
        if isinstance(thing, Post):
            posts.pop(thing.debate_id, None)
            authors[thing.debate_id] = thing.author
        elif _field(row, "success") == 1:
            ids = _field(row, "pair_ids")
            pair_ids = tuple(str(one) for one in ids) if isinstance(ids, list) else ()
            steps[thing.debate_id].append(Step(thing.comment_id, thing.parent_id, thing.author, thing.created_utc, pair_ids))
    for debate_id, about in posts.items():  # the corpus tells of the post, but its utterance is absent
        reading.lines["read"] += 1
        post = _post(debate_id, about, {})
        authors[debate_id] = post.author
        yield post
    for debate_id, path in steps.items():
        yield from winners(debate_id, authors.get(debate_id, DELETED), path)


def winners(debate_id: str, author: str, steps: Iterable[Step]) -> list[Label]:
    """A label for each winning path of one debate.

    Args:
        debate_id: the post's id.
        author: of the post; :data:`DELETED` where nobody knows.
        steps: the debate's utterances with ``success`` 1 but for the post, in any order.

    A path is what replies or pair ids tie together. Its challenger wrote the topmost comment that is not the author's. Deleted accounts
    look all alike: where both the author and the challenger are deleted, the topmost comment wins, for no other is surely the challenger's.
    """
    labels = []
    by_id = {step.id: step for step in steps}
    for path in _paths(by_id):
        path = _in_order(path)
        challenges = [step for step in path if author == DELETED or step.speaker.lower() != author.lower()]
        if not challenges:
            continue
        challenger = challenges[0].speaker
        unknown = challenger == DELETED == author
        last = challenges[0] if unknown else [step for step in challenges if step.speaker == challenger][-1]
        labels.append(Label(debate_id, last.id, _known(author), _known(challenger), True, "convokit"))
    return labels


def _paths(by_id: Mapping[str, Step]) -> list[list[Step]]:
    """The steps in groups: a step belongs with its parent and with whoever shares a pair id."""
    above: dict[str, str] = {}

    def top(key: str) -> str:
        while (parent := above.setdefault(key, key)) != key:
            above[key] = above[parent]
            key = parent
        return key

    for step in by_id.values():
        ties = [step.parent_id] if step.parent_id in by_id else []
        for tie in [*ties, *(f"pair {pair_id}" for pair_id in step.pair_ids)]:  # no comment's id holds a space
            above[top(step.id)] = top(tie)
    groups: defaultdict[str, list[Step]] = defaultdict(list)
    for step in by_id.values():
        groups[top(step.id)].append(step)
    return list(groups.values())


def _in_order(path: list[Step]) -> list[Step]:
    """The steps by time; by depth where a time is missing. A child is later than its parent, and time also orders a broken path."""
    below: defaultdict[str, list[Step]] = defaultdict(list)
    for step in path:
        below[step.parent_id].append(step)
    ids = {step.id for step in path}
    ranks: dict[str, int] = {}
    level = [step for step in path if step.parent_id not in ids]
    while level:
        ranks |= {step.id: len(ranks) for step in level}
        level = [child for step in level for child in below[step.id]]
    timed = all(step.time is not None for step in path)
    return sorted(path, key=lambda step: ((step.time or 0) if timed else 0, ranks.get(step.id, 0), len(step.id), step.id))


def _conversations(path: Path, advance: Advance) -> dict[str, dict[str, Any]]:
    """debate id -> what the corpus tells of the post, whether beside or inside ``meta``."""
    conversations = read_json(path)
    if not isinstance(conversations, dict):
        raise SuasionError("This is no table of conversations: it should be one JSON object.", where=path)
    advance(path.stat().st_size)
    return {bare_id(key) or key: _flat(value) for key, value in conversations.items()}


def _flat(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    meta = value.get("meta")
    return {**value, **meta} if isinstance(meta, dict) else value


def _thing(row: dict[str, Any], posts: Mapping[str, dict[str, Any]]) -> Post | Comment | str:
    utterance_id, debate_id = bare_id(row.get("id")), bare_id(_either(row, "root", "conversation_id"))
    if not utterance_id:
        return "no id"
    if not debate_id:
        return "no conversation"
    if utterance_id == debate_id:
        return _post(debate_id, posts.get(debate_id, {}), row)
    speaker, text = author_name(_speaker(row)), row.get("text")
    if text == _MISSING or (speaker == _MISSING and not text):
        return "a comment that the corpus misses"
    reply_to = _either(row, "reply-to", "reply_to")
    parent_id = bare_id(reply_to)
    if not parent_id:
        return "no link_id or parent_id"
    score = whole_number(_field(row, "score"))
    distinguished = _field(row, "distinguished")
    return Comment(
        utterance_id,
        debate_id,
        parent_id,
        parent_is_post=parent_id == debate_id or str(reply_to).startswith("t3_"),
        author=DELETED if speaker == _MISSING else speaker,
        text=unescape_once(text) if isinstance(text, str) else "",
        created_utc=seconds(row.get("timestamp")),
        score=whole_number(_field(row, "ups")) if score is None else score,
        edited=was_edited(_field(row, "edited")),
        distinguished=distinguished if isinstance(distinguished, str) and distinguished else None,
    )


def _post(debate_id: str, about: Mapping[str, Any], row: dict[str, Any]) -> Post:
    """The post from what the conversation tells, and from its utterance where that tells more."""
    author = next((one for one in (about.get("op-userID"), _speaker(row)) if isinstance(one, str) and one not in ("", _MISSING)), DELETED)
    title, text = about.get("op-title", about.get("title")), about.get("op-text-body")  # ConvoKit's subreddit corpora say "title"
    if not isinstance(text, str):
        text = row.get("text") if row.get("text") != _MISSING else ""
    score = whole_number(_field(row, "score"))
    return Post(
        debate_id,
        author,
        unescape_once(title) if isinstance(title, str) else "",
        unescape_once(text) if isinstance(text, str) else "",
        seconds(row.get("timestamp")),
        whole_number(_field(row, "ups")) if score is None else score,
    )


def _utterances(folder: Path) -> Path | None:
    return next((folder / name for name in UTTERANCES if (folder / name).is_file()), None)


def _speaker(row: dict[str, Any]) -> Any:
    speaker = _either(row, "user", "speaker")
    return speaker.get("id") if isinstance(speaker, dict) else speaker


def _field(row: dict[str, Any], name: str) -> Any:
    """A field of the utterance's ``meta``, or one that a copy of the corpus has lifted beside it."""
    meta = row.get("meta")
    return meta[name] if isinstance(meta, dict) and name in meta else row.get(name)


def _either(row: dict[str, Any], old: str, new: str) -> Any:
    return row[old] if row.get(old) is not None else row.get(new)


def _known(name: str) -> str | None:
    return None if name == DELETED else name
