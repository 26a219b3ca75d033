// SPDX-License-Identifier: Apache-2.0
// tagged_dot.sv: mx_dot without arithmetic, for proofs about the origin of its words: four
// registers in a chain, as in a step (mx_dot_property.sv proves that it has them), and a result
// that holds the lowest bits of its operands.
module mx_dot #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  parameter int Block = 32,
  parameter int K = 64,
  parameter int Step = 64,
  parameter int Group = 16,
  parameter int Alignment = mx_pkg::AlignWindow,
  parameter int FractionBits = mx_pkg::Mxf4FractionBits,
  parameter int ZeroExponent = mx_pkg::Mxf4ZeroExponent,
  parameter int Rounding = mx_pkg::RoundTowardZero,
  parameter int ZeroResult = mx_pkg::ZeroResultPlus,
  parameter logic [31:0] NanCode = mx_pkg::CanonicalNan
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [K*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [K*mx_pkg::width(FormatB)-1:0] b_i,
  input  logic [K/Block*mx_pkg::width(FormatScale)-1:0] scale_a_i,
  input  logic [K/Block*mx_pkg::width(FormatScale)-1:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  localparam int Stages = 4;
  logic [Stages:0] valid, ready;
  logic [(Stages+1)*32-1:0] tags;

  assign valid[0] = valid_i;
  assign ready_o = ready[0];
  assign tags[31:0] = {a_i[4:0], b_i[4:0], scale_a_i[4:0], scale_b_i[4:0], c_i[11:0]};
  for (genvar i = 0; i < Stages; i++) begin : gen_stage
    mx_register #(.Width(32)) u_register (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid[i]), .ready_o(ready[i]),
      .data_i(tags[i*32 +: 32]), .valid_o(valid[i+1]), .ready_i(ready[i+1]),
      .data_o(tags[(i+1)*32 +: 32])
    );
  end
  assign valid_o = valid[Stages];
  assign ready[Stages] = ready_i;
  assign d_o = tags[Stages*32 +: 32];
endmodule
