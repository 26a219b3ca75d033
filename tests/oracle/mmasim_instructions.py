# SPDX-License-Identifier: Apache-2.0
# tests/oracle/mmasim_instructions.py: every instruction that MMA-Sim models, the core's name of its
# model, and its results. Shapes that differ in M and N alone are one instruction.

import re

import numpy as np
import torch
from mmasim import amd, nv_ptx
from mmasim.amd import isa_mfma
from mmasim.nv_ptx import isa_mma, isa_tcgen05mma, isa_wgmma

AMD_NAMES = {"fp8": "e4m3fnuz", "bf8": "e5m2fnuz"}
STORED = {16: (np.int16, torch.float16), 32: (np.int32, torch.float32),
          64: (np.int64, torch.float64)}
BYTES = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "ue4m3": torch.float8_e4m3fn,
         "ue8m0": torch.float8_e8m0fnu, "e4m3fnuz": torch.float8_e4m3fnuz,
         "e5m2fnuz": torch.float8_e5m2fnuz}


def tensor_of(codes, name, packed=False):
    """Codes as MMA-Sim takes them: FP4 alone in bits 5:2 of a byte, or packed in pairs."""
    if packed:
        pairs = codes.astype(np.uint8).reshape(len(codes), -1, 2)
        return torch.from_numpy(pairs[..., 0] << 4 | pairs[..., 1])
    if name in BYTES:
        return torch.from_numpy(codes.astype(np.uint8)).view(BYTES[name])
    if name in ("e2m1", "e2m3", "e3m2"):
        return torch.from_numpy((codes << np.uint64(2 * (name == "e2m1"))).astype(np.uint8))
    width = {"f16": 16, "bf16": 16, "f64": 64}.get(name, 32)
    bits, kind = STORED[width]
    signed = torch.from_numpy(codes.astype(np.dtype(bits).str.replace("i", "u")).view(bits))
    return signed.view(torch.bfloat16 if name == "bf16" else kind)


def codes_of(result):
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[result.dtype.itemsize]
    codes = result.contiguous().view(bits).numpy()
    return codes.view(f"u{result.dtype.itemsize}").astype(np.uint64)


class instruction:
    """`model`: the core's name; `k`: elements of a word; `scale`, `blocks`: of a word's scales."""

    def __init__(self, name, model, made, types):
        self.name, self.model, self.made, self.k = name, model, made, made.k
        self.a, self.b, self.c, self.d = types
        self.block = getattr(made, "block_size", 0)
        self.scale = name.rsplit(".", 1)[1] if self.block else None
        self.blocks = self.k // self.block if self.block else 0

    def results(self, words):
        packed = getattr(self.made, "packing", 1) == 2
        operands = [tensor_of(words.a, self.a, packed), tensor_of(words.b, self.b, packed),
                    tensor_of(words.c, self.c)]
        if self.block:
            operands += [tensor_of(words.scale_a, self.scale), tensor_of(words.scale_b, self.scale)]
        return codes_of(self.made.dpa(*operands))


def names_of(family, a, b, d):
    return ".".join([family, a] + ([b] if b != a else []) + [d])


def unscaled(family, arch, made, shape):
    """`shape`: SHAPE[.kind].D.A.B[.C]"""
    types = [word for word in shape.split(".")[1:] if not word.startswith("kind")]
    d, a, b, c = types if len(types) == 4 else types + types[:1]
    return instruction(f"{arch} {family} {shape}",
                       names_of(family, a, b, d) + ("" if c == d else "_c16"), made, (a, b, c, d))


def scaled(arch, made, shape):
    """`shape`: SHAPE.kind.block.D.A.B[.C].SCALE"""
    _, kind, block, d, a, b, *_, scale = shape.split(".")
    model = {"kind::mxf8f6f4": f"mxf8f6f4.{a}.{b}", "kind::mxf4": "mxf4"}.get(kind)
    if model is None:
        model = ("mxf4" if block == "block32" else
                 "mxf4nvf4" if scale == "ue4m3" else "mxf4nvf4.ue8m0")
    return instruction(f"{arch} {shape}", "blackwell." + model, made, (a, b, d, d))


def nvidia():
    for arch, shapes in isa_mma.mma_shape_and_type.items():
        for shape in shapes:
            family = {"RTX Blackwell": "rtxblackwell", "Ada Lovelace": "ada"}.get(arch, arch.lower())
            if arch == "Turing" and shape in isa_mma.volta_mma_shape_and_type:
                family = "volta"
            yield unscaled(family + ".mma", arch, nv_ptx.MMA(arch, shape), shape)
    for shape in isa_wgmma.hopper_wgmma_shape_and_type:
        if "n8k" in shape:
            yield unscaled("hopper.wgmma", "Hopper", nv_ptx.WGMMA("Hopper", shape), shape)
    for shape in isa_tcgen05mma.blackwell_tcgen05mma_shape_and_type:
        if "m64n8k" in shape:
            made = nv_ptx.TCGen05MMA("Blackwell", shape)
            yield unscaled("blackwell.tcgen05", "Blackwell", made, shape)
    for arch, shapes in isa_mma.mma_block_scale_shape_and_type.items():
        for shape in shapes:
            yield scaled(arch, nv_ptx.MMABlockScale(arch, shape), shape)
    for shape in isa_tcgen05mma.blackwell_tcgen05mma_block_scale_shape_and_type:
        if "m128n8k" in shape:
            yield scaled("Blackwell", nv_ptx.TCGen05MMABlockScale("Blackwell", shape), shape)


def of_amd():
    """`suffix`: D_MxNxK[_BLOCKSb][_]A[_B], or A_1k."""
    for arch, suffixes in isa_mfma.arch_mfma_suffix.items():
        for suffix in suffixes:
            d, inputs = re.fullmatch(r"(f\d+)_\d+x\d+x\d+(?:_\d+b)?_?([a-z].*)", suffix).groups()
            pair = [AMD_NAMES.get(word, word) for word in inputs.split("_") if word != "1k"]
            a, b = pair[0], pair[-1]
            named = inputs if inputs.endswith("_1k") else a
            model = names_of(arch.lower() + ".mfma", named, b if b != a else named, d)
            types = [x.replace("xf32", "tf32") for x in (a, b, d, d)]
            yield instruction(f"{arch} {suffix}", "fp32.fma" if a == "f32" else model,
                              amd.MFMA(arch, suffix), types)


def instructions():
    return [*nvidia(), *of_amd()]
