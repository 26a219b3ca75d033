// SPDX-License-Identifier: Apache-2.0
// mx_special_property.sv: which results of mx_step are NaN or Inf, and the sign of a sum of zeros,
// stated on the codes of its operands one after the other.
// mx_register is transparent and mx_round outputs any code (the files transparent_register.sv and
// any_round.sv), so that all of it is one cycle. Codes are spelled out, not taken from mx_pkg.
module mx_special_property #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E5m2,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E5m2,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::Ue4m3,
  parameter int Block = 4,
  parameter int Products = 8,
  parameter int Group = 1,
  parameter int ZeroResult = mx_pkg::ZeroResultOfTerms
) (
  input logic clk_i,
  input logic [Products*mx_pkg::width(FormatA)-1:0] a_i,
  input logic [Products*mx_pkg::width(FormatB)-1:0] b_i,
  input logic [Products/Block*mx_pkg::width(FormatScale)-1:0] scale_a_i,
  input logic [Products/Block*mx_pkg::width(FormatScale)-1:0] scale_b_i,
  input logic [31:0] c_i
);
  localparam int WidthA = mx_pkg::width(FormatA);
  localparam int WidthB = mx_pkg::width(FormatB);
  localparam int WidthScale = mx_pkg::width(FormatScale);
  localparam logic [31:0] NanCode = 32'h7FC0_0001;

  logic [31:0] d;
  logic ready, valid, carry;
  mx_step #(
    .FormatA(FormatA), .FormatB(FormatB), .FormatScale(FormatScale), .Block(Block),
    .Products(Products), .Group(Group), .ZeroResult(ZeroResult), .NanCode(NanCode)
  ) u_step (
    .clk_i(clk_i), .rst_ni(1'b1), .valid_i(1'b1), .ready_o(ready), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .carry_i(1'b0), .valid_o(valid),
    .ready_i(1'b1), .d_o(d), .carry_o(carry)
  );

  // Driven by the runner: the output of mx_round, and its inputs about zeros.
  (* keep *) logic [31:0] rounded;
  (* keep *) logic zero_is_negative;

  function automatic logic is_nan(
    input logic [mx_pkg::FormatWidth-1:0] format, input logic [31:0] code
  );
    is_nan = format == mx_pkg::E5m2 ? code[6:0] > 7'h7C :
             format == mx_pkg::E4m3 || format == mx_pkg::Ue4m3 ? code[6:0] == 7'h7F :
             format == mx_pkg::E8m0 ? code[7:0] == 8'hFF :
             format == mx_pkg::E8m3 ? code[10:3] == 8'hFF :
             format == mx_pkg::Binary32 && code[30:0] > 31'h7F80_0000;
  endfunction
  function automatic logic is_infinite(
    input logic [mx_pkg::FormatWidth-1:0] format, input logic [31:0] code
  );
    is_infinite = format == mx_pkg::E5m2 ? code[6:0] == 7'h7C :
                  format == mx_pkg::Binary32 && code[30:0] == 31'h7F80_0000;
  endfunction
  function automatic logic is_zero(
    input logic [mx_pkg::FormatWidth-1:0] format, input logic [31:0] code
  );
    is_zero = format == mx_pkg::Ue4m3 ? code[6:0] == '0 :
              format == mx_pkg::E2m1 ? code[2:0] == '0 :
              (format == mx_pkg::E5m2 || format == mx_pkg::E4m3) && code[6:0] == '0;
  endfunction

  // A sum so far is finite, +Inf, -Inf or NaN.
  localparam logic [1:0] Finite = 2'd0, Positive = 2'd1, Negative = 2'd2, Nan = 2'd3;
  logic [1:0] sum, term;
  logic only_negative_zeros, negative, scale_is_zero;
  logic [31:0] a, b, scale_a, scale_b;
  always_comb begin
    sum = is_nan(mx_pkg::Binary32, c_i) ? Nan :
          !is_infinite(mx_pkg::Binary32, c_i) ? Finite : c_i[31] ? Negative : Positive;
    only_negative_zeros = c_i == 32'h8000_0000;
    for (int i = 0; i < Products; i++) begin
      a = 32'(a_i[i*WidthA +: WidthA]);
      b = 32'(b_i[i*WidthB +: WidthB]);
      scale_a = 32'(scale_a_i[i/Block*WidthScale +: WidthScale]);
      scale_b = 32'(scale_b_i[i/Block*WidthScale +: WidthScale]);
      scale_is_zero = is_zero(FormatScale, scale_a) || is_zero(FormatScale, scale_b);
      negative = a[WidthA-1] != b[WidthB-1];
      term = Finite;
      if (is_infinite(FormatA, a) || is_infinite(FormatB, b)) begin
        term = is_zero(FormatA, a) || is_zero(FormatB, b) || scale_is_zero ? Nan :
               negative ? Negative : Positive;
      end
      if (is_nan(FormatA, a) || is_nan(FormatB, b) || is_nan(FormatScale, scale_a) ||
          is_nan(FormatScale, scale_b)) begin
        term = Nan;
      end
      if (!negative || !(is_zero(FormatA, a) || is_zero(FormatB, b))) only_negative_zeros = 1'b0;
      sum = sum == Finite ? term : term == Finite || term == sum ? sum : Nan;
    end
    assert (d == (sum == Nan ? NanCode : sum == Positive ? 32'h7F80_0000 :
                  sum == Negative ? 32'hFF80_0000 : rounded));
    if (sum == Finite) begin
      assert (zero_is_negative ==
              (only_negative_zeros && ZeroResult == mx_pkg::ZeroResultOfTerms));
    end
  end
endmodule
