// SPDX-License-Identifier: Apache-2.0
// any_group.sv: mx_group with an unconstrained sum in the range of E2M1 products, for proofs that
// hold for any sum. mx_group_property.sv proves the real one.
module mx_group #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  parameter int Group = 16
) (
  input  logic [Group*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [Group*mx_pkg::width(FormatB)-1:0] b_i,
  output logic signed [mx_pkg::group_bits(FormatA, FormatB, Group)-1:0] sum_o,
  output logic [mx_pkg::binade_bits(FormatA, FormatB)-1:0] binade_o,
  output logic all_zero_o,
  output logic all_negative_zero_o,
  output logic nan_o,
  output logic infinite_o,
  output logic negative_o
);
  localparam int SumBits = mx_pkg::group_bits(FormatA, FormatB, Group);
  localparam int Largest = 144 * Group;  // 6 * 6 in quarters
  (* anyconst *) logic signed [SumBits-1:0] any;
  (* anyconst *) logic any_zeros, any_negative;
  always_comb assume (any >= -Largest && any <= Largest && (!any_zeros || any == 0));
  assign sum_o = any;
  assign all_zero_o = any_zeros;
  assign all_negative_zero_o = any_zeros && any_negative;
  assign {binade_o, nan_o, infinite_o, negative_o} = '0;
endmodule
