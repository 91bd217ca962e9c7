"""The worst that an answer can hold: each a task's name, a source, and an answer."""

from __future__ import annotations

import re
from typing import NamedTuple


class Worst(NamedTuple):
    """One of them, with a name."""

    name: str
    task: str
    source: str
    answer: str


ENDLESS = ["all x.exists y.R(x, y)", "all x.-R(x, x)", "all x y z.(R(x, y) & R(y, z) -> R(x, z))"]
_BOMB = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))])
_LAUGHS = "\n".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


def worst() -> list[Worst]:
    """All of them."""
    found = [
        ("a megabyte of one line", "argmap", "x" * 1_000_000),
        ("a megabyte of words", "argmap", "word " * 200_000),
        ("two megabytes of map", "argmap", "\n".join(f"[C{n}]: Text.\n    + <A{n}>: Reason." for n in range(45_000))),
        ("one claim, 20,000 reasons", "argmap", "[C]: c\n" + "\n".join(f"    + <A{n}>: r" for n in range(20_000))),
        ("all contradict all", "argmap", "\n\n".join(f"[C{n}]: c\n" + "".join(f"    >< [C{m}]\n" for m in range(60)) for n in range(60))),
        ("deep nesting", "argmap", "\n".join(" " * n + f"+ [C{n}]" for n in range(1000))),
        ("deep brackets", "argmap", "[A]: x {" + "[" * 100_000),
        ("an alias bomb", "argmap", f"[A]: x {{{_BOMB}}}\n    + <B>: y\n\n===\n{_BOMB}\n==="),
        ("NUL and controls", "argmap", "[A\0]: \x1b[2J\u202e\0\0" * 20_000),
        ("stars and underscores", "argmap", "[A]: " + "*_**__" * 50_000),
        ("open fences", "argmap", "```argdown\n~~~~xml\n" * 50_000),
        ("odd fences", "argmap", "\n".join(f"{'`' * n}argdown {{filename=}}" for n in range(3, 1000))),
        ("quotes without end", "infreco", "<A>: g\n\n(1) p {from: '" + "'" * 100_000),
        ("5,000 lines", "infreco", _lines(4_999, "")),
        ("199 lines, formal", "logreco", _lines(199, "all x.(F{n}(x) -> F{m}(x))")),
        ("5,000 lines, formal", "logreco", _lines(4_999, "p{n} -> p{m}")),
        ("no finite world", "logreco", _argument(ENDLESS, "exists x.P(x)")),
        ("hard for z3", "logreco", _argument([*ENDLESS, "all x.exists y.(R(y, x) & all z.(R(z, y) -> S(z, x, y)))"], "all x.S(x, x, x)")),
        ("pigeons", "logreco", _pigeons(9)),
        ("a long formula", "logreco", _argument([" & ".join(f"p{n}" for n in range(20_000))], "q")),
        ("deep negation", "logreco", _argument(["-" * 100_000 + "p"], "p")),
        ("deep quantifiers", "logreco", _argument([" ".join(f"all x{n}." for n in range(3_000)) + "F(x0)"], "F(a)")),
    ]
    made = [Worst(name, task, "A text.", f"```argdown\n{text}\n```") for name, task, text in found]
    marked = "".join(f'<proposition id="{n}" supports="{n + 1}">word {n}</proposition> ' for n in range(5_000))
    many = " ".join(f"word {n}" for n in range(5_000))
    xml = [
        ("a billion laughs", many, f"<!DOCTYPE a [<!ENTITY l0 'ha'>{_LAUGHS}]>&l11;"),
        ("a file of this machine", many, '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]>&e;'),
        ("5,000 propositions", many, marked),
        ("all support all", many, marked.replace('supports="', 'supports="' + " ".join(map(str, range(50))) + " ")),
        ("propositions in propositions", many, "<proposition id='1'>" * 20_000),
        ("open tags", many, "<" * 300_000),
        ("entities", many, "&amp;" * 150_000),
        ("another text", "a" * 400_000, "b" * 400_000),
        ("words out of order", many, " ".join(f"<proposition id='{n}'>word {4_999 - n}</proposition>" for n in range(5_000))),
    ]
    made += [Worst(name, "arganno", source, f"```xml\n{text}\n```") for name, source, text in xml]
    both = "argmap_plus_arganno_plus_logreco"
    files = (
        ("xml", "annotation.txt", marked),
        ("argdown", "map.ad", found[2][2][:200_000]),
        ("argdown", "reconstructions.ad", found[14][2]),
    )
    blocks = "\n\n".join(f'```{kind} {{filename="{name}"}}\n{text}\n```' for kind, name, text in files)
    return [
        *made,
        Worst("all three at once", both, many, blocks),
        Worst("nothing", both, "", ""),
        Worst("blanks", both, "", " \n" * 100_000),
    ]


def _argument(premises: list[str], conclusion: str) -> str:
    """An argument with these formulas; each symbol is declared where it is used first."""
    declared: set[str] = set()
    lines = []
    for number, formula in enumerate([*premises, conclusion], start=1):
        new = sorted(set(re.findall(r"\b(?!all|exists)[A-Zp-q]\w*", formula)) - declared) if len(formula) < 2_000 else []
        declared.update(new)
        declarations = ", declarations: {" + ", ".join(f"{one}: 'meaning of {one}'" for one in new) + "}" if new else ""
        lines.append(f"({number}) Line {number}. {{formalization: '{formula}'{declarations}}}")
    names = ", ".join(f"'{n}'" for n in range(1, len(premises) + 1))
    return "\n".join(["<A>: Gist.", "", *lines[:-1], f"-- {{from: [{names}]}} --", lines[-1]])


def _lines(count: int, formula: str) -> str:
    """A chain: each conclusion from the one above and a premise."""
    lines = ["<A>: Gist.", ""]
    for n in range(1, count + 1):
        data = f" {{formalization: '{formula.format(n=n, m=n + 1)}'}}" if formula else ""
        if n > 1 and n % 2:
            lines.append(f"-- {{from: ['{n - 2}', '{n - 1}']}} --")
        lines.append(f"({n}) Line {n}.{data}")
    return "\n".join(lines)


def _pigeons(holes: int) -> str:
    """That one more pigeon than holes does not fit: short to say, long to prove."""
    pigeons = range(holes + 1)
    premises = [" | ".join(f"p{pigeon}_{hole}" for hole in range(holes)) for pigeon in pigeons]
    premises += [f"-(p{one}_{hole} & p{other}_{hole})" for hole in range(holes) for one in pigeons for other in pigeons if one < other]
    return _argument(premises, "q & -q")
