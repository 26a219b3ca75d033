# SPDX-License-Identifier: Apache-2.0
"""x_tensor_core.py: unknown bits on the ports of mx_tensor_core, for x_test.py: one lane, and every row
of a tile is the same."""
import os

import golden_words
from golden_words import K, vector_of
from pins import Module, Pins, bits
from x_reports import RESET_CYCLES, UNKNOWN, expect, expect_reports, idle, spoiled, unknown

CORE = Module("mx_tensor_core", ".Lanes(1)", {
    "rst_ni": 1, "b_valid_i": 1, "b_i": 8 * 4 * K, "scale_b_i": 8 * 16, "a_valid_i": 1,
    "a_i": 4 * K, "scale_a_i": 16, "c_i": 8 * 32, "d_ready_i": 1},
    {"b_ready_o": 1, "a_ready_o": 1, "d_valid_o": 1, "d_o": 32})


def tile_cycle(words):
    """Both streams are valid; word n is column n, and all have the same A."""
    a, scale_a = words[0].a, words[0].scale_a
    return idle(CORE, a_valid_i="1", b_valid_i="1", d_ready_i="1",
                a_i=bits(vector_of(a, 4), 4 * K), scale_a_i=bits(vector_of(scale_a, 8), 16),
                b_i=bits(vector_of([code for word in words for code in word.b], 4), 8 * 4 * K),
                scale_b_i=bits(vector_of([s for word in words for s in word.scale_b], 8), 8 * 16),
                c_i=bits(vector_of([word.c for word in words], 32), 8 * 32))


def tile_stream(cycle, first):
    """Reset, the first word of A and of B, then the same words without unknown bits."""
    reset = [idle(CORE, rst_ni="0")] * RESET_CYCLES
    return reset + [first] + [cycle] * 40


def of_core(run):
    """Reports of the tensor core; its lanes check their inputs and report as well."""
    return [report for report in run.reports if report[0].startswith("mx_tensor_core.")]


def rows_of(run):
    got = [cycle["d_o"] for cycle in run.outputs if cycle["d_valid_o"] == "1"]
    return [got[i:i + 8] for i in range(0, len(got) - 7, 8)]


def tiles():
    """Columns under usual scales, and with scale bytes 0 and 255 on each port."""
    words = [word for word in golden_words.dot_words(2, 40)[-40:] if word.c >> 23 & 255 != 255]
    usual = [word._replace(a=words[0].a, scale_a=[127, 127], scale_b=[127, 126])
             for word in words[:8]]
    yield usual
    for byte in (0, golden_words.NAN_SCALE):
        yield [word._replace(scale_a=[127, byte]) for word in usual]
        yield [usual[0]._replace(scale_b=[byte, 127]), *usual[1:]]


def check_tensor_core(rtl, scratch, tools):
    pins = Pins(CORE, rtl, os.path.join(scratch, "mx_tensor_core"), *tools)
    for words in tiles():
        cycle = tile_cycle(words)
        run = pins.run(tile_stream(cycle, cycle))
        expect_reports(run, [], "known tiles")
        wanted = [bits(d, 32) for d in golden_words.dot_results(words)]
        expect(len(rows_of(run)) >= 3 and all(row == wanted for row in rows_of(run)),
               f"{rows_of(run)}, not rows of {wanted}")
    words = next(tiles())
    cycle = tile_cycle(words)
    wanted = [bits(d, 32) for d in golden_words.dot_results(words)]
    for port in ("a_i", "scale_a_i", "c_i", "b_i", "scale_b_i", "a_valid_i", "b_valid_i",
                 "d_ready_i", "rst_ni"):
        for kind in UNKNOWN:
            run = pins.run(tile_stream(cycle, {**cycle, port: spoiled(cycle[port], kind)}))
            name = f"mx_tensor_core.{port}"
            expect(of_core(run) == [unknown(name, RESET_CYCLES)], f"{name}, {kind}: {run.reports}")
            if port in ("a_i", "scale_a_i", "c_i"):
                later = rows_of(run)[1:]
                expect(later and all(row == wanted for row in later), f"{name}, {kind}: {later}")
