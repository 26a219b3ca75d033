# SPDX-License-Identifier: Apache-2.0
"""properties.py: the properties, their modules, and the faults that each proof must refute."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """A text of a file of rtl_models/verilog, and its replacement."""
    name: str
    file: str
    there: str
    instead: str


@dataclass(frozen=True)
class Property:
    name: str
    top: str
    faults: tuple
    parameters: dict = field(default_factory=dict)
    defines: dict = field(default_factory=dict)
    stand_ins: tuple = ()  # files that stand for modules
    beside: tuple = ()  # files of modules that the top consists of
    connections: dict = field(default_factory=dict)  # wires of the top, and what drives them
    inductive: bool = False  # with the previous state, instead of in every state
    cases: tuple = ()  # a wire of 32 bits of the top and how many values it has, one at a time
    solvers: tuple = ("z3", "cvc5")
    nightly: bool = False


DROPPED, STICKY = "mx_pkg::LostDropped", "mx_pkg::LostSticky"

ALIGN_FAULTS = (
    Fault("shift off by one", "mx_align.sv", ">> distance_i;", ">> (distance_i + 1);"),
    Fault("cut toward minus infinity", "mx_align.sv", "assign aligned_o = negative ? -result",
          "assign aligned_o = negative ? ~result"),
    Fault("distance loses its upper bits", "mx_align.sv", "magnitude >> distance_i",
          "magnitude >> distance_i[5:0]"),
)
STICKY_FAULT = Fault("dropped sticky", "mx_align.sv",
                     "assign sticky = (kept << distance_i) != magnitude;", "assign sticky = 1'b0;")
ROUND_FAULTS = (
    Fault("dropped sticky", "mx_round.sv", "|normalized[Padded-Kept:0]", "1'b0"),
    Fault("ties away from zero", "mx_round.sv", "kept[1] && (kept[0] || kept[2])", "kept[1]"),
    Fault("subnormals one place off", "mx_round.sv", "ExponentWidth'(1 - Bias) - exponent",
          "ExponentWidth'(0 - Bias) - exponent"),
    Fault("largest number becomes Inf", "mx_round.sv", "(1 << ExponentBits) - 1)",
          "(1 << ExponentBits) - 2)"),
    Fault("sign of zero", "mx_round.sv", "{zero_is_negative_i, ResultBits'(0)}",
          "{negative, ResultBits'(0)}"),
)
KEPT_SIGN_FAULT = Fault("a sum that rounds to zero keeps its sign", "mx_round.sv",
                        "(ZeroResult == mx_pkg::ZeroResultOfTerms || rounded[ResultBits-1:0] != '0)",
                        "1'b1")
LOST_SIGN_FAULT = Fault("a sum that rounds to zero loses its sign", "mx_round.sv",
                        "ZeroResult == mx_pkg::ZeroResultOfTerms || rounded", "rounded")
CUT_FAULTS = (
    Fault("rounds a half up", "mx_round.sv", "assign increment = 1'b0;",
          "assign increment = kept[1];"),
    *ROUND_FAULTS[2:], LOST_SIGN_FAULT,
)
PLUS_FAULTS = (
    KEPT_SIGN_FAULT,
    Fault("a subnormal has no sign", "mx_round.sv", "rounded[ResultBits-1:0] != '0",
          "rounded[ResultBits-1:FractionBits] != '0"),
)
SPECIAL_FAULTS = (
    Fault("Inf - Inf is Inf", "mx_step.sv",
          "any_nan || (any_positive_infinite && any_negative_infinite)", "any_nan"),
    Fault("missing NaN of a scale", "mx_step.sv", "nan_group || nan_scale ||", "nan_group ||"),
    Fault("0 * Inf is Inf", "mx_product.sv", " || ((infinite_a || infinite_b) && zero)", ""),
    Fault("Inf under a zero scale", "mx_step.sv", " || (infinite && scale_is_zero);", ";"),
    Fault("Inf before NaN", "mx_step.sv",
          "sum_flags[3] ? NanCode :", "sum_flags[3] && !sum_flags[2] ? NanCode :"),
    Fault("-0 although C is not zero", "mx_step.sv", "significand_c == '0 && negative_c;",
          "negative_c;"),
)
GROUPED_SPECIAL_FAULTS = (SPECIAL_FAULTS[1], SPECIAL_FAULTS[5])
PLUS_SPECIAL_FAULTS = (
    Fault("a sum of -0s is -0", "mx_step.sv", "ZeroResult == mx_pkg::ZeroResultOfTerms &&", ""),
)
REGISTER_FAULTS = (
    Fault("lost beat under back-pressure", "mx_register.sv", "!valid_q || ready_i;", "1'b1;"),
    Fault("payload changes while it waits", "mx_register.sv", "if (valid_i && ready_o)",
          "if (valid_i)"),
    Fault("given twice", "mx_register.sv", "valid_q <= valid_i;", "valid_q <= valid_i || valid_q;"),
    Fault("takes a word every other cycle", "mx_register.sv", "!valid_q || ready_i;", "!valid_q;"),
)
PIPELINE_FAULTS = (
    *REGISTER_FAULTS,
    Fault("a stage hears the reader, not the next stage", "mx_step.sv",
          ".ready_i(distances_ready)", ".ready_i(ready_i)"),
)
QUANTIZER_FAULTS = (
    *REGISTER_FAULTS,
    Fault("a stage hears the reader, not the next stage", "mx_quantizer.sv",
          ".ready_i(scale_ready)", ".ready_i(ready_i)"),
    Fault("valid a stage early", "mx_quantizer.sv", ".valid_i(scale_valid)",
          ".valid_i(amax_valid)"),
)
CORE_FAULTS = (
    Fault("column of B goes on with a row", "mx_tensor_core.sv",
          "issue && last_phase && last_beat", "issue && last_phase"),
    Fault("row of A leaves with its first column", "mx_tensor_core.sv",
          ".valid_o(a_valid), .ready_i(issue && last_phase)", ".valid_o(a_valid), .ready_i(issue)"),
    Fault("counts without B", "mx_tensor_core.sv", "a_valid && b_valid && lane_ready[0]",
          "a_valid && lane_ready[0]"),
    Fault("counts while the lanes wait", "mx_tensor_core.sv",
          "a_valid && b_valid && lane_ready[0]", "a_valid && b_valid"),
    Fault("lanes start without B", "mx_tensor_core.sv", ".valid_i(a_valid && b_valid)",
          ".valid_i(a_valid)"),
    Fault("C of the first column", "mx_tensor_core.sv", "(c >> (32'(phase_q) * (Columns * 32)))",
          "(c)"),
    Fault("scale of B of the column after", "mx_tensor_core.sv",
          "scale_b >> (32'(phase_q)", "scale_b >> (32'(phase_q + 1'b1)"),
    REGISTER_FAULTS[0],
)
EIGHT_LANES_FAULTS = (
    CORE_FAULTS[0], CORE_FAULTS[2],
    Fault("a lane hears the one before it", "mx_tensor_core.sv", ".c_i(c_columns[lane*32 +: 32])",
          ".c_i(c_columns[(lane == 0 ? 0 : lane - 1)*32 +: 32])"),
)
SIXTEEN_LANES_FAULTS = (
    *EIGHT_LANES_FAULTS,
    Fault("scale of A of the first row", "mx_tensor_core.sv", "scale_a[Row*SBits +: SBits]",
          "scale_a[0 +: SBits]"),
)
WHOLE_FAULTS = (
    Fault("unit off by one", "mx_step.sv", "ExponentWidth'(Window + Lost)",
          "ExponentWidth'(Window + Lost - 1)"),
    Fault("zeros are read at their scales", "mx_step.sv",
          "is_zero ? ExponentWidth'(ExponentOfZero) : exponent;", "exponent;"),
    Fault("bias of one scale", "mx_scale.sv", "2 * mx_pkg::emin(Format)", "mx_pkg::emin(Format)"),
    Fault("sign of C", "mx_step.sv", "negative_c ? -{1'b0, significand_c} : {1'b0, significand_c}",
          "{1'b0, significand_c}"),
    Fault("C has no hidden bit", "mx_element.sv", "!HasSubnormals || field != '0",
          "!HasSubnormals"),
    Fault("distance loses its upper bits", "mx_align.sv", "magnitude >> distance_i",
          "magnitude >> distance_i[5:0]"),
    KEPT_SIGN_FAULT,
)
WHOLE_GROUP = r"\u_dot.gen_step[0].u_step.gen_group[0].u_group"
WHOLE_WIRES = {"quarters": f"{WHOLE_GROUP}.sum_o", "zeros": f"{WHOLE_GROUP}.all_zero_o"}
SPECIAL_WIRES = {"rounded": r"\u_step.u_round.code_o",
                 "zero_is_negative": r"\u_step.u_round.zero_is_negative_i"}


def held_by(steps):
    """Wire held of mx_dot_property: the registers of each step, the first one lowest."""
    names = ("u_operands", "u_distances", "u_sums", "u_result")
    return {f"held[{4 * step + i}]": rf"\u_dot.u_dot.gen_step[{step}].u_step.{name}.valid_q"
            for step in range(steps) for i, name in enumerate(names)}


def held_by_core(lanes):
    """Wires of mx_tensor_core_property: the registers of the core and of each lane's stages."""
    core = {"a_held": "a_valid", "b_held": "b_valid", "phase": "phase_q", "beat": "beat_q",
            "held_a": "a", "held_scale_a": "scale_a", "held_c": "c", "held_b": "b",
            "held_scale_b": "scale_b"}
    held = {wire: rf"\u_core.{name}" for wire, name in core.items()}
    for number in range(4 * lanes):
        register = rf"\u_core.gen_lane[{number // 4}].u_dot.gen_stage[{number % 4}].u_register"
        held[f"held[{number}]"] = f"{register}.valid_q"
        held[f"held_tags[{32 * number + 31}:{32 * number}]"] = f"{register}.data_q"
    return held


def align(name, width, room, lost, **rest):
    faults = ALIGN_FAULTS if lost == DROPPED else (*ALIGN_FAULTS, STICKY_FAULT)
    return Property(name, "mx_align_property", faults, solvers=("cvc5",),
                    parameters={"InWidth": width, "Room": room, "Lost": int(lost == STICKY)},
                    **rest)


PROPERTIES = (
    Property("sum of a group", "mx_sum_property", (
        Fault("a term twice", "mx_sum.sv", "nodes[(2*i+2)*Width", "nodes[(2*i+1)*Width"),)),
    Property("sum of 4 groups and C", "mx_sum_property", (
        Fault("a term twice", "mx_sum.sv", "nodes[(2*i+2)*Width", "nodes[(2*i+1)*Width"),),
        parameters={"Terms": 5, "Width": 48}),
    Property("sum of 32 products and C", "mx_sum_property", (
        Fault("a term twice", "mx_sum.sv", "nodes[(2*i+2)*Width", "nodes[(2*i+1)*Width"),),
        parameters={"Terms": 33, "Width": 40}),
    Property("group of 2 products", "mx_group_property", (
        Fault("sign of a product", "mx_product.sv", "negative_a ^ negative_b", "negative_a"),
        Fault("subnormals have a hidden bit", "mx_element.sv", "!HasSubnormals || field != '0",
              "1'b1"),),
        parameters={"Group": 2}, solvers=("cvc5",)),
    Property("largest of 5", "mx_largest_property", (
        Fault("the smaller one", "mx_largest.sv", "x > y ? x : y", "x > y ? y : x"),
        Fault("compared without signs", "mx_largest.sv", "x > y ?",
              "$unsigned(x) > $unsigned(y) ?"),)),
    Property("largest of 33", "mx_largest_property", (
        Fault("compared without signs", "mx_largest.sv", "x > y ?",
              "$unsigned(x) > $unsigned(y) ?"),), parameters={"Terms": 33}, nightly=True,
        solvers=("cvc5",)),
    align("alignment of a group, MXFP4", 13, 33, DROPPED),
    align("alignment of a group, NVFP4", 21, 27, DROPPED),
    align("alignment of C, F = 35", 25, 12, DROPPED),
    align("alignment with a sticky bit", 9, 24, STICKY),
    Property("rounding to nearest, 28 bits", "mx_round_property", ROUND_FAULTS, nightly=True,
             parameters={"Width": 28, "Rounding": 1}, solvers=("cvc5",), cases=("leading", 28)),
    Property("rounding toward zero, 28 bits", "mx_round_property", CUT_FAULTS,
             parameters={"Width": 28}, solvers=("cvc5",), cases=("leading", 28)),
    Property("rounding toward zero, zeros +0, 28 bits", "mx_round_property", PLUS_FAULTS,
             parameters={"Width": 28, "ZeroResult": 1}, solvers=("cvc5",), cases=("leading", 28)),
    Property("rounding to nearest, 48 bits", "mx_round_property", ROUND_FAULTS, nightly=True,
             parameters={"Width": 48, "Rounding": 1}, solvers=("cvc5",), cases=("leading", 48)),
    Property("rounding toward zero, 48 bits", "mx_round_property", CUT_FAULTS, nightly=True,
             parameters={"Width": 48}, solvers=("cvc5",), cases=("leading", 48)),
    Property("special cases, E5M2 under UE4M3", "mx_special_property", SPECIAL_FAULTS,
             stand_ins=("transparent_register.sv", "any_round.sv"), connections=SPECIAL_WIRES,
             solvers=("cvc5",)),
    Property("special cases, E2M1 in groups", "mx_special_property", GROUPED_SPECIAL_FAULTS,
             parameters={"FormatA": "mx_pkg::E2m1", "FormatB": "mx_pkg::E2m1",
                         "FormatScale": "mx_pkg::E8m0", "Block": 32, "Products": 64, "Group": 16},
             stand_ins=("transparent_register.sv", "any_round.sv"), connections=SPECIAL_WIRES,
             solvers=("cvc5",)),
    Property("special cases, E2M1 in groups, zeros +0", "mx_special_property",
             PLUS_SPECIAL_FAULTS,
             parameters={"FormatA": "mx_pkg::E2m1", "FormatB": "mx_pkg::E2m1",
                         "FormatScale": "mx_pkg::E8m0", "Block": 32, "Products": 64, "Group": 16,
                         "ZeroResult": 1},
             stand_ins=("transparent_register.sv", "any_round.sv"), connections=SPECIAL_WIRES,
             solvers=("cvc5",)),
    Property("one register is a queue", "mx_register_property", REGISTER_FAULTS, inductive=True,
             parameters={"Stages": 1}),
    Property("a chain of registers is a queue", "mx_register_property", REGISTER_FAULTS,
             inductive=True),
    Property("a dot product for each word", "mx_dot_property", PIPELINE_FAULTS, inductive=True,
             defines={"MX_DOT": "mx_dot_blackwell_mxf4"}, connections=held_by(1),
             parameters={"Stages": 4}, solvers=("cvc5",), beside=("pipeline_property.sv",)),
    Property("a dot product of two steps for each word", "mx_dot_property", PIPELINE_FAULTS,
             beside=("pipeline_property.sv",), inductive=True,
             defines={"MX_DOT": "mx_dot_fp32_sequential_mxfp4"},
             connections=held_by(2), parameters={"Stages": 8}, solvers=("cvc5",), nightly=True),
    Property("a block for each block", "mx_quantizer_property", QUANTIZER_FAULTS, inductive=True,
             connections={f"held[{i}]": rf"\u_quantizer.{name}.valid_q"
                          for i, name in enumerate(("u_extent", "u_scale", "u_result"))},
             beside=("pipeline_property.sv",), solvers=("cvc5",)),
    *(Property(f"tiles in order, lanes: {lanes}", "mx_tensor_core_property", faults,
               inductive=True, stand_ins=("tagged_dot.sv",), connections=held_by_core(lanes),
               parameters={"Lanes": lanes}, solvers=("cvc5",), nightly=lanes > 1)
      for lanes, faults in ((1, CORE_FAULTS), (8, EIGHT_LANES_FAULTS),
                            (16, SIXTEEN_LANES_FAULTS))),
    *(Property(f"a whole dot product of {products}, F = {bits}", "mx_whole_property", WHOLE_FAULTS,
               stand_ins=("transparent_register.sv", "any_group.sv"), connections=WHOLE_WIRES,
               parameters={"Products": products, "FractionBits": bits}, solvers=("cvc5",),
               cases=("distance", cases), nightly=True)
      for products, bits, cases in ((2, 25, 59), (16, 35, 82))),
)
