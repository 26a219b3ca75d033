# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/__init__.py: public names of `import mxprism`.
"""Microscaling (MX) arithmetic to the last bit.

    q = mxprism.quantize(x, "mxfp4")              # codes and scales
    y = q.dequantize()                            # FP32
    e = mxprism.decompose(x, "mxfp4")             # the exact parts of the error
    d = mxprism.gemm(q, w, model="blackwell.mxf4")
    print(mxprism.verify(x, codes, scales, "mxfp4"))      # a kernel's output, bit by bit

Tensors are NumPy arrays of float32, float16 or bfloat16 (of ml_dtypes), or any CPU tensor that
exports DLPack. C-contiguous ones are read in place, others from a copy. Results are
NumPy arrays. Names of formats, rules, layouts and models are those of the command `mxprism`.

Errors: ValueError with the library's message for invalid or unknown values, TypeError for
arrays of other types, MemoryError, and RuntimeError for a bug of ours.
Calls that process tensors release the GIL.
"""

from mxprism._energy import Energy, decompose
from mxprism._mxprism import version as _version
from mxprism._places import AxisPlaces, Places
from mxprism._product import dot, gemm
from mxprism._tensor import Quantized, dequantize, fake_quantize, quantize
from mxprism._verify import Change, Difference, Rival, Verdict, verify
from mxprism._verify_product import Bound, Breach, Distinction, Excluded, ProductVerdict, verify_gemm

__version__: str = _version()
__all__ = ["AxisPlaces", "Bound", "Breach", "Change", "Difference", "Distinction", "Energy", "Excluded",
           "Places", "ProductVerdict", "Quantized", "Rival", "Verdict", "decompose", "dequantize", "dot",
           "fake_quantize", "gemm", "quantize", "verify", "verify_gemm"]
