# SPDX-License-Identifier: Apache-2.0
"""pins.py: a module in Icarus Verilog, its pins set and read cycle by cycle. A value is text of the
digits 0, 1, x and z, the highest bit first."""
import os
import re
import subprocess
from typing import NamedTuple


class Module(NamedTuple):
    name: str
    parameters: str
    inputs: dict   # width by port; clk_i apart
    outputs: dict


class Run(NamedTuple):
    outputs: list  # of each cycle: value by port
    reports: list  # (text, cycle)


def bits(value, width):
    return f"{value:0{width}b}"


def verilog_files(folder):
    folder = os.path.abspath(folder)
    with open(os.path.join(folder, "files.cmake"), encoding="utf-8") as text:
        return [os.path.join(folder, name) for name in re.findall(r"mx_\w+\.sv", text.read())]


def bench_of(module):
    """A module that takes a line of values a cycle, and prints outputs before the clock rises."""
    inputs, outputs = module.inputs, module.outputs
    lines = ["module pins;", "  integer lines, read;", "  reg clk_i;"]
    lines += [f"  reg [{width - 1}:0] {port};" for port, width in inputs.items()]
    lines += [f"  wire [{width - 1}:0] {port};" for port, width in outputs.items()]
    ports = ", ".join(f".{port}({port})" for port in ["clk_i", *inputs, *outputs])
    lines.append(f"  {module.name} #({module.parameters}) u_dut ({ports});")
    shape = " ".join(["%b"] * len(inputs))
    shown = " ".join(f"{port}=%b" for port in outputs)
    lines += ["  initial begin",
              "    clk_i = 0;",
              '    lines = $fopen("pins.txt", "r");',
              f'    read = $fscanf(lines, "{shape}", {", ".join(inputs)});',
              f"    while (read == {len(inputs)}) begin",
              f'      #4 $display("cycle {shown}", {", ".join(outputs)});',
              "      #1 clk_i = 1;",
              "      #5 clk_i = 0;",
              f'      read = $fscanf(lines, "{shape}", {", ".join(inputs)});',
              "    end",
              "    $finish;",
              "  end",
              "endmodule"]
    return "\n".join(lines) + "\n"


def said(command, folder):
    run = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=300, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command[:6])} (exit {run.returncode}):\n{run.stdout[-2000:]}")
    return run.stdout


class Pins:
    def __init__(self, module, rtl, scratch, iverilog="iverilog", vvp="vvp"):
        self.module, self.scratch, self.vvp = module, scratch, vvp
        os.makedirs(scratch, exist_ok=True)
        with open(os.path.join(scratch, "pins.sv"), "w", encoding="utf-8") as out:
            out.write(bench_of(module))
        said([iverilog, "-g2012", "-s", "pins", "-o", "pins.vvp", *verilog_files(rtl), "pins.sv"],
             scratch)

    def run(self, cycles):
        """Outputs and reports.   cycles  of each cycle: value by port"""
        ports = self.module.inputs
        with open(os.path.join(self.scratch, "pins.txt"), "w", encoding="utf-8") as out:
            for cycle in cycles:
                out.write(" ".join(cycle[port] for port in ports) + "\n")
        text = said([self.vvp, "pins.vvp"], self.scratch)
        outputs = [dict(pair.split("=") for pair in line.split())
                   for line in re.findall(r"^cycle (.*)$", text, re.MULTILINE)]
        if len(outputs) != len(cycles):
            raise SystemExit(f"{len(outputs)} of {len(cycles)} cycles:\n{text[-2000:]}")
        reports = re.findall(r"^ERROR: .*?: (.*) at time (\d+)$", text, re.MULTILINE)
        if text.count("ERROR") != len(reports):
            raise SystemExit(f"a report without a time:\n{text[-2000:]}")
        return Run(outputs, [(what, int(time) // 10) for what, time in reports])
