# SPDX-License-Identifier: Apache-2.0
"""chains.py: modules that are registers in a chain: the input of each depends only on
the one before it. Proved on the wires, so it holds for every value and width.

With mx_register a queue, results are then a function of the words, in the order of the words."""
import os
import subprocess
from dataclasses import dataclass

from properties import Fault

# The ends of paths back from a wire.
FLIP_FLOPS = "$dff,$dffe,$adff,$adffe,$sdff,$sdffe"
CONTROL = {"clk_i", "rst_ni", "valid_i", "ready_i"}


@dataclass(frozen=True)
class Chain:
    name: str
    top: str
    registers: tuple  # the first one first
    faults: tuple


CHAINS = (
    Chain("a step is a chain of registers", "mx_step",
          ("u_operands", "u_distances", "u_sums", "u_result"), (
              Fault("flags of the word behind", "mx_step.sv", ".data_i({distances_flags,",
                    ".data_i({operands_flags,"),
              Fault("largest exponent of the word behind", "mx_step.sv",
                    "{distances_flags, distances_largest, sum,",
                    "{distances_flags, largest, sum,"),
              Fault("rounds what is not held yet", "mx_step.sv", ".sum_i(sum_q)", ".sum_i(sum)"),
              Fault("valid a stage early", "mx_step.sv", ".valid_i(distances_valid)",
                    ".valid_i(operands_valid)"))),
    Chain("a quantizer is a chain of registers", "mx_quantizer",
          ("u_extent", "u_scale", "u_result"), (
              Fault("rule of the block behind", "mx_quantizer.sv", ".rule_i(amax_rule)",
                    ".rule_i(rule_i)"),
              Fault("scale of the block behind", "mx_quantizer.sv", ".scale_i(scale_q)",
                    ".scale_i(scale)"),
              Fault("deadzone of the block behind", "mx_quantizer.sv", "32'(keeps) ==",
                    "32'(amax_elements[0]) =="),
              Fault("valid a stage early", "mx_quantizer.sv", ".valid_i(scale_valid)",
                    ".valid_i(amax_valid)"))),
)


def sources_of(yosys, chain, names, folder):
    """{register and pin: the registers and inputs that its value comes from}"""
    pins = [f"{register}.{pin}" for register in chain.registers for pin in ("data_i", "valid_i")]
    ends = "i:* w:*.data_q %u w:*.valid_q %u"
    steps = [f"read_verilog -sv {' '.join(names)}",
             f"hierarchy -check -top {chain.top}; proc; flatten"]
    steps += [f"select -write {pin} w:{pin} %ci*:-{FLIP_FLOPS} {ends} %i" for pin in pins]
    run = subprocess.run([yosys, "-q", "-p", "; ".join(steps)], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, cwd=folder, check=False)
    if run.returncode != 0:
        raise SystemExit(f"prove.py: error: yosys on {chain.name}: {run.stdout}")
    found = {}
    for pin in pins:
        with open(os.path.join(folder, pin), encoding="utf-8") as text:
            found[pin] = {line.strip().split("/")[1] for line in text}
    return found


def is_chain(sources, registers):
    """Data and valid come from the register before, those of the first one from inputs."""
    inputs = sources[f"{registers[0]}.data_i"]
    right = bool(inputs) and not inputs & CONTROL and not any("." in name for name in inputs)
    right = right and sources[f"{registers[0]}.valid_i"] == {"valid_i"}
    for before, register in zip(registers, registers[1:]):
        right = right and sources[f"{register}.data_i"] == {f"{before}.data_q"}
        right = right and sources[f"{register}.valid_i"] == {f"{before}.valid_q"}
    return right
