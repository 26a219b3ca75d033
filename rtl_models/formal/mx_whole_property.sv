// SPDX-License-Identifier: Apache-2.0
// mx_whole_property.sv: a whole dot product of one group of MXFP4 and C, from the sum of the group,
// the scales and C to the code: the unit lies FractionBits below the largest exponent, each term is
// cut toward zero to a multiple of it, and D is the FP32 number next to their sum toward zero, +0
// where that is zero.
// mx_register is transparent, mx_group outputs any sum (transparent_register.sv, any_group.sv).
// Stated with quotients and literals of IEEE 754, deliberately not taken from mx_pkg.
module mx_whole_property #(
  parameter int Products = 16,
  parameter int FractionBits = 35
) (
  input logic clk_i,
  input logic [4*Products-1:0] a_i,
  input logic [4*Products-1:0] b_i,
  input logic [7:0] scale_a_i,
  input logic [7:0] scale_b_i,
  input logic [31:0] c_i
);
  logic ready, valid;
  logic [31:0] d;
  mx_dot #(
    .K(Products), .Step(Products), .Group(Products), .Block(Products), .FractionBits(FractionBits)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(1'b1), .valid_i(1'b1), .ready_o(ready), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid), .ready_i(1'b1),
    .d_o(d)
  );

  // Driven by the runner: the group's sum in quarters, and whether all of its products are zero.
  localparam int SumBits = $clog2(144 * Products + 1) + 1;
  (* keep *) logic signed [SumBits-1:0] quarters;
  (* keep *) logic zeros;

  localparam int Wide = FractionBits + SumBits + 3;
  logic signed [11:0] exponent_g, exponent_c, largest, unit, binade, quantum;
  logic signed [11:0] down_g, down_c, places;
  logic [Wide-1:0] size_g, size_c, cut_g, cut_c, magnitude, quotient;
  logic signed [Wide-1:0] sum;
  logic [31:0] expected;
  // Distance of the group's exponent above C's, from all of one being cut to all of the other: the
  // runner checks each value separately.
  localparam int Lowest = 0 - (FractionBits + SumBits - 3), Highest = FractionBits + 1;
  logic signed [11:0] above;
  (* keep *) logic [31:0] distance;
  always_comb begin
    exponent_g = zeros ? -139 : 12'(scale_a_i) + 12'(scale_b_i) - 254;
    exponent_c = c_i[30:0] == 0 ? -139 : c_i[30:23] == 0 ? -126 : 12'(c_i[30:23]) - 127;
    largest = exponent_g > exponent_c ? exponent_g : exponent_c;
    unit = largest - FractionBits;
    // The group's sum is in quarters of 2^exponent_g, C in 2^(exponent_c - 23).
    size_g = Wide'($unsigned(quarters < 0 ? -quarters : quarters));
    size_c = Wide'({c_i[30:23] != 0, c_i[22:0]});
    down_g = unit - (exponent_g - 2);
    down_c = unit - (exponent_c - 23);
    cut_g = down_g > 0 ? size_g >> down_g : size_g << (-down_g);
    cut_c = down_c > 0 ? size_c >> down_c : size_c << (-down_c);
    sum = (quarters < 0 ? -cut_g : cut_g) + (c_i[31] ? -cut_c : cut_c);
    magnitude = sum < 0 ? -sum : sum;
    binade = unit;
    for (int i = 0; i < Wide; i++) if (magnitude[i]) binade = unit + i;
    quantum = (binade < -126 ? -126 : binade) - 23;
    places = quantum - unit;
    quotient = places > 0 ? magnitude >> places : magnitude << (-places);
    expected = 32'(quotient) + {quantum[8:0] + 9'd149, 23'd0};
    if (quantum > 127 - 23) expected = 32'h7F80_0000;
    expected[31] = sum < 0 && expected[30:0] != '0;
    if (sum == 0) expected = '0;
    above = exponent_g - exponent_c;
    distance = 32'((above < Lowest ? Lowest : above > Highest ? Highest : above) - Lowest);

    if (scale_a_i != 8'hFF && scale_b_i != 8'hFF && c_i[30:23] != 8'hFF) begin
      assert (d == expected);
    end
  end
endmodule
