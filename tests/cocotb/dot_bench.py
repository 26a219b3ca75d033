# SPDX-License-Identifier: Apache-2.0
"""dot_bench.py: mx_dot, MXFP4 under blackwell.mxf4, against mx_model_dot of libmxprism, in cocotb."""
import random

import cocotb
import golden_words
import handshake
from golden_words import vector_of

WORDS = 1000


def drive(dut, word):
    dut.a_i.value = vector_of(word.a, 4)
    dut.b_i.value = vector_of(word.b, 4)
    dut.scale_a_i.value = vector_of(word.scale_a, 8)
    dut.scale_b_i.value = vector_of(word.scale_b, 8)
    dut.c_i.value = word.c


def look(dut):
    return f"{int(dut.d_o.value):08x}" if dut.d_o.value.is_resolvable else str(dut.d_o.value)


@cocotb.test()
async def dot_products_have_the_bits_of_the_library(dut):
    seed = handshake.seed()
    words = golden_words.dot_words(seed, WORDS)
    expected = [f"{d:08x}" for d in golden_words.dot_results(words)]
    results = await handshake.outcome(dut, words, drive, look, random.Random(seed))
    for i, (word, got, wanted) in enumerate(zip(words, results, expected)):
        assert got == wanted, f"seed {seed}, word {i}: RTL {got}, library {wanted}\n{word}"
    dut._log.info("seed %d: %d dot products", seed, len(words))
