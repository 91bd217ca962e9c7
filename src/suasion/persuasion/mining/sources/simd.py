"""Sixty-four bytes at a time: what Numba lacks for reading raw memory, as one instruction or two each.

Addresses are plain integers. Nothing is checked here: who calls must know that the 64 bytes from an address on can be read or written.
Processors without vectors of 64 bytes take two or four steps for one; the results are the same (on little-endian ones, as all of today's).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from suasion.persuasion.mining.sources.rows import AT_ONCE

_BIT, _BYTE, _WORD, _BYTES = ir.IntType(1), ir.IntType(8), ir.IntType(64), ir.VectorType(ir.IntType(8), AT_ONCE)


def _load(builder: Any, address: Any, kind: Any) -> Any:
    value = builder.load(builder.inttoptr(address, kind.as_pointer()), typ=kind)
    value.align = 1
    return value


def _finder(*tests: tuple[str, str, int]) -> Any:
    """An intrinsic that takes an address and gives 64 bits: which of the 64 bytes there pass one of the tests."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there, found = _load(builder, arguments[0], _BYTES), None
        for sign, test, byte in tests:
            compare = builder.icmp_signed if sign == "signed" else builder.icmp_unsigned
            hits = compare(test, there, ir.Constant(_BYTES, [byte] * AT_ONCE))
            found = hits if found is None else builder.or_(found, hits)
        return builder.bitcast(found, _WORD)

    @intrinsic
    def find(typing: Any, address: Any) -> Any:
        return types.int64(types.int64), code

    return find


def _equal(letters: str) -> list[tuple[str, str, int]]:
    return [("unsigned", "==", ord(letter)) for letter in letters]


newlines = _finder(*_equal("\n"))
ends_of_string = _finder(("unsigned", "<", 0x20), *_equal('"\\'))
ends_of_text = _finder(("signed", "<", 0x20), *_equal('"\\&!'))  # signed, the bytes beyond ASCII are below zero
not_digits = _finder(("unsigned", "<", ord("0")), ("unsigned", ">", ord("9")))


def _two(code: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic from two numbers to a number."""

    @intrinsic
    def compute(typing: Any, one: Any, other: Any) -> Any:
        return types.int64(types.int64, types.int64), lambda context, builder, signature, arguments: code(builder, *arguments)

    return compute


def _differ(builder: Any, one: Any, other: Any) -> Any:
    return builder.bitcast(builder.icmp_unsigned("!=", _load(builder, one, _BYTES), _load(builder, other, _BYTES)), _WORD)


differences = _two(_differ)  # 64 bits: which of the 64 bytes at one address are others than at another


def _alike(builder: Any, address: Any, letter: Any) -> Any:
    small = ir.Constant(_BYTES, [0x20] * AT_ONCE)
    one = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), builder.trunc(letter, _BYTE), ir.Constant(ir.IntType(32), 0))
    all_the_same = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), AT_ONCE), [0] * AT_ONCE))
    there = builder.or_(_load(builder, address, _BYTES), small)
    return builder.bitcast(builder.icmp_unsigned("==", there, builder.or_(all_the_same, small)), _WORD)


alike = _two(_alike)  # 64 bits: which of the 64 bytes at an address are a letter, large or small (and a few others are taken for it)


def _one(code: Callable[[Any, Any], Any]) -> Any:
    """An intrinsic from a number to a number."""

    @intrinsic
    def compute(typing: Any, number: Any) -> Any:
        return types.int64(types.int64), lambda context, builder, signature, arguments: code(builder, arguments[0])

    return compute


first = _one(lambda builder, bits: builder.cttz(bits, _BIT(1)))  # the place of the lowest bit set; there must be one
word = _one(lambda builder, address: _load(builder, address, _WORD))  # the eight bytes at an address
byte = _one(lambda builder, address: builder.zext(_load(builder, address, _BYTE), _WORD))  # the one byte there, from 0 on


def _store(kind: Any, code: Callable[[Any, Any], Any]) -> Any:
    """An intrinsic that writes at the address which is its first argument."""

    @intrinsic
    def write(typing: Any, to: Any, what: Any) -> Any:
        def store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(code(builder, arguments[1]), builder.inttoptr(arguments[0], kind.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), store

    return write


put = _store(_BYTE, lambda builder, number: builder.trunc(number, _BYTE))  # one byte
copy = _store(_BYTES, lambda builder, address: _load(builder, address, _BYTES))  # the 64 bytes at another address
