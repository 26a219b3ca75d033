// SPDX-License-Identifier: Apache-2.0
// mx_quantizer_property.sv: a whole quantizer is a pipeline, as pipeline_property.sv defines it.
module mx_quantizer_property (
  input logic clk_i,
  input logic rst_ni,
  input logic valid_i,
  input logic [32*16-1:0] x_i,
  input logic [mx_pkg::RuleBits-1:0] rule_i,
  input logic [mx_pkg::RoundBits-1:0] rounding_i,
  input logic [32*8-1:0] random_i,
  input logic [mx_pkg::MacroBits-1:0] factor_i,
  input logic deadzone_i,
  input logic ready_i
);
  logic ready, valid, special;
  logic [127:0] codes;
  logic [7:0] scale;
  logic [31:0] kept;
  mx_quantizer #(.FormatIn(mx_pkg::Bfloat16)) u_quantizer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready), .x_i(x_i), .rule_i(rule_i),
    .rounding_i(rounding_i), .random_i(random_i), .factor_i(factor_i), .deadzone_i(deadzone_i),
    .valid_o(valid), .ready_i(ready_i), .codes_o(codes), .scale_o(scale), .special_o(special),
    .kept_o(kept)
  );

  (* keep *) logic [2:0] held;  // driven by the runner
  pipeline_property #(.Stages(3), .Width(169)) u_pipeline (
    .clk_i(clk_i), .rst_ni(rst_ni), .in_valid_i(valid_i), .in_ready_i(ready), .out_valid_i(valid),
    .out_ready_i(ready_i), .result_i({special, scale, codes, kept}), .held_i(held)
  );
endmodule
