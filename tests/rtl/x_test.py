#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""x_test.py RTL SCRATCH IVERILOG VVP [--faults]: unknown bits on the ports of mx_dot, mx_quantizer and
mx_tensor_core are reported by port and time, and nothing else is: not ignored values, not NaN
scales, whose results are those of libmxprism. With --faults each fault of x_faults.py must be detected."""
import os
import sys

import golden_words
from faulty_copy import FaultyCopy, survivors_of
from golden_words import BLOCK, K, PACKAGE, DotWord, vector_of
from pins import Module, Pins, bits
from x_faults import FAULTS
from x_reports import RESET_CYCLES, UNKNOWN, expect, expect_reports, idle, spoiled, unknown
from x_tensor_core import check_tensor_core

DOT = Module("mx_dot", "", {
    "rst_ni": 1, "valid_i": 1, "ready_i": 1, "a_i": 4 * K, "b_i": 4 * K, "scale_a_i": 16,
    "scale_b_i": 16, "c_i": 32}, {"ready_o": 1, "valid_o": 1, "d_o": 32})
QUANTIZER = Module("mx_quantizer", "", {
    "rst_ni": 1, "valid_i": 1, "ready_i": 1, "x_i": 32 * BLOCK, "rule_i": 3, "rounding_i": 2,
    "random_i": 8 * BLOCK, "factor_i": 8, "deadzone_i": 1},
    {"ready_o": 1, "valid_o": 1, "codes_o": 4 * BLOCK, "scale_o": 8, "special_o": 1,
     "kept_o": BLOCK})


def dot_cycle(word):
    return idle(DOT, valid_i="1", ready_i="1", a_i=bits(vector_of(word.a, 4), 4 * K),
                b_i=bits(vector_of(word.b, 4), 4 * K), c_i=bits(word.c, 32),
                scale_a_i=bits(vector_of(word.scale_a, 8), 16),
                scale_b_i=bits(vector_of(word.scale_b, 8), 16))


def block_cycle(word):
    """Nearest rounding ignores random bits."""
    return idle(QUANTIZER, valid_i="1", ready_i="1", x_i=bits(vector_of(word.x, 32), 32 * BLOCK),
                rule_i=bits(word.rule, 3), rounding_i=bits(word.rounding, 2),
                factor_i=bits(word.factor, 8), deadzone_i=bits(PACKAGE["DeadzoneFlush"], 1))


def stream(module, offered):
    """A word a cycle: reset, the words, and time for the last result."""
    known = {"valid_i": "0", "ready_i": "1"}
    return ([idle(module, rst_ni="0")] * RESET_CYCLES + offered + [idle(module, **known)] * 8)


def results(run, ports):
    return [tuple(cycle[port] for port in ports)
            for cycle in run.outputs if cycle["valid_o"] == "1"]


def expect_clean(pins, offered, ports, wanted):
    run = pins.run(stream(pins.module, offered))
    expect_reports(run, [], "known words")
    got = results(run, ports)
    expect(len(got) == len(wanted), f"{len(got)} results of {len(wanted)}")
    for i, (one, other) in enumerate(zip(got, wanted)):
        expect(one == other, f"{pins.module.name}, word {i}: {one}, not {other}")


def expect_payload_reports(pins, clean, ports, wanted, payload):
    """Of three words the second has unknown bits, and so has a sum; the others are right.
    Codes are known if they do not depend on the unknown bits."""
    for port in payload:
        for kind in UNKNOWN:
            word = {**clean, port: spoiled(clean[port], kind)}
            run = pins.run(stream(pins.module, [clean, word, clean]))
            name = f"{pins.module.name}.{port}"
            expect_reports(run, [unknown(name, RESET_CYCLES + 1)], f"{name}, {kind}")
            got = results(run, ports)
            expect(len(got) == 3 and got[0] == got[2] == wanted, f"{name}, {kind}: {got}")
            expect(pins.module is not DOT or "x" in got[1][0], f"{name}, {kind}: {got[1]} is known")


def expect_control_reports(pins, clean):
    """valid, ready and reset are checked outside of reset."""
    for port in ("valid_i", "ready_i", "rst_ni"):
        name = f"{pins.module.name}.{port}"
        for digit in "xz":
            cycles = stream(pins.module, [clean, {**clean, port: digit}, clean])
            expect_reports(pins.run(cycles), [unknown(name, RESET_CYCLES + 1)], name)


def check_dot(rtl, scratch, tools):
    pins = Pins(DOT, rtl, os.path.join(scratch, "mx_dot"), *tools)
    words = golden_words.dot_words(1, 60)
    wanted = [(bits(d, 32),) for d in golden_words.dot_results(words)]
    nan = bits(0x7FFFFFFF, 32)
    expect(wanted.count((nan,)) >= 8, "words hold no NaN scales")
    expect_clean(pins, [dot_cycle(word) for word in words], ["d_o"], wanted)
    one = DotWord([2] * K, [2] * K, [127, 127], [127, 127], 0x3F800000)
    wanted_one = (bits(golden_words.dot_results([one])[0], 32),)
    expect_payload_reports(pins, dot_cycle(one), ["d_o"], wanted_one,
                           ("a_i", "b_i", "scale_a_i", "scale_b_i", "c_i"))
    expect_control_reports(pins, dot_cycle(one))
    expect_once(pins, dot_cycle(one))


def expect_once(pins, clean):
    """A port that stays unknown is reported once, and again after it was known."""
    word = {**clean, "c_i": "x" * 32}
    run = pins.run(stream(pins.module, [word, word, word, clean, word]))
    name = f"{pins.module.name}.c_i"
    first = RESET_CYCLES
    expect_reports(run, [unknown(name, first), unknown(name, first + 4)], "a port unknown for long")


def check_quantizer(rtl, scratch, tools):
    pins = Pins(QUANTIZER, rtl, os.path.join(scratch, "mx_quantizer"), *tools)
    pairs = golden_words.blocks(1, 2)
    ports = ["codes_o", "scale_o", "special_o", "kept_o"]

    def pins_of(block):
        return (bits(block.codes, 4 * BLOCK), bits(block.scale, 8), bits(block.special, 1),
                bits(0, BLOCK))
    expect_clean(pins, [block_cycle(word) for word, _ in pairs], ports,
                 [pins_of(block) for _, block in pairs])
    word, block = next(pair for pair in pairs if pair[1].codes and not pair[1].special)
    clean = block_cycle(word)
    expect_payload_reports(pins, clean, ports, pins_of(block),
                           ("x_i", "rule_i", "rounding_i", "factor_i", "deadzone_i"))
    stochastic = {**clean, "rounding_i": bits(PACKAGE["RoundStochastic"], 2),
                  "random_i": bits(0, 8 * BLOCK)}
    cut = results(pins.run(stream(QUANTIZER, [stochastic])), ports)
    expect_payload_reports(pins, stochastic, ports, cut[0], ("random_i",))
    expect_control_reports(pins, clean)


CHECKS = {"mx_dot": check_dot, "mx_quantizer": check_quantizer, "mx_tensor_core": check_tensor_core}


def main():
    rtl, scratch, *tools = sys.argv[1:5]
    if sys.argv[5:] != ["--faults"]:
        for check in CHECKS.values():
            check(rtl, scratch, tools)
        return 0

    def finds(folder, killer):
        try:
            CHECKS[killer](folder, scratch, tools)
        except AssertionError as difference:
            print(f"  {str(difference)[:160]}")
            return True
        return False
    return int(survivors_of(FAULTS, FaultyCopy(rtl, os.path.join(scratch, "verilog"), finds)) > 0)


if __name__ == "__main__":
    sys.exit(main())
