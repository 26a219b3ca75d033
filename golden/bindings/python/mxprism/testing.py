# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/testing.py: assertions for the tests of kernels.
"""Assertions whose failure is the whole report of `mxprism verify`.

    from mxprism.testing import assert_bits_equal

    def test_quantizer():
        codes, scales = my_kernel(x)
        assert_bits_equal(codes, scales, x, format="mxfp4", scale_rule="rceil")

They work under pytest, unittest and without either; pytest shows the report whole, at the line of
the call. check_kernel runs a quantizer on inputs made for this, and returns a verdict. Fixtures with
inputs: mxprism.pytest_plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mxprism._array import Tensor
from mxprism._check import CheckedCase, KernelVerdict, check_kernel
from mxprism._names import ModelName, VariantName
from mxprism._tensor import Quantized
from mxprism._typing import AnyFormat, ProductOptions, VerifyOptions
from mxprism._verify import Verdict, verify
from mxprism._verify_product import ProductVerdict, verify_gemm

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CheckedCase", "KernelVerdict", "assert_bits_equal", "assert_product_bits_equal",
           "check_kernel"]


FEW = 4


def _shown(value: Any) -> str:
    """A name or a number; an array by its numbers if it has few, else by its shape."""
    shape = getattr(value, "shape", ())
    if isinstance(value, np.ndarray) and value.size <= FEW:
        return str(value.tolist())
    return f"an array of shape {tuple(shape)}" if shape else str(value)


def _declared(options: Mapping[str, object]) -> str:
    """Options as they were given: format=mxfp4, scale_rule=rceil."""
    shown = [f"{name}={_shown(value)}" for name, value in options.items() if value is not None]
    return ", ".join(shown) or "the defaults"


def assert_bits_equal(codes: Tensor, scales: Tensor, x: Tensor, *, format: AnyFormat | None = None,
                      variant: VariantName | None = None,
                      **options: Unpack[VerifyOptions]) -> Verdict:
    """Fails unless a kernel's codes and scales of `x` are, bit for bit, those of the declared rules.

    format, variant, options  as in mxprism.verify: scale_rule, rounding, layout, tensor_scale, ...
    returns  the verdict
    raises   AssertionError with the report; as verify does for arguments that it refuses
    """
    __tracebackhide__ = True
    declared = {"format": format, "variant": variant, **options}
    found = verify(x, codes, scales, format, variant=variant, **options)
    if found.verdict == "exact":
        return found
    raise AssertionError(f"codes and scales are not those of {_declared(declared)}\n{found}")


def assert_product_bits_equal(d: Tensor, a: Tensor | Quantized, b: Tensor | Quantized,
                              c: Tensor | None = None, *, model: ModelName | None = None,
                              **options: Unpack[ProductOptions]) -> ProductVerdict:
    """Fails unless a kernel's product is, bit for bit, that of the declared model; without a model,
    that of any tensor-core model which takes the operands.

    a, b, c, options  as in mxprism.verify_gemm: scale_a, scale_b, split_k, ...
    returns  the verdict
    raises   AssertionError with the report; as verify_gemm does for arguments that it refuses
    """
    __tracebackhide__ = True
    found = verify_gemm(a, b, d, c, model=model, **options)
    if found.verdict == "exact":
        return found
    declared = _declared({"model": model, **options})
    raise AssertionError(f"the product is not that of {declared}\n{found}")
