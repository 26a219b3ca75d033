// SPDX-License-Identifier: Apache-2.0
// mx_quantizer_models.sv: mx_quantizer by the formats of its input and of its scale.
// Written by emulator/tools/emit_package.cpp; do not edit.
/* verilator lint_off DECLFILENAME */

module mx_quantizer_bfloat16_e8m0 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [511:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [255:0] random_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] codes_o,
  output logic [7:0] scale_o,
  output logic special_o,
  output logic [31:0] kept_o
);
  mx_quantizer #(
    .FormatIn(mx_pkg::Bfloat16),
    .FormatScale(mx_pkg::E8m0),
    .Block(mx_pkg::Mxfp4Block),
    .RandomBits(8)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule

module mx_quantizer_bfloat16_e8m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [511:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [255:0] random_i,
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
    .FormatIn(mx_pkg::Bfloat16),
    .FormatScale(mx_pkg::E8m3),
    .Block(mx_pkg::Mxfp4Block),
    .RandomBits(8)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule

module mx_quantizer_binary32_e8m0 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [1023:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [255:0] random_i,
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] codes_o,
  output logic [7:0] scale_o,
  output logic special_o,
  output logic [31:0] kept_o
);
  mx_quantizer #(
    .FormatIn(mx_pkg::Binary32),
    .FormatScale(mx_pkg::E8m0),
    .Block(mx_pkg::Mxfp4Block),
    .RandomBits(8)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule

module mx_quantizer_binary32_e8m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [1023:0] x_i,
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [255:0] random_i,
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
    .FormatIn(mx_pkg::Binary32),
    .FormatScale(mx_pkg::E8m3),
    .Block(mx_pkg::Mxfp4Block),
    .RandomBits(8)
  ) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .x_i(x_i),
    .rule_i(rule_i), .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i),
    .deadzone_i(deadzone_i), .valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),
    .scale_o(scale_o), .special_o(special_o), .kept_o(kept_o)
  );
endmodule
