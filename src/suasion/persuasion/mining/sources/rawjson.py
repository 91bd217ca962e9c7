"""JSON in raw memory, for :mod:`scan`: each function takes an address, and gives the one after what it read.

It is as strict as msgspec, or stricter; 0 instead of an address says that something is not as usual. A newline stops everything wherever
it stands: JSON allows none inside of a string, and here there is none outside. So nothing reads further than 64 bytes past the line's end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from suasion.persuasion.mining.sources.rows import AT_ONCE, PERHAPS, TOKEN
from suasion.persuasion.mining.sources.simd import byte, copy, ends_of_string, ends_of_text, first, not_digits, put, word

TAB, NEWLINE, RETURN, SPACE, QUOTE, AND, BANG, COMMA, MINUS, DOT, ZERO, NINE = b'\t\n\r "&!,-.09'
COLON, BACKSLASH, LIST, OBJECT, END, D, E, N, T, F, U = b":\\[{}dentfu"
TWO, THREE, FOUR, SIX = 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFF  # masks for so many letters
_LIST_END = LIST + 2
_DELTA, _INCREMENT = 0x394, 0x2206


def spelled(text: str) -> int:
    """Up to eight letters as the number that they are when read at once."""
    return int.from_bytes(text.encode(), "little")  # "Δ" is two letters here, and "∆" three


_NULL, _TRUE, _ALSE, _GT, _LT, _AMP = map(spelled, ("null", "true", "alse", "gt;", "lt;", "amp;"))
_DELTA_SPELLED, _INCREMENT_SPELLED, _BANG_DELTA, _SMALL_LETTERS = map(spelled, ("Δ", "∆", "!delta", "\0     "))
_ESCAPED = np.zeros(256, dtype=np.int64)  # of a letter after a backslash: what is meant
_HEX = np.full(256, -1, dtype=np.int64)
for _place, _letter in enumerate(b'"\\/bfnrt'):
    _ESCAPED[_letter] = b'"\\/\b\f\n\r\t'[_place]
_MAY_FOLLOW = np.zeros(256, dtype=np.bool_)  # of the letter after an &: whether both may begin a token, or a longer one
_MAY_FOLLOW[list(b"#89dDa\\")] = True
for _letter in b"0123456789abcdefABCDEF":
    _HEX[_letter] = int(chr(_letter), 16)

compiled = njit(nogil=True, boundscheck=False)


@compiled
def blank(p: int) -> int:
    """The next address with something else than blanks."""
    while byte(p) == SPACE or byte(p) == TAB or byte(p) == RETURN:
        p += 1
    return p


@compiled
def _hex(p: int) -> int:
    """Four hexadecimal digits; negative if they are none."""
    code: int = _HEX[byte(p)] << 12 | _HEX[byte(p + 1)] << 8 | _HEX[byte(p + 2)] << 4 | _HEX[byte(p + 3)]
    return code


@compiled
def _escape(p: int, out: int) -> tuple[int, int, int]:
    """Undo the escape at ``p``; the addresses after it and after what was written, and the character."""
    letter = byte(p + 1)
    if letter != U:
        put(out, _ESCAPED[letter])
        return (p + 2 if _ESCAPED[letter] else 0), out + 1, _ESCAPED[letter]
    code = _hex(p + 2)
    p += 6
    if 0xD800 <= code < 0xDC00:  # half of a pair
        low = _hex(p + 2) if byte(p) == BACKSLASH and byte(p + 1) == U else 0
        if not 0xDC00 <= low < 0xE000:
            return 0, out, 0
        code = 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
        p += 6
    elif code < 0 or 0xDC00 <= code < 0xE000:
        return 0, out, 0
    if code < 0x80:
        put(out, code)
        return p, out + 1, code
    more = 1 if code < 0x800 else 2 if code < 0x10000 else 3
    put(out, (0xC0, 0xE0, 0xF0)[more - 1] | code >> 6 * more)
    for place in range(1, more + 1):
        put(out + place, 0x80 | code >> 6 * (more - place) & 0x3F)
    return p, out + 1 + more, code


@compiled
def _wide(p: int) -> int:
    """Bytes of the character beyond ASCII at ``p``; 0 where this is no UTF-8."""
    lead, second = byte(p), byte(p + 1)
    if lead < 0xC2 or lead > 0xF4 or second >> 6 != 2:
        return 0
    if lead < 0xE0:
        return 2
    if byte(p + 2) >> 6 != 2 or (lead == 0xE0 and second < 0xA0) or (lead == 0xED and second > 0x9F):
        return 0
    if lead < 0xF0:
        return 3
    return 0 if byte(p + 3) >> 6 != 2 or (lead == 0xF0 and second < 0x90) or (lead == 0xF4 and second > 0x8F) else 4


@compiled
def string(p: int, out: int, is_html: bool) -> tuple[int, int, int]:
    """Write the string that begins at ``p``, after its quote: the addresses after both, and whether it holds a delta token, as flags.

    In HTML three entities are undone; any other makes the line unusual.
    """
    token = 0
    while True:
        copy(out, p)  # 64 bytes, of which those before the next thing to stop at are of use
        stops = ends_of_text(p)
        if stops == 0:
            p += AT_ONCE
            out += AT_ONCE
            continue
        p += first(stops)
        out += first(stops)
        letter = byte(p)
        if letter == QUOTE:
            return p + 1, out, token
        if letter == BACKSLASH:
            p, out, code = _escape(p, out)
            token |= TOKEN * (code in (_DELTA, _INCREMENT))
            if p == 0 or code in (AND, BANG):  # an escaped & or ! would need what follows it
                return 0, out, token
        elif letter >= 0x80:
            size = _wide(p)
            token |= TOKEN * (word(p) & THREE == _INCREMENT_SPELLED or word(p) & TWO == _DELTA_SPELLED)
            copy(out, p)
            p += size
            out += size
            if size == 0:
                return 0, out, token
        elif letter == BANG:
            if (word(p) | _SMALL_LETTERS) & SIX == _BANG_DELTA:
                token |= TOKEN
            elif byte(p + 1) | 0x20 == D or byte(p + 1) == BACKSLASH:
                token |= PERHAPS
            p += 1
            out += 1
        elif letter == AND:
            p += 1
            if is_html:
                if word(p) & THREE == _GT:
                    put(out, 0x3E)
                    p += 3
                elif word(p) & THREE == _LT:
                    put(out, 0x3C)
                    p += 3
                elif word(p) & FOUR == _AMP:
                    p += 4
                    token |= PERHAPS * _MAY_FOLLOW[byte(p)]
                else:
                    return 0, out, token
            out += 1
        else:
            return 0, out, token


@compiled
def skip_string(p: int, out: int) -> int:
    """The address after the string that begins at ``p``, after its quote. Like msgspec, it does not look at its UTF-8."""
    while True:
        stops = ends_of_string(p)
        if stops == 0:
            p += AT_ONCE
            continue
        p += first(stops)
        if byte(p) == QUOTE:
            return p + 1
        if byte(p) != BACKSLASH:
            return 0
        p, _, _ = _escape(p, out)
        if p == 0:
            return 0


@compiled
def skip_number(p: int) -> tuple[int, bool, bool]:
    """The address after a number, whether it is whole, and whether it is zero (of whole and broken ones without exponent)."""
    p += byte(p) == MINUS
    start = p
    p += first(not_digits(p)) if not_digits(p) else 0
    if p == start or (byte(start) == ZERO and p > start + 1):
        return 0, True, True
    zero = byte(start) == ZERO
    whole = True
    if byte(p) == DOT:
        whole = False
        p += 1
        start = p
        while ZERO <= byte(p) <= NINE:
            zero &= byte(p) == ZERO
            p += 1
        if p == start:
            return 0, whole, zero
    return (0 if byte(p) | 0x20 == E else p), whole, zero


@compiled
def whole_number(p: int, end: int) -> int:
    """The whole number from ``p`` to ``end``, of at most 18 digits."""
    minus = byte(p) == MINUS
    value = 0
    for place in range(p + minus, end):
        value = 10 * value + byte(place) - ZERO
    return -value if minus else value


@compiled
def skip_plain(p: int, out: int) -> int:
    """The address after a value that is neither list nor object."""
    letter = byte(p)
    if letter == QUOTE:
        return skip_string(p + 1, out)
    if letter in (N, T):
        return p + 4 if word(p) & FOUR == (_NULL if letter == N else _TRUE) else 0
    if letter == F:
        return p + 5 if word(p + 1) & FOUR == _ALSE else 0
    return skip_number(p)[0]


@compiled
def colon(p: int) -> int:
    """The address of the value, from that after its key (or 0)."""
    p = blank(p) if p else p
    return blank(p + 1) if p and byte(p) == COLON else 0


@compiled
def skip_nested(p: int, out: int) -> int:
    """The address after the list or object at ``p``, which may be 60 deep."""
    depth, objects = 0, 0  # objects: a bit for each level
    while p:
        letter = byte(p)
        if letter in (OBJECT, LIST):
            depth += 1
            objects = objects << 1 | (letter == OBJECT)
            p = blank(p + 1)
            if byte(p) != letter + 2:  # the brackets that close stand two places after those that open
                if depth > 60:
                    return 0
                if letter == OBJECT:
                    p = colon(skip_string(p + 1, out)) if byte(p) == QUOTE else 0
                continue
        else:
            p = skip_plain(p, out)
            p = blank(p) if p else p
        while p:  # what ends here
            closing = END if objects & 1 else _LIST_END
            if byte(p) == closing:
                depth -= 1
                objects >>= 1
                if depth == 0:
                    return p + 1
                p = blank(p + 1)
            elif byte(p) == COMMA:
                p = blank(p + 1)
                if objects & 1:
                    p = colon(skip_string(p + 1, out)) if byte(p) == QUOTE else 0
                break
            else:
                return 0
    return 0
