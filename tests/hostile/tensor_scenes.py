# SPDX-License-Identifier: Apache-2.0
"""tensor_scenes.py: commands on files of tensors, and right files for them: numbers, codes and
scales of several conventions, operands of products, words of dot products."""
import json
import os
import random
import struct

import gguf_files
import tensor_files
from attacked_command import Attacked

FORMATS = ("mxfp4", "mxfp6-e2m3", "mxfp8-e5m2", "mxint8", "nvfp4", "nvfp4-2d", "fp8-128x128",
           "e2m1:e8m3:32", "e3m2:ue4m3:16:tensor", "mxfp4+mbs=128,8+of=0.5", "mxfp4+rotate=32",
           "int4:fp32:64")
RULES = ("floor", "ceil", "rceil", "midmax", "ideal", "mse", "quest", "4over6-mse")
LAYOUTS = ("linear", "128x4", "8x4", "v-cache-4x4", "packed-int32", "gfx1250")
MODELS = ("blackwell.mxf4", "blackwell.mxf4nvf4", "exact.rne", "fp32.pairwise",
          "hopper.mma.bf16.f32", "fp32.sequential")
NUMBERS = ("x.npy", "x.safetensors", "x.gguf", "model")
CODES = ("coded.safetensors", "gpt.safetensors", "modelopt.safetensors", "compressed.safetensors",
         "codes.gguf", "corrected.safetensors")


def drawn(count, seed=1):
    chance = random.Random(seed)
    return [chance.gauss(0, 1) for _ in range(count)]


def write_model_of_shards(folder, tensors):
    """One shard a tensor, and their index."""
    os.mkdir(folder)
    placed = {name: f"{i}.safetensors" for i, name in enumerate(tensors)}
    for name, shard in placed.items():
        tensor_files.write_safetensors(os.path.join(folder, shard), {name: tensors[name]})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {"total_size": 1}, "weight_map": placed}, file)


def write_numbers(path):
    two = {"a.weight": tensor_files.floats([3, 40], drawn(120)),
           "b": ("BF16", [2, 2, 8], bytes(range(64)))}
    tensor_files.write_npy(path("x.npy"), [4, 64], drawn(256))
    tensor_files.write_safetensors(path("x.safetensors"), two, {"about": "numbers"})
    gguf_files.write(path("x.gguf"), {"a.weight": ("F32", [2, 32], bytes(256)),
                                      "q": ("Q8_0", [1, 32], bytes(range(34)))})
    write_model_of_shards(path("model"), two)


def write_codes(path):
    codes, scales = [i % 16 for i in range(128)], [120 + i for i in range(4)]
    packed = gguf_files.packed(codes)
    tensor_files.write_safetensors(path("gpt.safetensors"), {
        "w_blocks": ("U8", [2, 2, 16], packed), "w_scales": ("U8", [2, 2], bytes(scales))})
    tensor_files.write_safetensors(path("modelopt.safetensors"), {
        "l.weight": ("U8", [2, 32], packed),
        "l.weight_scale": ("F8_E4M3", [2, 4], bytes(range(60, 68))),
        "l.weight_scale_2": ("F32", [1], struct.pack("<f", 0.5))})
    tensor_files.write_safetensors(path("compressed.safetensors"), {
        "l.weight_packed": ("U8", [2, 32], packed),
        "l.weight_scale": ("F8_E4M3", [2, 4], bytes(range(60, 68))),
        "l.weight_global_scale": ("F32", [1], struct.pack("<f", 8.0))})
    gguf_files.write(path("codes.gguf"), {
        "m.weight": ("MXFP4", [2, 64], gguf_files.blocks(codes, scales, 32, 32))})


def write_products(path):
    ones = struct.pack("<16H", *[0x3F80] * 16)
    tensor_files.write_safetensors(path("words.safetensors"), {
        "a": ("U16", [2, 8], ones), "b": ("U16", [2, 8], ones), "c": ("U32", [2], bytes(8)),
        "d": ("U32", [2], struct.pack("<2I", 0x41000000, 0x41000001))})
    tensor_files.write_safetensors(path("scaled.safetensors"), {
        "a": ("U8", [2, 64], bytes(range(16)) * 8), "b": ("U8", [2, 64], bytes(range(16)) * 8),
        "c": ("U32", [2], bytes(8)), "scale_a": ("U8", [2, 2], bytes([127] * 4)),
        "scale_b": ("U8", [2, 2], bytes([126] * 4))})
    tensor_files.write_npy(path("a.npy"), [4, 64], drawn(256, 2))
    tensor_files.write_npy(path("b.npy"), [64, 4], drawn(256, 3))
    tensor_files.write_npy(path("c.npy"), [4, 4], drawn(16, 4))


def make(path, call):
    """The right files.
      call  runs the command in their folder"""
    write_numbers(path)
    write_codes(path)
    write_products(path)
    call("quantize", "x.npy", "-o", "coded.safetensors")
    call("quantize", "x.npy", "-o", "corrected.safetensors", "--format", "mxfp4+mbs=128,8+of=0.5")
    call("gemm", "a.npy", "b.npy", "--model", "blackwell.mxf4", "-o", "d.safetensors", "--c",
         "c.npy")
    call("probe", "make", "-o", "probe.safetensors")
    call("quantize", "probe.safetensors", "-o", "out.probe.safetensors", "--variant",
         "torchao.rceil")
    with open(path("f.toml"), "w", encoding="utf-8") as file:
        file.write('element = "e2m1"\nscale = "e8m3"\nblock = 32\nscale_rule = "ceil"\n'
                   'rounding = "stochastic"\nseed = 1\nrandom_bits = 24\n')


def inputs_in(name):
    if name == "model":
        return ["model/model.safetensors.index.json", "model/0.safetensors", "model/1.safetensors"]
    return [name]


def rule_words(chance, left_out=()):
    """Options of a format and its rules; most often none."""
    words = []
    for option, values in (("--format", FORMATS), ("--scale-rule", RULES), ("--layout", LAYOUTS),
                           ("--axis", ("0", "-1", "1", "-7", "63")),
                           ("--rounding", ("stochastic", "toward-zero")),
                           ("--packing", ("unpacked",)),
                           ("--variant", ("torchao.rceil", "ggml.mxfp4", "te.nvfp4"))):
        if option not in left_out and chance.random() < 0.12:
            words += [option, chance.choice(values)]
    return words


def quantize(chance):
    name = chance.choice(NUMBERS)
    return Attacked(["quantize", name, "-o", "o.safetensors", *rule_words(chance)], inputs_in(name),
                    ["o.safetensors"])


def decompose(chance):
    name = chance.choice(NUMBERS)
    words = ["decompose", name, *rule_words(chance, ("--layout", "--packing"))]
    if chance.random() < 0.3:
        words += ["--report", "r.html"]
    if chance.random() < 0.2:
        words += ["--scale-precision", "3"]
    return Attacked(words, inputs_in(name), ["r.html"])


def dequantize(chance):
    name = chance.choice(CODES)
    words = rule_words(chance, ("--scale-rule", "--rounding")) if chance.random() < 0.3 else []
    output = chance.choice(("o.npy", "o.safetensors"))
    return Attacked(["dequantize", name, "-o", output, *words], [name], [output])


def verify(chance):
    words = ["verify", "coded.safetensors", "--input", "x.npy"]
    if chance.random() < 0.3:
        words = ["verify", "out.probe.safetensors", "--input", "probe.safetensors",
                 *rule_words(chance)]
    reads = [words[1], words[3]]
    for option, name in (("--report", "r.html"), ("--junit", "j.xml"), ("--repro", "smallest")):
        if chance.random() < 0.15:
            words += [option, name]
    return Attacked(words, reads, ["r.html", "j.xml", "smallest"])


def read_probe(chance):
    words = ["probe", "read", "coded.safetensors", "--input", "x.npy"]
    if chance.random() < 0.3:
        words = ["probe", "read", "out.probe.safetensors", "--input", "probe.safetensors"]
    return Attacked(words, [words[2], words[4]])


def score(chance):
    name = chance.choice(("x.npy", "x.safetensors"))
    return Attacked(["score", "--input", name, "--", "true"], [name], speaks=True)


def dot(chance):
    words = ["dot", "words.safetensors", "--model", "ampere.mma.bf16.f32"]
    if chance.random() < 0.5:
        words = ["dot", "scaled.safetensors", "--model", "exact.rne", "--a-format", "e2m1",
                 "--b-format", "e2m1", "--scale-format", "e8m0", "--block", "32"]
    reads = [words[1]]
    if chance.random() < 0.5:
        words += ["-o", "o.safetensors"]
    if chance.random() < 0.2:
        words += ["--explain", chance.choice(("0", "1", "9"))]
    return Attacked(words, reads, ["o.safetensors"])


def gemm(chance):
    a, b = chance.choice((("a.npy", "b.npy"), ("coded.safetensors", "coded.safetensors"),
                          ("codes.gguf", "codes.gguf"), ("a.npy", "coded.safetensors")))
    words = ["gemm", a, b, "--model", chance.choice(MODELS), "-o", "o.safetensors"]
    reads = [a, b]
    if chance.random() < 0.4:
        words += ["--c", "c.npy"]
        reads.append("c.npy")
    if chance.random() < 0.2:
        words += ["--split-k", chance.choice(("2", "64"))]
    return Attacked(words, reads, ["o.safetensors"])


def verify_gemm(chance):
    form = chance.choice((["verify"], ["probe", "read"]))
    words = [*form, "d.safetensors", "--gemm", "a.npy", "b.npy", "--c", "c.npy"]
    return Attacked(words, ["d.safetensors", "a.npy", "b.npy", "c.npy"])


def format_file(chance):
    words = chance.choice((["explain", "0.3", "-1.2", "--format", "@f.toml"],
                           ["quantize", "x.npy", "-o", "o.safetensors", "--format", "@f.toml"],
                           ["dequantize", "coded.safetensors", "-o", "o.npy", "--format",
                            "@f.toml"],
                           ["decompose", "x.npy", "--format", "@f.toml"]))
    outputs = ["o.safetensors", "o.npy"]
    return Attacked(words, ["f.toml"], outputs, options_blamed=False,
                    blamed=["f.toml", "x.npy", "coded.", "values were given", *outputs])


COMMANDS = (quantize, quantize, decompose, decompose, dequantize, dequantize, verify, verify,
            read_probe, score, dot, dot, gemm, gemm, verify_gemm, format_file, format_file)
