# SPDX-License-Identifier: Apache-2.0
"""quantizer_bench.py: mx_quantizer, FP32 to MXFP4, against mx_tensor_quantize of libmxprism, in cocotb.
Stochastic rounding is compared elsewhere (tests/rtl): the library draws its random bits itself."""
import random

import cocotb
import golden_words
import handshake
from golden_words import PACKAGE, Quantized, vector_of

BLOCKS_OF_A_KIND = 20


def drive(dut, word):
    dut.x_i.value = vector_of(word.x, 32)
    dut.rule_i.value = word.rule
    dut.rounding_i.value = word.rounding
    dut.factor_i.value = word.factor


def look(dut):
    pins = (dut.codes_o.value, dut.scale_o.value, dut.special_o.value, dut.kept_o.value)
    if not all(value.is_resolvable for value in pins):
        return pins
    codes, scale, special, kept = (int(value) for value in pins)
    return Quantized(codes, scale, special), kept


@cocotb.test()
async def blocks_are_those_of_the_library(dut):
    seed = handshake.seed()
    dut.random_i.value = 0
    dut.deadzone_i.value = PACKAGE["DeadzoneFlush"]
    words, expected = zip(*golden_words.blocks(seed, BLOCKS_OF_A_KIND))
    results = await handshake.outcome(dut, words, drive, look, random.Random(seed))
    for i, (word, got, wanted) in enumerate(zip(words, results, expected)):
        assert got == (wanted, 0), f"seed {seed}, block {i}: RTL {got}, library {wanted}\n{word}"
    dut._log.info("seed %d: %d blocks", seed, len(words))
