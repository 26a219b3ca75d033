# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_check.py: a quantizer run on adversarial inputs, and compared.

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mxprism._array import Array, on_cpu, option_words, resolved, rows_and_columns
from mxprism._mxprism import Format
from mxprism._names import FormatName, VariantName
from mxprism._pack import brain_float, pack
from mxprism._probe import TYPES, probe
from mxprism._tensor import ARRAYS, format_of, quantize
from mxprism._typing import AnyFormat, RuleOptions, VerifyOptions
from mxprism._verify import Verdict, verify

if TYPE_CHECKING:
    from typing_extensions import Unpack

PACKS = ("ties", "nvfp4-ties", "scales", "specials")
# Those whose inputs other formats take too.
LENT = ("ties", "nvfp4-ties", "specials")
LENDERS: tuple[FormatName, ...] = ("mxfp4", "nvfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8-e4m3",
                                   "mxfp8-e5m2", "mxint8")


@dataclass(frozen=True, eq=False)
class CheckedCase:
    """An input of the table, and the verdict on the kernel's output."""

    name: str
    x: Array = field(repr=False)
    verdict: Verdict


@dataclass(frozen=True)
class KernelVerdict:
    """How a kernel did on the adversarial table; str() is the report.

    verdict  "exact": every byte of every case. "nan": nothing but NaN differs, in the codes of
             blocks with a NaN. Else that of the first other case: "explained" or "unexplained"
    first    the first case with this verdict, whose first differing index is
             first.verdict.first.index; None if exact
    cases    all, in the order in which they ran
    """

    verdict: Literal["exact", "nan", "explained", "unexplained"]
    first: CheckedCase | None
    cases: tuple[CheckedCase, ...] = field(repr=False)

    def __str__(self) -> str:
        if self.first is None:
            return f"{len(self.cases)} cases, all exact\n"
        different = [case for case in self.cases if case.verdict.verdict != "exact"]
        return (f"{len(self.cases)} cases, {len(different)} differ; "
                f"{self.first.name}:\n{self.first.verdict}")


def _packed(name: str, form: AnyFormat, dtype: str) -> Iterator[tuple[str, Array]]:
    """The inputs of a pack for a format and a type, each once. FP16 has none: those of FP32, rounded."""
    seen = set()
    kind = brain_float() if dtype == "bfloat16" else np.dtype(np.float32)
    for case in pack(name).cases():
        given = case.name.rpartition(".")[0]
        if case.format == form and case.x.dtype == kind and given not in seen:
            seen.add(given)
            yield f"{name}.{given}", _of_dtype(case.x, dtype)


def _of_dtype(x: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        return x.astype(np.float16) if dtype == "float16" else x


def _lent(form: AnyFormat, dtype: str) -> Iterator[tuple[str, Array]]:
    """For a format without inputs in the packs: those of one with the same elements, and with the
    same scales if there is one. Each of their blocks is repeated until it fills blocks of this
    format, so that ties stay ties."""
    f = format_of(form, None, "")
    lenders = [(lender, format_of(lender, None, "")) for lender in LENDERS]
    alike = [(g.scale == f.scale, lender) for lender, g in lenders if g.element == f.element]
    if not alike:
        return
    _, lender = max(alike, key=lambda entry: entry[0])
    for name in LENT:
        for case, x in _packed(name, lender, dtype):
            times = lcm(x.shape[1], f.block_columns) // x.shape[1]
            yield case, np.repeat(np.tile(x, (1, times)), f.block_rows, axis=0)


def _probed(form: AnyFormat, dtype: str) -> Iterator[tuple[str, Array]]:
    """The tensors of the probe; none for formats that have no probe, and for tiles, whose probes
    take minutes."""
    if format_of(form, None, "").block_rows > 1:
        return
    try:
        made = probe(form, dtype=dtype)
    except ValueError:
        return
    for name, x in made.tensors.items():
        yield f"probe.{name}", x


def _drawn(dtype: str) -> Iterator[tuple[str, Array]]:
    """Matrices of ordinary numbers, and of numbers of many binades, zeros among them."""
    source = np.random.default_rng(1)
    normal = source.standard_normal((256, 256)).astype(np.float32)
    spread = np.ldexp(normal, source.integers(-12, 12, normal.shape)).astype(np.float32)
    spread[source.random(normal.shape) < 0.1] = 0
    for name, x in (("normal", normal), ("binades", spread)):
        if dtype != "bfloat16":
            yield f"drawn.{name}", x.astype(dtype)
            continue
        high = (x.view(np.uint32) >> 16).astype(np.uint16)
        yield f"drawn.{name}", high.view(brain_float())


@cache
def _table(form: Any, dtype: str) -> tuple[tuple[str, Array], ...]:
    """All inputs of a format and a type."""
    packed = [case for name in PACKS for case in _packed(name, form, dtype)]
    return (*(packed or _lent(form, dtype)), *_probed(form, dtype), *_drawn(dtype))


def _shaped(x: Array, multiple: tuple[int, int], block_rows: int) -> Array:
    """The blocks of a matrix in rows and columns that are multiples, repeated to fill them."""
    rows, columns = x.shape
    if rows % multiple[0] == 0 and columns % multiple[1] == 0:
        return x
    together = block_rows if rows % block_rows == 0 else 1
    wide, step = lcm(columns, multiple[1]), lcm(together, multiple[0])
    tall = max(-(-x.size // wide // step), 1) * step
    # Column by column within the rows of a block, so that none is torn.
    bands = x.reshape(-1, together, columns).swapaxes(1, 2)
    made = np.resize(bands, (tall // together, wide, together))
    return np.ascontiguousarray(made.swapaxes(1, 2).reshape(tall, wide))


def _given_to(x: Array, device: str | None) -> Any:
    """A copy of the input as the kernel takes it. torch has no NumPy type for bfloat16."""
    x = x.copy()
    if device is None:
        return x
    torch = importlib.import_module("torch")
    if x.dtype.name == "bfloat16":
        return torch.from_numpy(x.view(np.uint16)).view(torch.bfloat16).to(device)
    return torch.from_numpy(x).to(device)


def _output(kernel: Callable[[Any], Sequence[Any]], name: str, x: Any) -> list[Any]:
    """Codes, scales and perhaps a tensor scale, where the kernel made them."""
    try:
        made = kernel(x)
    except Exception as error:
        raise RuntimeError(f"the kernel failed on {name}, {tuple(x.shape)}: {error}") from error
    if not isinstance(made, (tuple, list)) or len(made) not in (2, 3):
        raise TypeError(f"the kernel returned a {type(made).__name__} for {name}; expected codes "
                        "and scales, or codes, scales and tensor_scale")
    return list(made)


def _are_torch(arrays: Sequence[Any]) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and all(type(array) is torch.Tensor for array in arrays
                                     if array is not None)


def _has_bytes(found: Any, expected: Array | None) -> bool:
    """Whether a torch tensor has the bytes of an array, compared on the tensor's device."""
    if found is None or expected is None:
        return found is None and expected is None
    torch = importlib.import_module("torch")
    right = torch.from_numpy(expected.reshape(-1).view(np.uint8))
    return bool(torch.equal(resolved(found).reshape(-1).view(torch.uint8),
                            right.to(found.device)))


def _expected(x: Array, format: AnyFormat | None, variant: VariantName | None,
              options: VerifyOptions) -> list[Array | None]:
    """What the declared rules make: codes, scales and tensor scale."""
    rules = {name: value for name, value in options.items() if name in RuleOptions.__annotations__}
    q = quantize(x, format, variant=variant, **rules)  # type: ignore[arg-type]
    return [q.codes, q.scales, q.tensor_scale]


def _verdict(x: Array, found: list[Any], format: AnyFormat | None, variant: VariantName | None,
             options: VerifyOptions) -> Verdict:
    """Tensors of torch stay on their device unless they differ: then the CPU explains them."""
    if _are_torch(found):
        expected = _expected(x, format, variant, options)
        if all(map(_has_bytes, found, expected)):
            found = expected[:len(found)]
    here: list[Any] = [None if array is None else on_cpu(array) for array in found]
    codes, scales, *above = here
    declared = options if not above else {**options, "tensor_scale": above[0]}
    return verify(x, codes, scales, format, variant=variant, **declared)


def _summary(cases: tuple[CheckedCase, ...]) -> KernelVerdict:
    different = [case for case in cases if case.verdict.verdict != "exact"]
    graver = [case for case in different if case.verdict.differs_alone is None]
    if graver:
        found = graver[0].verdict.verdict
        return KernelVerdict("explained" if found == "explained" else "unexplained", graver[0],
                             cases)
    return KernelVerdict("nan" if different else "exact", different[0] if different else None,
                         cases)


def _expect_taken(f: Format) -> None:
    """Refuses formats whose kernels return more than codes, scales and a tensor scale."""
    sizes = dict(zip(ARRAYS, f.sizes([f.block_rows, f.block_columns], -1)))
    more = [name for name, size in sizes.items()
            if size > 0 and name.startswith(("macro_", "residual_"))]
    if more:
        raise ValueError(f"`format`: check_kernel takes kernels that return codes and scales, and "
                         f"{f.spelling} has {', '.join(more)} too; compare by verify")


def check_kernel(kernel: Callable[[Any], Sequence[Any]], format: AnyFormat | None = None, *,
                 variant: VariantName | None = None, dtype: str = "float32",
                 multiple: tuple[int, int] = (1, 1), device: str | None = None,
                 **options: Unpack[VerifyOptions]) -> KernelVerdict:
    """Runs a quantizer on adversarial inputs, and compares every byte with the declared rules: the
    packs' ties, scales and special values, the probe, and matrices of ordinary numbers. Formats
    without inputs in the packs get ties and special values of one with the same elements.

        found = check_kernel(my_kernel, format="mxfp4", scale_rule="rceil", device="cuda")
        assert found.verdict == "exact", str(found)

    kernel    a function of a matrix that returns codes and scales, or codes, scales and
              tensor_scale, as verify takes them. Tensors of torch are compared on their device,
              and copied to the CPU only if they differ; those of other packages are copied
    format, variant, options  as in verify: the declared rules, of formats that are codes, scales
              and at most a tensor scale. axis=0: the matrix is given transposed, with its blocks
              along axis 0
    dtype     of the inputs: "float32", "float16" or "bfloat16"
    multiple  what rows and columns of the inputs are multiples of, as the kernel gets them
    device    torch's name of a device: the inputs are torch tensors there. None: NumPy arrays
    raises    RuntimeError with the case's name for an exception of the kernel; as verify does
    """
    if dtype not in TYPES:
        raise ValueError(f"`dtype` is {dtype!r}; expected one of {', '.join(TYPES)}")
    rows, columns = rows_and_columns(multiple, "multiple")
    declared = format_of(format, variant, option_words(variant=variant))
    _expect_taken(declared)
    is_transposed = options.get("axis", -1) in (0, -2)
    form: Any = declared.spelling
    cases = []
    for name, blocks in _table(form, dtype):
        x = _shaped(blocks, (columns, rows) if is_transposed else (rows, columns),
                    declared.block_rows)
        if is_transposed:
            x = np.ascontiguousarray(x.T)
        found = _output(kernel, name, _given_to(x, device))
        cases.append(CheckedCase(name, x.copy(), _verdict(x, found, format, variant, options)))
    return _summary(tuple(cases))
