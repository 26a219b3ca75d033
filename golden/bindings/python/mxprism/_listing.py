# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_listing.py: the names that functions accept, with what they mean.

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mxprism import _mxprism
from mxprism._names import ModelName, VariantName


@dataclass(frozen=True)
class Named:
    """A name and its meaning; a layout also has the source that defines it."""

    name: str
    meaning: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.name:<20} {self.meaning}"


@dataclass(frozen=True)
class Variant:
    """A public kernel, to the bit.

    formats   that it makes              evidence  "run", "read" or "one source"
    doubts    what is open; may be empty
    """

    name: VariantName
    formats: tuple[str, ...]
    evidence: str
    source: str
    doubts: str

    def __str__(self) -> str:
        return f"{self.name:<33} {self.evidence:<11} {' '.join(self.formats)}"


@dataclass(frozen=True)
class Model:
    """A tensor core, as dot, gemm and verify_gemm model it.

    a, b, result  formats; "any" where the model takes all
    doubts        what is open; may be empty
    """

    name: ModelName
    a: str
    b: str
    result: str
    evidence: str
    source: str
    doubts: str

    def __str__(self) -> str:
        return f"{self.name:<33} {self.evidence:<14} {self.a} {self.b} -> {self.result}"


@dataclass(frozen=True)
class Names:
    """Every name, by the parameter that takes it; str() lists them."""

    formats: tuple[Named, ...]
    elements: tuple[Named, ...]
    scales: tuple[Named, ...]
    scale_rules: tuple[Named, ...]
    roundings: tuple[Named, ...]
    byte_maps: tuple[Named, ...]
    packings: tuple[Named, ...]
    layouts: tuple[Named, ...]
    variants: tuple[Variant, ...]

    def __str__(self) -> str:
        parts = []
        for field in fields(self):
            lines = [f"  {entry}" for entry in getattr(self, field.name)]
            parts.append("\n".join([field.name, *lines]))
        return "\n\n".join(parts) + "\n"


def formats() -> Names:
    """The names of formats, elements, scales, rules, roundings, packings, layouts and variants.

    Further formats are spelled out, as in "e2m1:e8m3:32" or "mxfp4+mbs=128,8".
    """
    tables = _mxprism.names()
    kinds: dict[str, Any] = {"variants": Variant}
    return Names(**{field.name: tuple(kinds.get(field.name, Named)(**entry)
                                      for entry in tables[field.name])
                    for field in fields(Names)})


def models() -> tuple[Model, ...]:
    """The models of tensor cores, with the evidence for each."""
    return tuple(Model(**entry) for entry in _mxprism.names()["models"])
