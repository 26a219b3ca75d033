# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_probe.py: inputs on which known kernels differ, and what a kernel's
# output on them shows.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mxprism import _mxprism
from mxprism._array import NUMBERS, Array, as_bytes, of_type, rows_and_columns
from mxprism._pack import Copies, array_of
from mxprism._tensor import expect_name
from mxprism._typing import AnyFormat
from mxprism._verify import sized

TYPES = dict(zip(NUMBERS, ("F32", "F16", "BF16")))


@dataclass(frozen=True)
class Property:
    """One property of a kernel.

    values  those that fit every byte           why  inputs that would distinguish each from the first
    known   "told", "equal" (no known input distinguishes the values), "several", "by preset" or
            "unknown"                           note  the nearest value, if none fits
    text    all of it, as str() has it
    """

    name: str
    known: str
    values: tuple[str, ...]
    why: tuple[str, ...]
    note: str
    text: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name:<28}{self.text}"


@dataclass(frozen=True)
class Card:
    """What a kernel's output on a probe shows; str() is the card.

    explained  a known recipe gives every byte     presets  those that do
    specials   blocks with NaN, Inf, ...: (what, scale, ((number, code), ...))
    nearest    if nothing explains: (recipe, blocks that it gives, blocks)
    changes    of the recipe `changed` that explain every byte where none does by itself: (dimension,
               expected, found); `part` names where they hold, if not everywhere
    without    number of blocks that the properties leave out, since they are unlike the others
    """

    format: str
    explained: bool
    presets: tuple[str, ...]
    properties: Mapping[str, Property] = field(hash=False)
    # Compared by the text: NaN differs from itself.
    specials: tuple[tuple[str, int, tuple[tuple[float, int], ...]], ...] = field(compare=False)
    nearest: tuple[tuple[str, int, int], ...]
    changes: tuple[tuple[str, str, str], ...]
    changed: str
    part: str
    without: int
    text: str = field(repr=False)

    def __str__(self) -> str:
        return f"{self.format}: {self.text}"


def _card(format: str, members: dict[str, Any]) -> Card:
    properties = {line["property"]: Property(
        line["property"], line["known"], tuple(word for word, _ in line["values"]),
        tuple(why for _, why in line["values"]), line["note"], line["text"])
        for line in members["lines"]}
    return Card(format, members["explained"], members["presets"], properties,
                tuple((what, scale, tuple(elements)) for what, scale, elements
                      in members["specials"]),
                tuple(members["nearest"]), tuple(members["changes"]), members["changed"],
                members["part"], members["without"], members["text"])


@dataclass(frozen=True, eq=False)
class Probe:
    """Inputs of a quantizer on which every two known kernels differ.

    tensors  by name: "x", and further ones for formats with a tensor scale; each look-up makes
             a copy, which a kernel may write to
    """

    format: AnyFormat
    tensors: Mapping[str, Array]
    _made: Any = field(repr=False)
    _asked: tuple[AnyFormat, str, tuple[int, int] | None] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what was asked for, from which the same is made."""
        return _probe_of, self._asked

    @property
    def x(self) -> Array:
        """The first tensor."""
        return next(iter(self.tensors.values()))

    def identify(self, kernel: Callable[[Array], Sequence[Any]]) -> Card:
        """Runs a quantizer on a copy of every tensor.

        kernel  a function of a tensor that returns codes and scales, or codes, scales and
                tensor_scale, as verify takes them
        """
        return self.read({name: kernel(x) for name, x in self.tensors.items()})

    def read(self, outputs: Mapping[str, Sequence[Any]]) -> Card:
        """The card of a kernel's outputs, by the name of the tensor: (codes, scales) or
        (codes, scales, tensor_scale)."""
        unknown = set(outputs) - set(self.tensors)
        if unknown or not outputs:
            raise ValueError(f"`outputs` has the keys {sorted(outputs)}; expected some of "
                             f"{list(self.tensors)}")
        made = [_output(name, arrays) for name, arrays in outputs.items()]
        members = self._made.card(made)
        if not members["has_known_sizes"]:
            raise ValueError(f"`outputs`: no known packing and layout of {self.format} has as many "
                             "codes and scales")
        return _card(self.format, members)


def _output(name: str, arrays: Sequence[Any]) -> Any:
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"`outputs`: {name!r} is a {type(arrays).__name__}; expected a tuple of "
                        "codes and scales, or of codes, scales and tensor_scale")
    if len(arrays) not in (2, 3):
        raise ValueError(f"`outputs`: {name!r} has {len(arrays)} arrays; expected codes and scales, "
                         "or codes, scales and tensor_scale")
    codes, scales = (as_bytes(sized(array, what))
                     for array, what in zip(arrays, ("codes", "scales")))
    above = arrays[2] if len(arrays) == 3 else None
    factors = np.empty(0, np.float32) if above is None else of_type(above, np.float32, "tensor_scale")
    return _mxprism.KernelOutput(name, codes, scales, as_bytes(factors))


def probe(format: AnyFormat = "mxfp4", *, dtype: str = "float32",
          shape: tuple[int, int] | None = None) -> Probe:
    """Makes the input of `mxprism probe`.

    format  without corrections
    dtype   "float32", "float16" or "bfloat16" (of ml_dtypes)
    shape   rows and columns of every tensor, for kernels that take multiples; None: the fewest
    """
    expect_name(format)
    if dtype not in TYPES:
        raise ValueError(f"`dtype` is {dtype!r}; expected one of {', '.join(TYPES)}")
    extents = None if shape is None else rows_and_columns(shape, "shape")
    return _probe_of("mxfp4" if format is None else format, dtype, extents)


def _probe_of(format: AnyFormat, dtype: str, shape: tuple[int, int] | None) -> Probe:
    rows, columns = shape or (0, 0)
    made = _mxprism.Probe(format, NUMBERS.index(dtype), rows, columns)
    tensors = {name: array_of(TYPES[dtype], extents, data)
               for name, extents, data in made.tensors()}
    return Probe(format, Copies(tensors), made, (format, dtype, shape))
