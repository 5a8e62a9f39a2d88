"""Vectors of words, one word in each lane.

A kernel on lanes reads like one on words, `(lanes ^ other) & mask`; a plain word stands for the
same word in every lane. Comparisons give all ones for true and 0 for false, to be used as masks.
LLVM compiles them for the processor: two registers of AVX2, or four of NEON.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

from twofold.kernels._jit import has_feature, kernel
from twofold.kernels.intrinsics import I32_POINTER, I64_POINTER, U8_POINTER, U64_POINTER, intrinsic

WIDTH: Final = 8
"""Number of lanes: two registers of AVX2, whose instructions overlap."""

_WORDS: Final = ir.VectorType(ir.IntType(64), WIDTH)
_ROWS: Final = ir.VectorType(ir.IntType(16), 4 * WIDTH)
_BYTES: Final = ir.VectorType(ir.IntType(8), 8 * WIDTH)
_PLACE: Final = ir.IntType(32)


class _Lanes(types.Type):
    """Numba's type of a vector of WIDTH words."""

    def __init__(self) -> None:
        super().__init__("Lanes")


LANES: Final = _Lanes()
"""WIDTH words, in signatures of kernels."""


class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORDS)


register_model(_Lanes)(_Model)


def _repeat(builder: Any, value: Any, vector: Any) -> Any:
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, _PLACE(0))
    return builder.shuffle_vector(
        first, nothing, ir.VectorType(_PLACE, vector.count)([0] * vector.count)
    )


# Operators: & | ^ + - * << >>, with lanes or an integer on the right.


def _define(operation: Callable[..., Any], instruction: str) -> None:
    def typed(context: Any) -> Any:
        def result(left: Any, right: Any) -> Any:
            fits = left is LANES and (right is LANES or isinstance(right, types.Integer))
            return LANES if fits else None

        return result

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = args
        if signature.args[1] is not LANES:
            word = context.cast(builder, right, signature.args[1], types.uint64)
            right = _repeat(builder, word, _WORDS)
        return getattr(builder, instruction)(left, right)

    type_callable(operation)(typed)
    lower_builtin(operation, _Lanes, _Lanes)(emit)
    lower_builtin(operation, _Lanes, types.Integer)(emit)


for _operation, _instruction in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _define(_operation, _instruction)


# Conversion between words and lanes.


@intrinsic
def in_all(typingctx: Any, word: Any) -> Any:
    """The same word in every lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _repeat(builder, args[0], _WORDS)

    return LANES(types.uint64), codegen


@intrinsic
def lane_numbers(typingctx: Any) -> Any:
    """0, 1, 2, .. WIDTH - 1."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _WORDS(list(range(WIDTH)))

    return LANES(), codegen


@intrinsic
def word_of(typingctx: Any, lanes: Any, lane: Any) -> Any:
    """The word of one lane."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], args[1])

    return types.uint64(LANES, types.int64), codegen


def _loader(kind: Any, bits: int, doc: str) -> Any:
    @intrinsic
    def load(typingctx: Any, base: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.IntType(bits), WIDTH)
            place = builder.bitcast(builder.gep(args[0], [args[1]]), vector.as_pointer())
            return builder.zext(builder.load(place, align=bits // 8), _WORDS)

        return LANES(kind, types.int64), codegen

    load.__doc__ = doc
    return load


def _storer(kind: Any, bits: int, doc: str) -> Any:
    @intrinsic
    def store(typingctx: Any, base: Any, index: Any, lanes: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.IntType(bits), WIDTH)
            place = builder.bitcast(builder.gep(args[0], [args[1]]), vector.as_pointer())
            builder.store(builder.trunc(args[2], vector), place, align=bits // 8)
            return context.get_dummy_value()

        return types.void(kind, types.int64, LANES), codegen

    store.__doc__ = doc
    return store


load = _loader(U64_POINTER, 64, "The words from base[index] on.")
load_i32 = _loader(I32_POINTER, 32, "32-bit numbers from base[index] on, one in each lane.")
load_u8 = _loader(U8_POINTER, 8, "Bytes from base[index] on, one in each lane.")
store = _storer(U64_POINTER, 64, "Write the words from base[index] on.")
store_i64 = _storer(I64_POINTER, 64, "Write the words from base[index] on, as signed numbers.")
store_i32 = _storer(I32_POINTER, 32, "Write the low 32 bits of each word from base[index] on.")
store_u8 = _storer(U8_POINTER, 8, "Write the lowest byte of each word from base[index] on.")


@intrinsic
def store_cells(typingctx: Any, base: Any, index: Any, boards: Any) -> Any:
    """Write the exponents of 4x4 boards, 16 bytes each, from base[index] on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = builder.bitcast(args[2], _BYTES)  # two cells in each byte, the last cells first
        high = builder.lshr(pairs, _BYTES([4] * _BYTES.count))
        low = builder.and_(pairs, _BYTES([15] * _BYTES.count))
        picks = [
            8 * lane + 7 - cell // 2 + _BYTES.count * (cell % 2)
            for lane in range(WIDTH)
            for cell in range(16)
        ]
        cells = builder.shuffle_vector(high, low, ir.VectorType(_PLACE, len(picks))(picks))
        place = builder.bitcast(builder.gep(args[0], [args[1]]), cells.type.as_pointer())
        builder.store(cells, place, align=1)
        return context.get_dummy_value()

    return types.void(U8_POINTER, types.int64, LANES), codegen


# Comparisons.


def _comparison(sign: str, part: Any, doc: str) -> Any:
    @intrinsic
    def compare(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            left, right = (builder.bitcast(lanes, part) for lanes in args)
            answers = builder.sext(builder.icmp_signed(sign, left, right), part)
            return builder.bitcast(answers, _WORDS)

        return LANES(LANES, LANES), codegen

    compare.__doc__ = doc
    return compare


equal = _comparison("==", _WORDS, "A mask of the equal words.")
less = _comparison("<", _WORDS, "A mask of the smaller words, as signed numbers.")
rows_equal = _comparison("==", _ROWS, "A mask of the equal rows of 16 bits.")


@intrinsic
def any_bit(typingctx: Any, lanes: Any) -> Any:
    """Whether any bit of any lane is set."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = ir.IntType(64 * WIDTH)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], whole), whole(0))

    return types.boolean(LANES), codegen


@kernel(LANES(LANES, LANES, LANES))
def choose(question, yes, no):
    """The words of `yes` under the mask `question`, those of `no` elsewhere."""
    return no ^ ((no ^ yes) & question)


# Parts of words, and floats.


@intrinsic
def rows_left(typingctx: Any, lanes: Any, count: Any) -> Any:
    """Shift each row of 16 bits to the left; no bit passes to another row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        shift = _repeat(builder, builder.trunc(args[1], ir.IntType(16)), _ROWS)
        return builder.bitcast(builder.shl(builder.bitcast(args[0], _ROWS), shift), _WORDS)

    return LANES(LANES, types.int64), codegen


def _shifted_ones(builder: Any, exponents: Any) -> Any:
    return builder.shl(_ROWS([1] * _ROWS.count), exponents)


def _looked_up(builder: Any, exponents: Any) -> Any:
    """As `_shifted_ones`: one AVX2 instruction looks up both bytes of each power.

    The low byte is 1 << e in a table that holds 0 from 8 on; the high byte is 1 << (e - 8) in the
    same table at e ^ 8, which is e - 8 or past 8.
    """
    half, place = ir.VectorType(ir.IntType(8), 32), _ROWS.count // 2
    twice = builder.or_(exponents, builder.shl(exponents, _ROWS([8] * _ROWS.count)))
    index = builder.xor(twice, _ROWS([8 << 8] * _ROWS.count))
    table = half([1 << place if place < 8 else 0 for place in range(16)] * 2)
    look = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(half, [half, half]), "llvm.x86.avx2.pshuf.b"
    )
    halves = [
        builder.call(look, [table, builder.bitcast(_part(builder, index, first), half)])
        for first in (0, place)
    ]
    rows = [builder.bitcast(found, ir.VectorType(ir.IntType(16), 16)) for found in halves]
    picks = ir.VectorType(_PLACE, _ROWS.count)(list(range(_ROWS.count)))
    return builder.shuffle_vector(*rows, picks)


def _part(builder: Any, rows: Any, first: int) -> Any:
    picks = ir.VectorType(_PLACE, 16)(list(range(first, first + 16)))
    return builder.shuffle_vector(rows, ir.Constant(_ROWS, ir.Undefined), picks)


def _power(emit: Callable[[Any, Any], Any]) -> Any:
    @intrinsic
    def power(typingctx: Any, lanes: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(emit(builder, builder.bitcast(args[0], _ROWS)), _WORDS)

        return LANES(LANES), codegen

    power.__doc__ = "2 to the power of each row of 16 bits, which holds 0 to 15."
    return power


rows_power_plain = _power(_shifted_ones)
rows_power = _power(_looked_up) if has_feature("avx2") else rows_power_plain


@intrinsic
def bytes_max(typingctx: Any, left: Any, right: Any) -> Any:
    """The larger of each pair of bytes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = (builder.bitcast(lanes, _BYTES) for lanes in args)
        larger = builder.select(builder.icmp_unsigned(">", left, right), left, right)
        return builder.bitcast(larger, _WORDS)

    return LANES(LANES, LANES), codegen


@intrinsic
def as_floats(typingctx: Any, lanes: Any) -> Any:
    """The words, below 2^31, converted to float64; returns their bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        small = builder.trunc(args[0], ir.VectorType(ir.IntType(32), WIDTH))
        floats = builder.sitofp(small, ir.VectorType(ir.DoubleType(), WIDTH))
        return builder.bitcast(floats, _WORDS)

    return LANES(LANES), codegen


def on_lanes(word_kernel: Any, words: int = 0) -> Any:
    """The same kernel compiled for lanes; the last `words` arguments remain plain words.

    It must take and return words and use only the operators above.
    """
    count = word_kernel.py_func.__code__.co_argcount
    kinds = [LANES] * (count - words) + [types.uint64] * words
    return kernel(LANES(*kinds))(word_kernel.py_func)
