#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parameter_test.py TOOL PROGRAM FILE...: an RTL tool ends at parameters that make no sense, naming
the rule, and takes the nearest ones that do."""
import os
import subprocess
import sys
import tempfile

# Module, parameters, the rule that they break, and what keeps it instead.
CASES = (
    ("mx_group", {"FormatA": "mx_pkg::E5m2", "Group": 2}, "Group_above_1_needs_formats_without_Inf",
     {"Group": 1}),
    ("mx_group", {"FormatB": "mx_pkg::E5m2", "Group": 2}, "Group_above_1_needs_formats_without_Inf",
     {"FormatB": "mx_pkg::E4m3"}),
    ("mx_step", {"Products": 64, "Group": 12}, "Group_must_divide_Products_and_Block", {"Group": 8}),
    ("mx_step", {"Products": 64, "Block": 16, "Group": 32}, "Group_must_divide_Products_and_Block",
     {"Group": 16}),
    ("mx_step", {"Products": 48, "Block": 32}, "Block_must_divide_Products", {"Block": 16}),
    ("mx_step", {"Products": 32, "Alignment": "mx_pkg::AlignSticky"}, "AlignSticky_needs_one_Group",
     {"Group": 32}),
    ("mx_dot", {"K": 96, "Step": 64}, "Step_must_divide_K", {"K": 128}),
    ("mx_dot", {"FormatA": "mx_pkg::E5m2"}, "Group_above_1_needs_formats_without_Inf", {"Group": 1}),
    ("mx_tensor_core", {"Lanes": 12}, "Lanes_must_be_a_power_of_two_up_to_128", {"Lanes": 1}),
    ("mx_tensor_core", {"Lanes": 256}, "Lanes_must_be_a_power_of_two_up_to_128", {"Lanes": 2}),
    ("mx_round", {"Width": 26}, "Width_must_be_at_least_27", {"Width": 27}),
    ("mx_scale", {"Format": "mx_pkg::E4m3"}, "Format_must_have_no_sign_and_no_Inf",
     {"Format": "mx_pkg::Ue4m3"}),
    ("mx_quantizer", {"FormatIn": "mx_pkg::E4m3"}, "Format_must_have_Inf",
     {"FormatIn": "mx_pkg::Bfloat16"}),
    ("mx_quantizer", {"FormatScale": "mx_pkg::Ue4m3"}, "FormatScale_must_have_",
     {"FormatScale": "mx_pkg::E8m3"}),
    ("mx_shared_scale", {"FormatScale": "mx_pkg::Ue4m3"},
     "FormatScale_must_have_8_exponent_bits_and_no_subnormals", {"FormatScale": "mx_pkg::E8m0"}),
    ("mx_element_round", {"FormatScale": "mx_pkg::Ue4m3"}, "FormatScale_must_have_no_subnormals",
     {"FormatScale": "mx_pkg::E8m3"}),
    ("mx_element_round", {"RandomBits": 0}, "RandomBits_must_be_at_least_1", {"RandomBits": 1}),
)


def command_of(tool, program, files, scratch):
    if tool == "verilator":
        return [program, "--lint-only", "-Wno-lint", "--top-module", "top", *files]
    if tool == "iverilog":
        return [program, "-g2012", "-s", "top", "-o", os.path.join(scratch, "a.vvp"), *files]
    return [program, "-q", "-p", f"read_verilog -sv -defer {' '.join(files)}; hierarchy -check -top top"]


def run(tool, program, files, module, parameters):
    values = ", ".join(f".{name}({value})" for name, value in parameters.items())
    with tempfile.TemporaryDirectory() as scratch:
        top = os.path.join(scratch, "top.sv")
        with open(top, "w", encoding="utf-8") as file:
            file.write(f"module top;\n  {module} #({values}) u_module ();\nendmodule\n")
        done = subprocess.run(command_of(tool, program, [*files, top], scratch), text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def main():
    tool, program, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = 0
    for module, wrong, rule, right in CASES:
        status, said = run(tool, program, files, module, wrong)
        if status == 0 or "mx_refused_" + rule not in said:
            failed += 1
            print(f"{tool}: {module} {wrong} ended with {status}; expected {rule}:", said[-400:], sep="\n")
        status, said = run(tool, program, files, module, wrong | right)
        if status != 0:
            failed += 1
            print(f"{tool}: {module} {wrong | right} ended with {status}:", said[-800:], sep="\n")
    print(f"{tool}: {len(CASES)} rules, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
