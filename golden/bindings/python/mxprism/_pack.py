# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_pack.py: adversarial inputs with the bits that they must give.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from mxprism import _mxprism
from mxprism._array import Array
from mxprism._mxprism import Format
from mxprism._names import ScaleRule
from mxprism._tensor import expect_name
from mxprism._typing import AnyFormat

WORDS = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "F32": np.float32, "F16": np.float16}


def brain_float() -> np.dtype[Any]:
    """ml_dtypes' bfloat16; most calls do without that package."""
    from ml_dtypes import bfloat16
    made: np.dtype[Any] = np.dtype(bfloat16)
    return made


def array_of(type_name: str, shape: list[int], data: bytes) -> Array:
    kind = brain_float() if type_name == "BF16" else np.dtype(WORDS[type_name])
    return np.frombuffer(bytearray(data), kind).reshape(shape)


class Copies(Mapping[str, Array]):
    """Arrays by name; each look-up makes a copy, so that whoever writes to one changes no other."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = dict(arrays)

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name].copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"Copies({self._arrays!r})"


@dataclass(frozen=True, eq=False)
class PackFile:
    """NAME.safetensors of the pack: arrays by name, copied at each look-up, and the purpose of each
    index of axis 0."""

    name: str
    arrays: Mapping[str, Array] = field(repr=False)
    rows: tuple[str, ...] = field(repr=False)
    notes: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, eq=False)
class QuantizerCase:
    """An input of a quantizer and its output under a rule.

    name    "mxfp4.f32.floor", for the ids of parametrized tests
    x       one block a row                  codes, scales, tensor_scale  as quantize makes them
    rows    the purpose of each row
    """

    name: str
    format: AnyFormat
    scale_rule: ScaleRule
    x: Array = field(repr=False)
    codes: Array = field(repr=False)
    scales: Array = field(repr=False)
    tensor_scale: Array | None = field(repr=False)
    rows: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Pack:
    """A pack of `mxprism vectors`: files by name. BF16 arrays are of ml_dtypes' bfloat16."""

    name: str
    version: int
    sentence: str
    files: Mapping[str, PackFile] = field(repr=False)

    def cases(self, format: AnyFormat | None = None) -> list[QuantizerCase]:
        """The cases of quantizers, of all formats or one; none in packs of other operations.

        raises  ValueError for a format of which the pack has none
        """
        made = [self._case(name) for name in self.files if name.endswith(".expected")]
        if format is None:
            return made
        found = [case for case in made if case.format == _shortest(format)]
        if not found:
            held = ", ".join(dict.fromkeys(case.format for case in made))
            raise ValueError(f"`format` is {format!r}, and the pack {self.name!r} has no case of "
                             f"it; expected {held or 'None, since it has no cases of quantizers'}")
        return found

    def _case(self, name: str) -> QuantizerCase:
        made = self.files[name]
        case = name.removesuffix(".expected")
        given = self.files[f"{case.rsplit('.', 1)[0]}.input"]
        return QuantizerCase(case, cast(AnyFormat, made.notes["format"]),
                             cast(ScaleRule, made.notes["scale_rule"]), given.arrays["x"], made.arrays["codes"],
                             made.arrays["scales"], made.arrays.get("tensor_scale"), given.rows)


def _shortest(format: AnyFormat) -> str:
    """The name of a format as cases have it; of an unknown one itself."""
    expect_name(format)
    try:
        return Format(format, "").spelling
    except ValueError:
        return format


def packs() -> dict[str, str]:
    """The names of all packs, with a sentence on each."""
    return {name: sentence for name, _, sentence in _mxprism.packs()}


def pack(name: str) -> Pack:
    """A pack of inputs that expose subtle errors, with the bits that they must give.

    name  "ties", "nvfp4-ties", "scales", "specials", "decode", "layouts", "accumulators"
    """
    known = {entry[0]: entry for entry in _mxprism.packs()}
    if name not in known:
        raise ValueError(f"`name` is {name!r}; expected one of {', '.join(known)}")
    contents = _mxprism.pack(name)
    files = {}
    for members in contents["files"]:
        arrays = {key: array_of(kind, shape, data)
                  for key, kind, shape, data in members["arrays"]}
        files[members["name"]] = PackFile(members["name"], Copies(arrays),
                                          tuple(contents["rows"].get(members["rows"], ())),
                                          members["notes"])
    return Pack(name, known[name][1], known[name][2], files)
