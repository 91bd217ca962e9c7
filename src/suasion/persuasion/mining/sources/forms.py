"""Which form a source has, told by its content: the one place that knows all forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from suasion.errors import SuasionError
from suasion.persuasion.mining.debates import Comment, Label, Post
from suasion.persuasion.mining.sources import convokit, ready, tan
from suasion.persuasion.mining.sources.dumps import is_zstd
from suasion.persuasion.mining.sources.lines import Reading

Form = Literal["dump", "convokit", "tan"]
FORMS: dict[str, str] = {
    "dump": "Reddit dumps: NDJSON with one submission or comment a line, plain or zstd-compressed",
    "convokit": "the folder of ConvoKit's winning-args-corpus (utterances.jsonl, conversations.json)",
    "tan": "the discussions of Tan et al. 2016 (all/*.jsonlist.bz2)",
}
KNOWN = "; ".join(FORMS.values())

_SUFFIXES = (".ndjson", ".jsonl", ".json", ".zst")
_NAMES = re.compile(r"submission|comment|posts|^R[SC]_", re.IGNORECASE)
_FOREIGN = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip"}
_GROWTH = 8  # a dump's text is about so many times its compressed size


@dataclass(frozen=True)
class Source:
    """One file (or a corpus' folder) and its form. Sizes are in bytes: on disk, and about as many when decompressed."""

    path: Path
    form: Form
    size: int
    plain_size: int


def sample_folder() -> Path:
    """The folder of the debates that ship with the package, in the form of a Reddit dump."""
    return Path(str(resources.files("suasion") / "samples"))


def find_sources(paths: Sequence[Path], form: str | None = None) -> list[Source]:
    """What ``paths`` (files and folders) stand for, each once.

    Args:
        form: one of :data:`FORMS`, where the content leaves it open.

    Raises:
        SuasionError: a source is absent or may not be read, or is of no known form.
    """
    if not paths:
        raise SuasionError("There is no source to mine.", hint=f"Name files or folders, or the word 'sample'. Known are {KNOWN}.")
    if form is not None and form not in FORMS:
        raise SuasionError(f"There is no form {form!r}.", hint=f"Known are {', '.join(FORMS)}.")
    found: dict[Path, Source] = {}
    for path in paths:
        try:
            for source in _sources_of(path, form):
                found.setdefault(source.path.resolve(), source)
        except OSError as error:
            raise SuasionError(f"Cannot be read: {error.strerror or error}", where=path) from error
    return list(found.values())


def files_of(source: Source) -> list[Path]:
    """The files that a source consists of."""
    return [source.path] if source.path.is_file() else sorted(path for path in source.path.iterdir() if path.is_file())


def things_of(source: Source, reading: Reading, advance: Callable[[int], None]) -> Iterator[Post | Comment | Label]:
    """The posts, comments and labels of a source that is no dump, in order."""
    return (convokit.read if source.form == "convokit" else tan.read)(source.path, reading, advance)


def _sources_of(path: Path, form: str | None) -> list[Source]:
    if path.is_file():
        return [_source(path, _form_of(path, form))]
    if not path.is_dir():
        raise SuasionError(
            "There is no such file or folder.", where=path, hint="Check the path; the word 'sample' means the shipped debates."
        )
    if (form is None and convokit.is_corpus(path)) or (form == "convokit" and _may_be_corpus(path)):
        return [_source(path, "convokit")]
    files = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    dumps = [one for one in files if one.suffix.lower() in _SUFFIXES and _NAMES.search(one.name)]
    if dumps and form != "tan":
        return [_source(one, _form_of(one, form)) for one in dumps]
    if (path / "all").is_dir():  # Tan et al.'s data as it is unpacked: of its three folders, one holds debates
        files = sorted(one for one in (path / "all").iterdir() if one.is_file())
    if form != "dump" and (discussions := [one for one in files if tan.kind_of(one) == "all"]):
        return [_source(one, "tan") for one in discussions]
    raise _unknown_folder(path, files)


def _may_be_corpus(folder: Path) -> bool:
    return (folder / convokit.CONVERSATIONS).is_file() and any((folder / name).is_file() for name in convokit.UTTERANCES)


def _form_of(path: Path, form: str | None) -> Form:
    with path.open("rb") as file:
        start = file.read(8)
    if form == "convokit":
        raise SuasionError("This is a file; ConvoKit's corpus is a folder.", where=path, hint=f"Name {FORMS['convokit']}.")
    if form == "dump" or is_zstd(start):
        return "dump"
    kind = tan.kind_of(path)
    if kind == "op_task":
        raise _without_replies(path)
    if kind == "pair_task" or (form is None and ready.is_table(path)):
        raise SuasionError("This is a table of pairs and holds no debates.", where=path, hint=f"Use it as it is: suasion pairs {path}")
    if kind == "all":
        return "tan"
    if form == "tan":
        raise SuasionError("This file holds no discussions of Tan et al. 2016.", where=path, hint=f"Known are {KNOWN}.")
    foreign = next((name for magic, name in _FOREIGN.items() if start.startswith(magic)), None)
    if foreign:
        raise SuasionError(f"This is a {foreign} file, which is not read here.", where=path, hint=f"Known are {KNOWN}.")
    return "dump"


def _source(path: Path, form: Form) -> Source:
    if path.is_dir():
        size = sum(one.stat().st_size for one in path.iterdir() if one.is_file())
        return Source(path, form, size, size)
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = form == "tan" or is_zstd(file.read(4))
    return Source(path, form, size, size * _GROWTH if packed else size)


def _without_replies(path: Path) -> SuasionError:
    return SuasionError(
        "This is the op_task of Tan et al. 2016: posts, and whether their authors awarded anybody. It holds no replies, so no debates.",
        where=path,
        hint="Give the files of `all` to `suasion mine`, or those of `pair_task` to `suasion pairs`.",
    )


def _unknown_folder(path: Path, files: Sequence[Path]) -> SuasionError:
    packed = [
        one for name in ("pair_task", "op_task") if (path / name).is_dir() for one in sorted((path / name).iterdir()) if one.is_file()
    ]
    kinds = {tan.kind_of(one) for one in (*files, *packed)}
    if "pair_task" in kinds or ready.is_table(path):
        return SuasionError("This folder holds pairs and no debates.", where=path, hint=f"Use them as they are: suasion pairs {path}")
    if "op_task" in kinds:
        return _without_replies(path)
    inside = ", ".join(one.name for one in files[:5]) or "no files"
    return SuasionError(
        f"This folder holds nothing that is known here ({inside}).",
        where=path,
        hint=f"Known are {KNOWN}. Dumps are looked for in files named *submissions* and *comments* ({', '.join(_SUFFIXES)}); name others"
        " file by file.",
    )
