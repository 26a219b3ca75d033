# SPDX-License-Identifier: Apache-2.0
"""dot_mutants.py: faults of mx_dot and its parts, for mutants.py."""

# One model each: a window, scales with a fraction, NaN, NaN and Inf, two steps with a sticky bit, a
# register over the whole range.
MXF4 = "rtl_dot_blackwell_mxf4"
NVF4 = "rtl_dot_blackwell_mxf4nvf4"
E4M3 = "rtl_dot_blackwell_mxf8f6f4_e4m3"
E5M2 = "rtl_dot_blackwell_mxf8f6f4_e5m2"
TWO_STEPS = "rtl_dot_fp32_sequential_mxfp4"
EXACT = "rtl_dot_exact_rne_mxfp4"
# Every pair of codes.
PRODUCTS = "rtl_product"

KILLERS = {test: f"^{test.replace('rtl', 'mx')}$"
           for test in (MXF4, NVF4, E4M3, E5M2, TWO_STEPS, EXACT)}
KILLERS[PRODUCTS] = "^mx_(product|scale)_"

ELEMENTS = [
    ("subnormals have a hidden bit",
     "mx_element.sv", "assign hidden = !HasSubnormals || field != '0;", "assign hidden = 1'b1;",
     MXF4),
    ("subnormals have no binade of their own",
     "mx_element.sv", "hidden ? field - 1'b1 : '0;", "field;", MXF4),
    ("the sign of an element is lost",
     "mx_element.sv", "assign negative_o = code_i[ExponentBits+FractionBits];",
     "assign negative_o = 1'b0;", MXF4),
    ("the NaN of E4M3 is a number",
     "mx_element.sv", "assign nan_o = &code_i[ExponentBits+FractionBits-1:0];",
     "assign nan_o = 1'b0;", E4M3),
    ("E4M3 has NaN in all of its top binade",
     "mx_element.sv", "assign nan_o = &code_i[ExponentBits+FractionBits-1:0];",
     "assign nan_o = top_field;", E4M3),
    ("Inf is a number",
     "mx_element.sv", "assign infinite_o = top_field && fraction_is_zero;",
     "assign infinite_o = 1'b0;", E5M2),
    ("a NaN with some fractions is Inf",
     "mx_element.sv", "assign fraction_is_zero = code_i[FractionBits-1:0] == '0;",
     "assign fraction_is_zero = !code_i[FractionBits-1];", E5M2),
    ("the NaN of a scale is a number",
     "mx_element.sv", "assign nan_o = top_field;", "assign nan_o = 1'b0;", MXF4),
    ("a product has the sign of A",
     "mx_product.sv", "negative_a ^ negative_b", "negative_a", MXF4),
    ("a product has the binade of A",
     "mx_product.sv", "BinadeBits'(binade_a) + BinadeBits'(binade_b)", "BinadeBits'(binade_a)",
     MXF4),
    ("0 * Inf is Inf",
     "mx_product.sv", " || ((infinite_a || infinite_b) && zero)", "", PRODUCTS),
]

GROUPS = [
    ("nibbles of B are swapped",
     "mx_group.sv", ".b_i(b_i[i*WidthB +: WidthB])", ".b_i(b_i[(i^1)*WidthB +: WidthB])", MXF4,
     "few"),
    ("products are shifted by one place too many",
     "mx_group.sv", "SumBits'(significand) << binade;", "SumBits'(significand) << (binade + 1);",
     MXF4),
    ("a sum of zeros is -0 whatever their signs",
     "mx_group.sv", "&(zero & negative)", "&zero", EXACT),
    ("a sum of -0s is -0 where every zero is +0",
     "mx_step.sv", "ZeroResult == mx_pkg::ZeroResultOfTerms &&", "", MXF4),
    ("a group is zero where one of its products is",
     "mx_group.sv", "assign all_zero_o = &zero;", "assign all_zero_o = |zero;", MXF4),
    ("Inf has no sign",
     "mx_group.sv", "assign negative_o = negative[0];", "assign negative_o = 1'b0;", E5M2),
    ("the bias of the scales is taken off once",
     "mx_scale.sv", "2 * mx_pkg::emin(Format)", "mx_pkg::emin(Format)", MXF4),
    ("the scale of A counts twice, that of B not at all",
     "mx_scale.sv", ".a_i(a_i), .b_i(b_i), .neg", ".a_i(a_i), .b_i(a_i), .neg", MXF4),
    ("a term is added twice, its neighbour not at all",
     "mx_sum.sv", "nodes[(2*i+2)*Width", "nodes[(2*i+1)*Width", MXF4),
    ("a carry is lost in the middle of a sum",
     "mx_sum.sv", "nodes[(2*i+1)*Width +: Width] + nodes[(2*i+2)*Width +: Width];",
     "{nodes[(2*i+1)*Width+Width/2 +: Width-Width/2] + "
     "nodes[(2*i+2)*Width+Width/2 +: Width-Width/2], "
     "nodes[(2*i+1)*Width +: Width/2] + nodes[(2*i+2)*Width +: Width/2]};", MXF4),
]

ALIGNMENT = [
    ("the smaller exponent is the largest",
     "mx_largest.sv", "x > y ? x : y", "x > y ? y : x", MXF4),
    ("exponents are compared without their signs",
     "mx_largest.sv", "x > y ?", "$unsigned(x) > $unsigned(y) ?", MXF4),
    ("C has no say in the largest exponent",
     "mx_step.sv", "significand_c == '0 ? ExponentWidth'(ExponentOfZero) :",
     "1'b1 ? ExponentWidth'(ExponentOfZero) :", MXF4),
    ("zeros have no say in the largest exponent",
     "mx_step.sv", "Alignment == mx_pkg::AlignWindow ? ZeroExponent :", "0 != 0 ? ZeroExponent :",
     MXF4),
    ("products that cancel are read as zeros",
     "mx_step.sv", "(Alignment == mx_pkg::AlignWindow ? all_zero : sum == '0);", "sum == '0;",
     MXF4),
    ("a zero under a zero scale keeps the scale's exponent",
     "mx_step.sv", "assign is_zero = scale_is_zero ||", "assign is_zero =", NVF4),
    ("terms are shifted by one place too many",
     "mx_align.sv", ">> distance_i;", ">> (distance_i + 1);", MXF4),
    ("terms are cut toward minus infinity",
     "mx_align.sv", "assign aligned_o = negative ? -result", "assign aligned_o = negative ? ~result",
     MXF4, "few"),
    ("a distance loses its upper bits",
     "mx_align.sv", "magnitude >> distance_i", "magnitude >> distance_i[5:0]", MXF4),
    ("the sticky bit of a term is dropped",
     "mx_align.sv", "assign sticky = (kept << distance_i) != magnitude;", "assign sticky = 1'b0;",
     TWO_STEPS),
    ("C is ignored",
     "mx_step.sv", "SumBits'(aligned_c);", "'0;", MXF4, "few"),
    ("C is aligned by the first group's distance",
     "mx_step.sv", "distances_q[Groups*ExponentWidth +: ExponentWidth]), .aligned_o(aligned_c)",
     "distances_q[0 +: ExponentWidth]), .aligned_o(aligned_c)", MXF4),
    ("C is one place too low",
     "mx_step.sv", "localparam int RoomC = Window + UnitC;",
     "localparam int RoomC = Window + UnitC - 1;", MXF4),
    ("the sign of C is lost",
     "mx_step.sv", "negative_c ? -{1'b0, significand_c} : {1'b0, significand_c};",
     "{1'b0, significand_c};", MXF4),
    ("groups have twice their size",
     "mx_dot.sv", ".Group(Group)", ".Group(2 * Group)", MXF4),
    ("groups have half their size",
     "mx_dot.sv", ".Group(Group)", ".Group(Group / 2)", MXF4),
    ("every group takes the first scale of A",
     "mx_step.sv", "scale_a_i[i*Group/Block*WidthScale", "scale_a_i[0*Group/Block*WidthScale", MXF4),
    ("the fraction of a scale is not multiplied",
     "mx_step.sv", "TermBits'(sum) * TermBits'($signed({1'b0, scale_significand}));",
     "TermBits'(sum);", NVF4),
    ("the register of the whole range is one place too low",
     "mx_step.sv", "assign largest = ExponentWidth'(Largest);",
     "assign largest = ExponentWidth'(Largest - 1);", EXACT),
]

ROUNDING = [
    ("bits below a half are dropped",
     "mx_round.sv", "|normalized[Padded-Kept:0]", "1'b0", TWO_STEPS),
    ("ties go away from zero",
     "mx_round.sv", "kept[1] && (kept[0] || kept[2])", "kept[1]", TWO_STEPS),
    ("a half is rounded up where it shall be cut",
     "mx_round.sv", "assign increment = 1'b0;", "assign increment = kept[1];", MXF4),
    ("a carry out of the fraction is lost",
     "mx_round.sv", "(ExponentWidth+FractionBits)'(kept[Kept-1:2]) +\n"
     "      (ExponentWidth+FractionBits)'(increment);",
     "{ExponentWidth'(kept[Kept-1]), FractionBits'(kept[Kept-2:2]) + FractionBits'(increment)};",
     TWO_STEPS),
    ("subnormals are one place off",
     "mx_round.sv", "ExponentWidth'(1 - Bias) - exponent", "ExponentWidth'(0 - Bias) - exponent",
     MXF4),
    ("a subnormal drops what is shifted out of it",
     "mx_round.sv", "shifted[0] = shifted[0] | (below != '0);", "shifted[0] = shifted[0];", EXACT),
    ("the largest numbers become Inf",
     "mx_round.sv", "(1 << ExponentBits) - 1)", "(1 << ExponentBits) - 2)", MXF4),
    ("an overflow is clamped to the largest number",
     "mx_round.sv", "overflow ? {negative, mx_pkg::Binary32Infinity}",
     "overflow ? {negative, mx_pkg::Binary32Infinity - 1'b1}", MXF4),
    ("a sum of zero is +0 whatever its terms",
     "mx_round.sv", "{zero_is_negative_i, ResultBits'(0)}", "{negative, ResultBits'(0)}", EXACT),
    ("a negative sum that rounds to zero keeps its sign where every zero is +0",
     "mx_round.sv", "ZeroResult == mx_pkg::ZeroResultOfTerms || rounded", "1'b1 || rounded", MXF4),
    ("a negative sum that rounds to zero loses its sign",
     "mx_round.sv", "ZeroResult == mx_pkg::ZeroResultOfTerms || rounded", "rounded", EXACT),
    ("the leading one is found to two places",
     "mx_round.sv", "for (int level = Levels - 1; level >= 0;",
     "for (int level = Levels - 1; level >= 1;", MXF4),
]

SPECIAL = [
    ("Inf - Inf is Inf",
     "mx_step.sv", "any_nan || (any_positive_infinite && any_negative_infinite)", "any_nan", E5M2),
    ("an Inf of C does not count",
     "mx_step.sv", "|positive_infinite || (infinite_c && !negative_c);", "|positive_infinite;",
     MXF4),
    ("a NaN of C does not count",
     "mx_step.sv", "assign any_nan = |nan || nan_c;", "assign any_nan = |nan;", MXF4),
    ("a NaN of a scale does not count",
     "mx_step.sv", "nan_group || nan_scale ||", "nan_group ||", MXF4),
    ("a NaN of a group does not count",
     "mx_step.sv", "nan_group || nan_scale ||", "nan_scale ||", E4M3),
    ("Inf goes before NaN",
     "mx_step.sv", "sum_flags[3] ? NanCode :", "sum_flags[3] && !sum_flags[2] ? NanCode :", E5M2),
    ("NaN has another code",
     "mx_step.sv", "sum_flags[3] ? NanCode :", "sum_flags[3] ? {NanCode[31:1], 1'b0} :", MXF4),
]

PIPELINE = [
    ("operands of the second step do not travel with the sum",
     "mx_dot.sv", "= rest[i*RestBits +: OperandBits];", "= rest[0 +: OperandBits];", TWO_STEPS),
    ("the second step begins with C again",
     "mx_dot.sv", ".c_i(sums[i*32 +: 32])", ".c_i(sums[0 +: 32])", TWO_STEPS),
    ("the accumulator is not cleared",
     "mx_dot.sv", "assign sums[31:0] = c_i;", "assign sums[31:0] = valid_o ? d_o : c_i;", MXF4),
    ("a word is lost where the stage behind is full",
     "mx_register.sv", "assign ready_o = !valid_q || ready_i;", "assign ready_o = 1'b1;", MXF4,
     "few"),
    ("a word changes while it waits",
     "mx_register.sv", "if (valid_i && ready_o) data_q <= data_i;",
     "if (valid_i) data_q <= data_i;", MXF4),
    ("a word is given twice",
     "mx_register.sv", "valid_q <= valid_i;", "valid_q <= valid_i || valid_q;", MXF4),
    ("a stage takes a word only while it is empty",
     "mx_register.sv", "assign ready_o = !valid_q || ready_i;", "assign ready_o = !valid_q;", MXF4),
    ("a reset leaves words under way",
     "mx_register.sv", "valid_q <= 1'b0;", "valid_q <= valid_q;", MXF4),
]

MUTANTS = ELEMENTS + GROUPS + ALIGNMENT + ROUNDING + SPECIAL + PIPELINE
