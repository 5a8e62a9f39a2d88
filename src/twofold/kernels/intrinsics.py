"""Machine instructions and raw pointers for kernels.

An array argument is seven words with reference counting; recursive kernels take raw pointers
instead. Whoever makes a pointer keeps its array alive. `load` and `store` do not check bounds.

Each instruction has a plain path for processors without it, chosen when compiling;
`TWOFOLD_PLAIN=1` forces the plain paths, and the tests compare both.
"""

from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from twofold.kernels._jit import has_feature, kernel

F32_POINTER: Final = types.CPointer(types.float32)
F64_POINTER: Final = types.CPointer(types.float64)
U64_POINTER: Final = types.CPointer(types.uint64)
U8_POINTER: Final = types.CPointer(types.uint8)

EVALUATOR: Final = types.float64(types.uint64, types.int64, F32_POINTER)
"""An evaluator: (bits, score, params) -> value."""

POLICY: Final = types.int64(types.uint64, types.int64, types.int64, types.uint64, U64_POINTER)
"""A player on bits: (bits, legal moves as 4 bits, score, draw, context) -> move."""

CELLS_POLICY: Final = types.int64(
    U8_POINTER, types.int64, types.int64, types.int64, types.int64, types.uint64
)
"""A player on cells: (cells, rows, cols, legal moves as 4 bits, score, draw) -> move."""

_PDEP: Final = has_feature("bmi2") and llvm.get_host_cpu_name() not in ("znver1", "znver2")


def _intrinsic(function: Any) -> Any:
    """Numba's decorator, without its types: what it makes is called with machine values."""
    return intrinsic(function)


@_intrinsic
def pointer(typingctx: Any, array: Any) -> Any:
    """Pointer to the first element of a contiguous array."""
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return signature, codegen


def _pointer_cast(target: Any) -> Any:
    @_intrinsic
    def cast(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return target(types.uint64), codegen

    return cast


f32_at = _pointer_cast(F32_POINTER)
f64_at = _pointer_cast(F64_POINTER)
u64_at = _pointer_cast(U64_POINTER)
u8_at = _pointer_cast(U8_POINTER)


@_intrinsic
def as_f64(typingctx: Any, word: Any) -> Any:
    """The float64 whose bits are these 64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), codegen


@_intrinsic
def as_u64(typingctx: Any, value: Any) -> Any:
    """The 64 bits of a float64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), codegen


@_intrinsic
def f64_pointer(typingctx: Any, params: Any) -> Any:
    """Read parameters declared as float32 as the float64 that they hold."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(signature.return_type))

    return F64_POINTER(F32_POINTER), codegen


@_intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """Number of set bits, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@_intrinsic
def trailing_zeros(typingctx: Any, word: Any) -> Any:
    """Number of zero bits below the lowest set bit, as int64; 64 for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), codegen


@_intrinsic
def _pdep(typingctx: Any, source: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64"
        )
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


if _PDEP:

    @kernel("uint64(uint64, int64)")
    def nth_set_bit(mask, n):
        """The n-th lowest set bit of a mask, alone in its word; n counts from 0."""
        return _pdep(np.uint64(1) << np.uint64(n), mask)

else:

    @kernel("uint64(uint64, int64)")
    def nth_set_bit(mask, n):
        """The n-th lowest set bit of a mask, alone in its word; n counts from 0."""
        for _ in range(n):
            mask &= mask - np.uint64(1)
        return mask & (~mask + np.uint64(1))


def _caller(target: Any, doc: str) -> Any:
    """An intrinsic that calls a kernel by its address."""

    @_intrinsic
    def call(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            function_type = ir.FunctionType(
                context.get_value_type(target.return_type),
                [context.get_value_type(kind) for kind in target.args],
            )
            function = builder.inttoptr(args[0], function_type.as_pointer())
            values = cgutils.unpack_tuple(builder, args[1])
            return builder.call(function, values)

        return target.return_type(types.uint64, types.BaseTuple.from_types(target.args)), codegen

    call.__doc__ = doc
    return call


call_evaluator = _caller(
    EVALUATOR, "Call an evaluator by its address: (address, (bits, score, params))."
)
call_policy = _caller(POLICY, "Call a policy on bits by its address: (address, arguments).")
call_cells_policy = _caller(
    CELLS_POLICY, "Call a policy on cells by its address: (address, arguments)."
)
