// SPDX-License-Identifier: Apache-2.0
// mx_quantizer.sv: a block of MXFP4: E2M1 codes and a scale, with ready and valid, one block a cycle.
/// Equals mx::quantize_under_factor (emulator/include/mx/block/corrected_quantizer.h), checked by
/// tests/rtl.
///
/// Three stages: amax; the scale; codes.
module mx_quantizer #(
  /// mx_pkg::Binary32 or mx_pkg::Bfloat16.
  parameter logic [mx_pkg::FormatWidth-1:0] FormatIn = mx_pkg::Binary32,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  parameter int Block = mx_pkg::Mxfp4Block,
  /// For stochastic rounding, per element; at least 1.
  parameter int RandomBits = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  /// Element i is bits i * width and up.
  input  logic [Block*mx_pkg::width(FormatIn)-1:0] x_i,
  /// mx_pkg::ScaleFloor and so on.
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  /// See mx_element_round.
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  /// Read in stochastic rounding only.
  input  logic [Block*RandomBits-1:0] random_i,
  /// Elements are multiplied by 1 + factor_i / 2^MacroBits.
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  /// mx_pkg::DeadzoneFlush or mx_pkg::DeadzoneKeep.
  input  logic deadzone_i,
  output logic valid_o,
  input  logic ready_i,
  /// All 0 in a special block.
  output logic [Block*mx_pkg::width(mx_pkg::E2m1)-1:0] codes_o,
  output logic [mx_pkg::width(FormatScale)-1:0] scale_o,
  /// The block contains a NaN or an Inf; the scale is NaN.
  output logic special_o,
  /// Elements that became zero by rounding, if they are to be kept: the operand x itself represents
  /// them.
  output logic [Block-1:0] kept_o
);
  localparam int InWidth = mx_pkg::width(FormatIn);
  localparam int ScaleWidth = mx_pkg::width(FormatScale);
  localparam int CodeWidth = mx_pkg::width(mx_pkg::E2m1);
  localparam int MacroBits = mx_pkg::MacroBits;
  localparam int RuleBits = mx_pkg::RuleBits;

  // Inputs of the element stage, passed from stage to stage.
  localparam int ElementsBits =
      Block * InWidth + Block * RandomBits + MacroBits + mx_pkg::RoundBits + 1;

  // Stage 1: amax.
  logic [InWidth-2:0] amax;
  logic special;
  mx_amax #(.Format(FormatIn), .Count(Block)) u_amax (
    .x_i(x_i), .amax_o(amax), .special_o(special)
  );

  logic amax_valid, amax_ready, amax_special;
  logic [InWidth-2:0] amax_q;
  logic [RuleBits-1:0] amax_rule;
  logic [ElementsBits-1:0] amax_elements;
  mx_register #(.Width(InWidth + RuleBits + ElementsBits)) u_extent (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o),
    .data_i({amax, special, rule_i, x_i, random_i, factor_i, rounding_i, deadzone_i}),
    .valid_o(amax_valid), .ready_i(amax_ready),
    .data_o({amax_q, amax_special, amax_rule, amax_elements})
  );

  // Stage 2: the scale.
  logic [ScaleWidth-1:0] scale;
  mx_shared_scale #(.FormatIn(FormatIn), .FormatScale(FormatScale)) u_shared_scale (
    .amax_i(amax_q), .factor_i(amax_elements[mx_pkg::RoundBits+1 +: MacroBits]),
    .rule_i(amax_rule), .special_i(amax_special), .scale_o(scale)
  );

  logic scale_valid, scale_ready, scale_special, keeps;
  logic [ScaleWidth-1:0] scale_q;
  logic [Block*InWidth-1:0] x;
  logic [Block*RandomBits-1:0] random;
  logic [MacroBits-1:0] factor;
  logic [mx_pkg::RoundBits-1:0] rounding;
  mx_register #(.Width(1 + ScaleWidth + ElementsBits)) u_scale (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(amax_valid), .ready_o(amax_ready),
    .data_i({amax_special, scale, amax_elements}),
    .valid_o(scale_valid), .ready_i(scale_ready),
    .data_o({scale_special, scale_q, x, random, factor, rounding, keeps})
  );

  // Stage 3: codes.
  logic [Block*CodeWidth-1:0] codes;
  logic [Block-1:0] dead, kept;
  for (genvar i = 0; i < Block; i++) begin : gen_element
    mx_element_round #(
      .FormatIn(FormatIn), .FormatScale(FormatScale), .RandomBits(RandomBits)
    ) u_element (
      .x_i(x[i*InWidth +: InWidth]), .factor_i(factor), .scale_i(scale_q), .rounding_i(rounding),
      .random_i(random[i*RandomBits +: RandomBits]), .code_o(codes[i*CodeWidth +: CodeWidth]),
      .dead_o(dead[i])
    );
  end
  assign kept = 32'(keeps) == mx_pkg::DeadzoneKeep ? dead : '0;

  mx_register #(.Width(1 + ScaleWidth + Block * (CodeWidth + 1))) u_result (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(scale_valid), .ready_o(scale_ready),
    .data_i({scale_special, scale_q, codes, kept}), .valid_o(valid_o), .ready_i(ready_i),
    .data_o({special_o, scale_o, codes_o, kept_o})
  );

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Block < 1) begin : gen_refused_block
    mx_refused_Block_must_be_at_least_1 u_refused ();
  end

`ifndef SYNTHESIS
  logic stochastic;
  assign stochastic = 32'(rounding_i) == mx_pkg::RoundStochastic;
  mx_x_check #(.Port("mx_quantizer.rst_ni")) u_x_rst (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(rst_ni)
  );
  mx_x_check #(.Port("mx_quantizer.valid_i")) u_x_valid (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(valid_i)
  );
  mx_x_check #(.Port("mx_quantizer.ready_i")) u_x_ready (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(ready_i)
  );
  mx_x_check #(.Port("mx_quantizer.x_i")) u_x_x (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^x_i)
  );
  mx_x_check #(.Port("mx_quantizer.rule_i")) u_x_rule (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^rule_i)
  );
  mx_x_check #(.Port("mx_quantizer.rounding_i")) u_x_rounding (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^rounding_i)
  );
  mx_x_check #(.Port("mx_quantizer.random_i")) u_x_random (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i && stochastic), .parity_i(^random_i)
  );
  mx_x_check #(.Port("mx_quantizer.factor_i")) u_x_factor (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^factor_i)
  );
  mx_x_check #(.Port("mx_quantizer.deadzone_i")) u_x_deadzone (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(deadzone_i)
  );
`endif
endmodule
