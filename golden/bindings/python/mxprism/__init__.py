# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/__init__.py: public names of `import mxprism`.
"""Microscaling (MX) arithmetic to the last bit.

    q = mxprism.quantize(x, "mxfp4")              # codes and scales
    y = q.dequantize()                            # FP32
    e = mxprism.decompose(x, "mxfp4")             # the exact parts of the error
    d = mxprism.gemm(q, w, model="blackwell.mxf4")
    print(mxprism.verify(x, codes, scales, "mxfp4"))      # a kernel's output, bit by bit

    print(mxprism.explain([0.3, -1.2, 4.7], "mxfp4"))     # one block, step by step
    print(mxprism.probe("mxfp4").identify(kernel))        # which known kernel is it?

formats() and models() list the names; they are Literal types, so that mypy refuses a misspelt
one. A format that is spelled out is a CustomFormat("e2m1:e8m3:32") for mypy. pack() has inputs with
the bits that they must give. Assertions for tests of kernels are in mxprism.testing, fixtures in
mxprism.pytest_plugin.

Tensors are NumPy arrays of float32, float16 or bfloat16 (of ml_dtypes), or any CPU tensor that
exports DLPack. Aligned C-contiguous ones are read in place, others from a copy. quantize, dequantize,
fake_quantize, decompose, gemm and gemm_grouped also take CUDA tensors, by libmxprism_cuda on torch's current
stream; cuda_missing_part() names what they lack here. Results are torch tensors
for torch tensors, else NumPy arrays; `out` takes either. Names of formats, rules, layouts and models
are those of the command `mxprism`.

Errors: ValueError with the library's message for invalid or unknown values, TypeError for
arrays of other types, MemoryError, and RuntimeError for a bug of ours.
Calls that process tensors release the GIL; Ctrl-C is seen only when a call returns.
"""

from mxprism._device import cuda_missing_part
from mxprism._energy import Energy, decompose
from mxprism._explain import ExplainedBlock, ExplainedElement, explain
from mxprism._listing import Model, Named, Names, Variant, formats, models
from mxprism._mxprism import version as _version
from mxprism._names import (ByteMap, FormatName, Layout, ModelName, Packing, Rounding, ScaleRule,
                            VariantName)
from mxprism._pack import Pack, PackFile, QuantizerCase, pack, packs
from mxprism._probe import Card, Probe, Property, probe
from mxprism._places import AxisPlaces, Places
from mxprism._product import dot, gemm, gemm_grouped
from mxprism._tensor import Quantized, dequantize, fake_quantize, quantize
from mxprism._typing import CustomFormat
from mxprism._verify import Change, Difference, Rival, Verdict, verify
from mxprism._verify_product import Bound, Breach, Distinction, Excluded, ProductVerdict, verify_gemm

__version__: str = _version()
__all__ = ["AxisPlaces", "Bound", "Breach", "ByteMap", "Card", "Change", "CustomFormat",
           "Difference", "Distinction", "Energy", "Excluded", "ExplainedBlock", "ExplainedElement",
           "FormatName", "Layout", "Model", "ModelName", "Named", "Names", "Pack", "PackFile",
           "Packing", "Places", "Probe", "ProductVerdict", "Property", "Quantized", "QuantizerCase",
           "Rival", "Rounding", "ScaleRule", "Variant", "VariantName", "Verdict", "cuda_missing_part",
           "decompose", "dequantize", "dot", "explain", "fake_quantize", "formats", "gemm",
           "gemm_grouped", "models", "pack", "packs", "probe", "quantize", "verify", "verify_gemm"]
