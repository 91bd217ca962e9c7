"""Strict YAML: unknown keys are errors that name the nearest known one, and all errors are told at once.

YAML is read by the rules of version 1.2: only ``true`` and ``false`` are booleans; ``no``, ``off`` and ``yes`` stay the words they are
(``eval_strategy: no`` must not become ``False``), ``1:30`` is not a number and dates stay text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from suasion.errors import SuasionError


class Config(BaseModel):
    """Base of every configuration section: frozen, and closed to keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ConfigT = TypeVar("ConfigT", bound=Config)


_TAG = "tag:yaml.org,2002:"
_OLD = {_TAG + kind for kind in ("bool", "int", "float", "timestamp", "value")}
_WORDS = {  # tag: (pattern, characters it may begin with), after YAML 1.2's core schema
    "bool": (r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    "int": (r"^(?:[-+]?(?:0|[1-9][0-9_]*)|0x[0-9a-fA-F]+|0o[0-7]+)$", "-+0123456789"),
    "float": (
        r"^(?:[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9][0-9_]*(?=[eE]))(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        "-+.0123456789",
    ),
}


class _Loader(yaml.SafeLoader):
    """Safe loader without YAML 1.1's surprises (``no`` is false, ``1:30`` is 90, ``010`` is 8) and without duplicate keys."""


class _Dumper(yaml.SafeDumper):
    """Quotes every word that this loader *or* a YAML 1.1 loader would take for something else."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _OLD]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _kind, (_pattern, _first) in _WORDS.items():
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(_pattern), list(_first))
    _Dumper.add_implicit_resolver(_TAG + _kind, re.compile(_pattern), list(_first))


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    # Unescaped, these are line breaks to a reader of YAML, and come back as spaces.
    style = '"' if any(sign in value for sign in "\x85\u2028\u2029") else None
    return dumper.represent_scalar(_TAG + "str", value, style=style)


_Dumper.add_representer(str, _text)


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node).replace("_", ""), 0)


def _mapping_without_duplicates(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    # Only keys written here count as duplicates: one that overrides a merged one (<<) is what merging is for.
    seen: set[Any] = set()
    for key_node, _ in node.value:
        if key_node.tag == _TAG + "merge":
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str | int | float | bool):
            raise yaml.constructor.ConstructorError(None, None, "a key must be a plain word", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"the key '{key}' stands twice", key_node.start_mark)
        seen.add(key)
    return dict(loader.construct_mapping(node, deep=True))


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping_without_duplicates)


def parse_yaml(text: str, where: object = None) -> Any:
    """Read YAML text safely.

    Raises:
        SuasionError: not YAML, a key that stands twice, nesting too deep; with line and column.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SuasionError(f"This is not valid YAML: {error}", where=where) from error


def load_config(path: Path, model: type[ConfigT], overrides: Sequence[str] = ()) -> ConfigT:
    """Read a YAML file, apply dotted overrides (``practice.num_generations=8``) and validate it whole.

    Raises:
        SuasionError: absent, not YAML, or any key or value is wrong; all wrong ones are listed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the recipe: {error}", where=path) from error
    return validate(parse_yaml(text, path), model, overrides, where=path)


def validate(data: Any, model: type[ConfigT], overrides: Sequence[str] = (), where: object = None) -> ConfigT:
    """Validate a mapping (``None`` is an empty one) with overrides laid over it. Raises as :func:`load_config`."""
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise SuasionError("A recipe is a mapping of keys to values.", where=where)
    for override in overrides:
        data = _override(data, override)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = explained(error, model)
        count = "1 error" if len(lines) == 1 else f"{len(lines)} errors"
        raise SuasionError(f"The configuration has {count}:\n" + "\n".join(f"  - {line}" for line in lines), where=where) from error


def explained(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """One line an error, each with its dotted key. An error of type ``told`` has told it all in lines of its own."""
    return [line for item in error.errors() for line in (item["msg"].splitlines() if item["type"] == "told" else [_explain(item, model)])]


def to_yaml(config: Config | Mapping[str, Any]) -> str:
    """The resolved configuration as YAML that :func:`load_config` reads back to an equal one."""
    data = config.model_dump(mode="json") if isinstance(config, Config) else dict(config)
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


def changed_arguments(config: Config) -> dict[str, Any]:
    """The values that were passed (not defaulted), by dotted key."""
    return flatten(config.model_dump(mode="json", exclude_unset=True))


def all_arguments(config: Config) -> dict[str, Any]:
    """Every value, passed or defaulted, by dotted key."""
    return flatten(config.model_dump(mode="json"))


def flatten(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, by dotted key; an empty mapping stays a value."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            flat |= flatten(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`flatten` had before it: dotted keys as mappings in mappings."""
    data: dict[str, Any] = {}
    for key, value in flat.items():
        data = laid_over(data, key.split("."), value)
    return data


def _override(data: dict[str, Any], override: str) -> dict[str, Any]:
    """``data`` with one ``a.b=value`` laid over it; the value is read as YAML."""
    dotted, equals, text = override.partition("=")
    keys = dotted.strip().split(".")
    if not equals or not all(keys):
        raise SuasionError(f"'{override}' is not an override.", hint="Write it as section.key=value, as in practice.num_generations=8.")
    value = parse_yaml(text, where=override)
    return laid_over(data, keys, value)


def laid_over(data: dict[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    """``data`` with the value at the end of the keys replaced; what is on the way and no mapping gives way to one."""
    head, *rest = keys
    if not rest:
        return data | {head: value}
    inner = data.get(head)
    return data | {head: laid_over(inner if isinstance(inner, dict) else {}, rest, value)}


def _explain(item: Any, model: type[BaseModel]) -> str:
    location = [str(part) for part in item["loc"]]
    dotted = ".".join(location) or "(the whole)"
    if item["type"] == "extra_forbidden":
        known = _known_keys(model, location[:-1])
        near = _deeper(model, location) or difflib.get_close_matches(location[-1], known, n=1, cutoff=0.5)
        help_text = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known here: {', '.join(known) or 'none'}"
        return f"{dotted}: unknown key; {help_text}"
    shown = "" if item["type"] == "missing" else f" (got {item['input']!r:.80})"
    return f"{dotted}: {item['msg']}{shown}"


def _known_keys(model: type[BaseModel], path: list[str]) -> list[str]:
    """The field names of the section that ``path`` leads to."""
    section = model
    for key in path:
        field = section.model_fields.get(key)
        if field is None:
            continue  # the index of a list, or the key of a table of sections
        inner = _section_in(field.annotation)
        if inner is None:
            return []
        section = inner
    return list(section.model_fields)


def _deeper(model: type[BaseModel], location: Sequence[str]) -> list[str]:
    """The same key in the sections of the section that ``location`` is in: ``practice.clip`` stands in ``practice.ppo``."""
    *path, key = location
    sections = {name: _known_keys(model, [*path, name]) for name in _known_keys(model, path)}
    return [f"{name}.{key}" for name, keys in sections.items() if key in keys]


def _section_in(annotation: Any) -> type[BaseModel] | None:
    """The model inside ``Section | None``, ``list[Section]``, ``dict[str, Section]`` and the like."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for one in getattr(annotation, "__args__", ()) if (inner := _section_in(one)) is not None), None)
