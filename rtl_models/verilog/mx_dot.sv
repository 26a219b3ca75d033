// SPDX-License-Identifier: Apache-2.0
// mx_dot.sv: d = c + sum over k of a[k] * b[k] with block scales: steps in a chain, each rounded to
// FP32, with ready and valid, one dot product a cycle.
/// Equals mx::dot (emulator/include/mx/dot/dot.h) under the model of its parameters, by default
/// blackwell.mxf4; checked by tests/rtl.
module mx_dot #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  /// Elements that share a scale.
  parameter int Block = 32,
  parameter int K = 64,
  /// Products that are rounded together, and how many of them are one term (see mx_group).
  parameter int Step = 64,
  parameter int Group = 16,
  /// See mx_step.
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
  /// Code k is bits k * width and up.
  input  logic [K*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [K*mx_pkg::width(FormatB)-1:0] b_i,
  /// Scale i is that of elements i * Block and up.
  input  logic [K/Block*mx_pkg::width(FormatScale)-1:0] scale_a_i,
  input  logic [K/Block*mx_pkg::width(FormatScale)-1:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  // Before Verilator divides by zero.
  if (K < 1 || Step < 1 || Block < 1 || Group < 1) begin : gen_refused_count
    mx_refused_K_Step_Block_and_Group_must_be_at_least_1 u_refused ();
  end
  localparam int Steps = K / Step;
  localparam int ABits = Step * mx_pkg::width(FormatA);
  localparam int BBits = Step * mx_pkg::width(FormatB);
  localparam int SBits = Step / Block * mx_pkg::width(FormatScale);
  localparam int OperandBits = ABits + BBits + 2 * SBits;
  localparam int RestBits = Steps > 1 ? (Steps - 1) * OperandBits : 1;

  // Operands of the following steps, the next one's lowest; they travel with the sum.
  logic [(Steps+1)*RestBits-1:0] rest;
  logic [(Steps+1)*32-1:0] sums;
  logic [Steps:0] valid, ready;

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    logic [ABits-1:0] a;
    logic [BBits-1:0] b;
    logic [SBits-1:0] scale_a, scale_b;
    logic [RestBits-1:0] carry;

    if (i == 0) begin : gen_first
      assign {a, b} = {a_i[ABits-1:0], b_i[BBits-1:0]};
      assign {scale_a, scale_b} = {scale_a_i[SBits-1:0], scale_b_i[SBits-1:0]};
      assign carry = rest[RestBits-1:0];
    end else begin : gen_next
      assign {a, b, scale_a, scale_b} = rest[i*RestBits +: OperandBits];
      assign carry = rest[i*RestBits +: RestBits] >> OperandBits;
    end

    mx_step #(
      .FormatA(FormatA), .FormatB(FormatB), .FormatScale(FormatScale), .Block(Block),
      .Products(Step), .Group(Group), .Alignment(Alignment), .FractionBits(FractionBits),
      .ZeroExponent(ZeroExponent), .Rounding(Rounding), .ZeroResult(ZeroResult), .NanCode(NanCode),
      .CarryWidth(RestBits)
    ) u_step (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid[i]), .ready_o(ready[i]),
      .a_i(a), .b_i(b), .scale_a_i(scale_a), .scale_b_i(scale_b), .c_i(sums[i*32 +: 32]),
      .carry_i(carry), .valid_o(valid[i+1]), .ready_i(ready[i+1]), .d_o(sums[(i+1)*32 +: 32]),
      .carry_o(rest[(i+1)*RestBits +: RestBits])
    );
  end
  for (genvar i = 1; i < Steps; i++) begin : gen_rest
    assign rest[(i-1)*OperandBits +: OperandBits] = {
        a_i[i*ABits +: ABits], b_i[i*BBits +: BBits],
        scale_a_i[i*SBits +: SBits], scale_b_i[i*SBits +: SBits]};
  end
  if (Steps == 1) begin : gen_no_rest
    assign rest[0] = 1'b0;
  end

  assign sums[31:0] = c_i;
  assign valid[0] = valid_i;
  assign ready_o = ready[0];
  assign valid_o = valid[Steps];
  assign ready[Steps] = ready_i;
  assign d_o = sums[Steps*32 +: 32];

  // Parameters that make no sense end the elaboration: no module has these names.
  if (K % Step != 0) begin : gen_refused_step
    mx_refused_Step_must_divide_K u_refused ();
  end

`ifndef SYNTHESIS
  mx_x_check #(.Port("mx_dot.rst_ni")) u_x_rst (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(rst_ni)
  );
  mx_x_check #(.Port("mx_dot.valid_i")) u_x_valid (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(valid_i)
  );
  mx_x_check #(.Port("mx_dot.ready_i")) u_x_ready (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(ready_i)
  );
  mx_x_check #(.Port("mx_dot.a_i")) u_x_a (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^a_i)
  );
  mx_x_check #(.Port("mx_dot.b_i")) u_x_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^b_i)
  );
  mx_x_check #(.Port("mx_dot.scale_a_i")) u_x_scale_a (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^scale_a_i)
  );
  mx_x_check #(.Port("mx_dot.scale_b_i")) u_x_scale_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^scale_b_i)
  );
  mx_x_check #(.Port("mx_dot.c_i")) u_x_c (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(valid_i), .parity_i(^c_i)
  );
`endif
endmodule
