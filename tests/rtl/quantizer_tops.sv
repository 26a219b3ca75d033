// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_tops.sv: the quantizer and its parts with parameters that no model has.
/* verilator lint_off DECLFILENAME */

module mx_element_bfloat16_e8m0 (
  input  logic [15:0] x_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic [7:0] scale_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [7:0] random_i,
  output logic [3:0] code_o,
  output logic dead_o
);
  mx_element_round #(
    .FormatIn(mx_pkg::Bfloat16), .FormatScale(mx_pkg::E8m0), .RandomBits(8)
  ) u_element (
    .x_i(x_i), .factor_i(factor_i), .scale_i(scale_i), .rounding_i(rounding_i),
    .random_i(random_i), .code_o(code_o), .dead_o(dead_o)
  );
endmodule

module mx_element_bfloat16_e8m3 (
  input  logic [15:0] x_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic [10:0] scale_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [7:0] random_i,
  output logic [3:0] code_o,
  output logic dead_o
);
  mx_element_round #(
    .FormatIn(mx_pkg::Bfloat16), .FormatScale(mx_pkg::E8m3), .RandomBits(8)
  ) u_element (
    .x_i(x_i), .factor_i(factor_i), .scale_i(scale_i), .rounding_i(rounding_i),
    .random_i(random_i), .code_o(code_o), .dead_o(dead_o)
  );
endmodule

module mx_amax_binary32 (
  input  logic [1023:0] x_i,
  output logic [30:0] amax_o,
  output logic special_o
);
  mx_amax #(.Format(mx_pkg::Binary32)) u_amax (.x_i(x_i), .amax_o(amax_o), .special_o(special_o));
endmodule

module mx_macro_factor_bfloat16 (
  input  logic [14:0] amax_i,
  output logic [mx_pkg::MacroBits-1:0] factor_o
);
  mx_macro_factor #(.Format(mx_pkg::Bfloat16)) u_factor (.amax_i(amax_i), .factor_o(factor_o));
endmodule

module mx_macro_factor_binary32 (
  input  logic [30:0] amax_i,
  output logic [mx_pkg::MacroBits-1:0] factor_o
);
  mx_macro_factor #(.Format(mx_pkg::Binary32)) u_factor (.amax_i(amax_i), .factor_o(factor_o));
endmodule

module mx_quantizer_bfloat16_e8m0_random1 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [511:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [31:0] random_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] codes_o,
  output logic [7:0] scale_o,
  output logic special_o,
  output logic [31:0] kept_o
);
  mx_quantizer #(.FormatIn(mx_pkg::Bfloat16), .RandomBits(1)) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule

module mx_quantizer_binary32_e8m3_random24 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [1023:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [767:0] random_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] codes_o,
  output logic [10:0] scale_o,
  output logic special_o,
  output logic [31:0] kept_o
);
  mx_quantizer #(
    .FormatIn(mx_pkg::Binary32), .FormatScale(mx_pkg::E8m3), .RandomBits(24)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule

module mx_quantizer_bfloat16_e8m3_random24 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [511:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [767:0] random_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] codes_o,
  output logic [10:0] scale_o,
  output logic special_o,
  output logic [31:0] kept_o
);
  mx_quantizer #(
    .FormatIn(mx_pkg::Bfloat16), .FormatScale(mx_pkg::E8m3), .RandomBits(24)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule
