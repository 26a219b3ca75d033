# SPDX-License-Identifier: Apache-2.0
"""tensor_core_mutants.py: faults of mx_tensor_core, for mutants.py."""

# A lane that walks through the columns; two of them; two rows at once.
ONE = "rtl_tensor_core_1"
TWO = "rtl_tensor_core_2"
ROWS = "rtl_tensor_core_16"

KILLERS = {test: f"^{test.replace('rtl', 'mx')}$" for test in (ONE, TWO, ROWS)}

PLACES = [
    ("every lane takes the first row",
     "mx_tensor_core.sv", "localparam int Row = lane / N;", "localparam int Row = 0;", ROWS),
    ("the second row has the first one's scales",
     "mx_tensor_core.sv", ".scale_a_i(scale_a[Row*SBits +: SBits])",
     ".scale_a_i(scale_a[SBits-1:0])", ROWS),
    ("columns are in the wrong order",
     "mx_tensor_core.sv", "localparam int Column = lane % N;",
     "localparam int Column = N - 1 - lane % N;", ROWS),
    ("lanes take each other's C",
     "mx_tensor_core.sv", ".c_i(c_columns[lane*32 +: 32])",
     ".c_i(c_columns[(lane^1)*32 +: 32])", TWO),
    ("lanes give each other's D",
     "mx_tensor_core.sv", ".d_o(d_o[lane*32 +: 32])", ".d_o(d_o[(lane^1)*32 +: 32])", TWO),
    ("the columns of B stay where they are",
     "mx_tensor_core.sv", "(b >> (32'(phase_q) * (Columns * BBits)))", "(b)", ONE, "few"),
    ("the scales of B stay where they are",
     "mx_tensor_core.sv", "(scale_b >> (32'(phase_q) * (Columns * SBits)))", "(scale_b)", TWO),
    ("the columns of C stay where they are",
     "mx_tensor_core.sv", "(c >> (32'(phase_q) * (Columns * 32)))", "(c)", TWO),
    ("columns move by one, though there are two",
     "mx_tensor_core.sv", "(b >> (32'(phase_q) * (Columns * BBits)))",
     "(b >> (32'(phase_q) * BBits))", TWO),
    ("lanes round to nearest",
     "mx_tensor_core.sv", ".ZeroExponent(ZeroExponent), .Rounding(Rounding),",
     ".ZeroExponent(ZeroExponent), .Rounding(mx_pkg::RoundTiesToEven),", ONE),
]

STREAMS = [
    ("a word of A is lost while B is missing",
     "mx_tensor_core.sv", ".ready_i(issue && last_phase),", ".ready_i(last_phase),", ONE),
    ("a word of A is given away at its first phase",
     "mx_tensor_core.sv", ".ready_i(issue && last_phase),", ".ready_i(issue),", ONE),
    ("B is given away after its first row",
     "mx_tensor_core.sv", ".ready_i(issue && last_phase && last_beat),",
     ".ready_i(issue && last_phase),", ONE),
    ("B is given away while the lanes wait",
     "mx_tensor_core.sv", ".ready_i(issue && last_phase && last_beat),",
     ".ready_i(last_phase && last_beat),", ONE),
    ("lanes begin without B",
     "mx_tensor_core.sv", ".valid_i(a_valid && b_valid), .ready_o(lane_ready",
     ".valid_i(a_valid), .ready_o(lane_ready", ONE),
    ("words are counted while the lanes wait",
     "mx_tensor_core.sv", "assign issue = a_valid && b_valid && lane_ready[0];",
     "assign issue = a_valid && b_valid;", ONE, "few"),
    ("the last word of a row is given twice",
     "mx_tensor_core.sv", "phase_q == CountWidth'(Phases - 1);", "phase_q == CountWidth'(Phases);",
     ONE),
    ("a tile ends a row early",
     "mx_tensor_core.sv", "beat_q == CountWidth'(Beats - 1);", "beat_q == CountWidth'(Beats - 2);",
     ROWS),
    ("rows are counted by words of D",
     "mx_tensor_core.sv", "if (last_phase) beat_q", "beat_q", TWO),
    ("the row of the last tile is not cleared",
     "mx_tensor_core.sv", "beat_q <= last_beat ? '0 : beat_q + 1'b1;", "beat_q <= beat_q + 1'b1;",
     ONE),
    ("only the first lane waits for the reader of D",
     "mx_tensor_core.sv", ".ready_i(d_ready_i),", ".ready_i(d_ready_i || lane > 0),", TWO),
    ("the first lane adds to its last result",
     "mx_tensor_core.sv", ".c_i(c_columns[lane*32 +: 32])",
     ".c_i(lane == 0 && d_valid_o ? d_o[31:0] : c_columns[lane*32 +: 32])", TWO),
    ("a reset leaves the phase",
     "mx_tensor_core.sv", "phase_q <= '0;\n", "phase_q <= phase_q;\n", ONE),
    ("a reset leaves the row",
     "mx_tensor_core.sv", "beat_q <= '0;\n    end", "beat_q <= beat_q;\n    end", ROWS),
    ("a stream is ready without room",
     "mx_register.sv", "assign ready_o = !valid_q || ready_i;", "assign ready_o = 1'b1;", ROWS),
    ("D changes while it waits",
     "mx_register.sv", "if (valid_i && ready_o) data_q <= data_i;",
     "if (valid_i) data_q <= data_i;", TWO),
    ("words under way outlive a reset",
     "mx_register.sv", "valid_q <= 1'b0;", "valid_q <= valid_q;", TWO),
]

MUTANTS = PLACES + STREAMS
