#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parameter_test.py TOOL PROGRAM FILE...: an RTL tool ends at parameters that make no sense, naming
the rule, and takes the nearest ones that do."""
import os
import subprocess
import sys
import tempfile

# Formats that the package lacks, in its order of fields.
FINITE_E5M2 = "{1'b0, 1'b1, 3'd0, 8'd16, 5'd2, 4'd5}"
SCALE_E8M4 = "{1'b1, 1'b0, 3'd3, 8'd127, 5'd4, 4'd8}"

# Module, parameters, the rule that they break, and what keeps it instead.
CASES = (
    ("mx_group", {"FormatA": "mx_pkg::E5m2", "Group": 2}, "Group_above_1_needs_formats_without_Inf",
     {"Group": 1}),
    ("mx_group", {"FormatB": "mx_pkg::E5m2", "Group": 2}, "Group_above_1_needs_formats_without_Inf",
     {"FormatB": "mx_pkg::E4m3"}),
    ("mx_group", {"FormatA": "mx_pkg::E8m0", "Group": 2},
     "Group_above_1_needs_formats_below_8_exponent_bits", {"Group": 1}),
    ("mx_group", {"FormatB": "mx_pkg::E8m0", "Group": 2},
     "Group_above_1_needs_formats_below_8_exponent_bits", {"FormatB": "mx_pkg::Ue4m3"}),
    ("mx_group", {"Group": 0}, "Group_must_be_at_least_1", {"Group": 1}),
    ("mx_align", {"Room": 0}, "Room_must_be_at_least_1", {"Room": 1}),
    ("mx_align", {"Room": -5}, "Room_must_be_at_least_1", {"Room": 1}),
    ("mx_step", {"Products": 64, "Group": 12}, "Group_must_divide_Products_and_Block", {"Group": 8}),
    ("mx_step", {"Products": 64, "Block": 16, "Group": 32}, "Group_must_divide_Products_and_Block",
     {"Group": 16}),
    ("mx_step", {"Products": 48, "Block": 32}, "Block_must_divide_Products", {"Block": 16}),
    ("mx_step", {"Products": 32, "Alignment": "mx_pkg::AlignSticky"}, "AlignSticky_needs_one_Group",
     {"Group": 32}),
    ("mx_step", {"Alignment": 3}, "Alignment_must_be_AlignWindow_AlignSticky_or_AlignExact",
     {"Alignment": "mx_pkg::AlignExact"}),
    ("mx_step", {"FractionBits": 23}, "FractionBits_must_be_at_least_24", {"FractionBits": 24}),
    ("mx_step", {"ZeroExponent": -1024}, "ZeroExponent_must_be_within_1023_of_0", {"ZeroExponent": -1023}),
    ("mx_dot", {"ZeroExponent": -3000}, "ZeroExponent_must_be_within_1023_of_0", {"ZeroExponent": 1023}),
    ("mx_dot", {"ZeroExponent": 1024}, "ZeroExponent_must_be_within_1023_of_0",
     {"Alignment": "mx_pkg::AlignExact"}),
    ("mx_sum", {"Terms": 0}, "Terms_must_be_at_least_1", {"Terms": 1}),
    ("mx_largest", {"Terms": 0}, "Terms_must_be_at_least_1", {"Terms": 1}),
    ("mx_amax", {"Count": 0}, "Count_must_be_at_least_1", {"Count": 1}),
    ("mx_quantizer", {"Block": 0}, "Block_must_be_at_least_1", {"Block": 1}),
    ("mx_quantizer", {"Block": -1}, "Block_must_be_at_least_1", {"Block": 16}),
    ("mx_step", {"Products": 0}, "Products_Block_and_Group_must_be_at_least_1", {"Products": 32}),
    ("mx_step", {"Block": 0}, "Products_Block_and_Group_must_be_at_least_1", {"Block": 16}),
    ("mx_step", {"Group": -16}, "Products_Block_and_Group_must_be_at_least_1", {"Group": 1}),
    ("mx_dot", {"K": 96, "Step": 64}, "Step_must_divide_K", {"K": 128}),
    ("mx_dot", {"FormatA": "mx_pkg::E5m2"}, "Group_above_1_needs_formats_without_Inf", {"Group": 1}),
    ("mx_dot", {"FormatA": "mx_pkg::E8m0", "Group": 2, "Alignment": "mx_pkg::AlignExact"},
     "Terms_must_have_at_most_56_bits", {"FormatA": "mx_pkg::E2m1", "Group": 16}),
    ("mx_dot", {"FormatA": FINITE_E5M2, "FormatB": FINITE_E5M2, "FractionBits": 60},
     "Terms_must_have_at_most_56_bits", {"FormatB": "mx_pkg::E2m1"}),
    ("mx_dot", {"FormatA": "mx_pkg::Binary32", "FormatB": "mx_pkg::Binary32", "Group": 1,
                "FormatScale": SCALE_E8M4, "FractionBits": 60, "K": 32, "Step": 32},
     "Terms_must_have_at_most_56_bits", {"FormatScale": "mx_pkg::E8m3"}),
    ("mx_dot", {"FormatA": "mx_pkg::Binary32", "FormatB": "mx_pkg::Binary32", "Group": 1,
                "FractionBits": 46},
     "FractionBits_must_exceed_the_fraction_bits_of_a_term", {"FractionBits": 47}),
    ("mx_dot", {"FractionBits": 22}, "FractionBits_must_be_at_least_24", {"FractionBits": 24}),
    ("mx_dot", {"FractionBits": 13}, "FractionBits_must_be_at_least_24", {"FractionBits": 24}),
    ("mx_dot", {"Alignment": 3}, "Alignment_must_be_AlignWindow_AlignSticky_or_AlignExact",
     {"Alignment": "mx_pkg::AlignExact"}),
    ("mx_dot", {"Rounding": "mx_pkg::RoundStochastic"},
     "Rounding_must_be_RoundTowardZero_or_RoundTiesToEven", {"Rounding": "mx_pkg::RoundTiesToEven"}),
    ("mx_dot", {"ZeroResult": 2}, "ZeroResult_must_be_ZeroResultOfTerms_or_ZeroResultPlus",
     {"ZeroResult": "mx_pkg::ZeroResultOfTerms"}),
    ("mx_dot", {"K": 0}, "K_Step_Block_and_Group_must_be_at_least_1", {"K": 64}),
    ("mx_dot", {"Step": 0}, "K_Step_Block_and_Group_must_be_at_least_1", {"Step": 32}),
    ("mx_dot", {"Block": 0}, "K_Step_Block_and_Group_must_be_at_least_1", {"Block": 16}),
    ("mx_dot", {"Group": 0}, "K_Step_Block_and_Group_must_be_at_least_1", {"Group": 1}),
    ("mx_dot", {"Group": -16}, "K_Step_Block_and_Group_must_be_at_least_1", {"Group": 16}),
    ("mx_tensor_core", {"Lanes": 12}, "Lanes_must_be_a_power_of_two_up_to_128", {"Lanes": 1}),
    ("mx_tensor_core", {"Lanes": 256}, "Lanes_must_be_a_power_of_two_up_to_128", {"Lanes": 2}),
    ("mx_round", {"Width": 26}, "Width_must_be_at_least_27", {"Width": 27}),
    ("mx_scale", {"Format": "mx_pkg::E4m3"}, "Format_must_have_no_sign_and_no_Inf",
     {"Format": "mx_pkg::Ue4m3"}),
    ("mx_quantizer", {"FormatIn": "mx_pkg::E4m3"}, "Format_must_have_Inf",
     {"FormatIn": "mx_pkg::Bfloat16"}),
    ("mx_quantizer", {"FormatIn": "mx_pkg::E5m2"}, "FormatIn_must_have_8_exponent_bits",
     {"FormatIn": "mx_pkg::Bfloat16"}),
    ("mx_shared_scale", {"FormatIn": "mx_pkg::E5m2"}, "FormatIn_must_have_8_exponent_bits",
     {"FormatIn": "mx_pkg::Binary32"}),
    ("mx_quantizer", {"FormatScale": "mx_pkg::Ue4m3"}, "FormatScale_must_have_",
     {"FormatScale": "mx_pkg::E8m3"}),
    ("mx_shared_scale", {"FormatScale": "mx_pkg::Ue4m3"},
     "FormatScale_must_have_8_exponent_bits_and_no_subnormals", {"FormatScale": "mx_pkg::E8m0"}),
    ("mx_element_round", {"FormatScale": "mx_pkg::Ue4m3"}, "FormatScale_must_have_no_subnormals",
     {"FormatScale": "mx_pkg::E8m3"}),
    ("mx_element_round", {"RandomBits": 0}, "RandomBits_must_be_at_least_1", {"RandomBits": 1}),
)
# Verilator ends at the width that such a 0 makes unknown, before it looks for the rule's module.
UNNAMED_BY_VERILATOR = ({"Group": 0}, {"Block": 0}, {"Terms": 0}, {"Count": 0})


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
        named = "mx_refused_" + rule in said or (tool == "verilator" and wrong in UNNAMED_BY_VERILATOR)
        if status == 0 or not named:
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
