// SPDX-License-Identifier: Apache-2.0
// mx_group_property.sv: mx_group of E2M1 outputs the sum of the products of its values, in
// quarters, and whether all of them are zero or -0.
module mx_group_property #(
  parameter int Group = 16
) (
  input logic [4*Group-1:0] a_i,
  input logic [4*Group-1:0] b_i
);
  localparam int SumBits = mx_pkg::group_bits(mx_pkg::E2m1, mx_pkg::E2m1, Group);
  logic signed [SumBits-1:0] sum;
  logic [mx_pkg::binade_bits(mx_pkg::E2m1, mx_pkg::E2m1)-1:0] binade;
  logic all_zero, all_negative_zero, nan, infinite, negative;
  mx_group #(.FormatA(mx_pkg::E2m1), .FormatB(mx_pkg::E2m1), .Group(Group)) u_group (
    .a_i(a_i), .b_i(b_i), .sum_o(sum), .binade_o(binade), .all_zero_o(all_zero),
    .all_negative_zero_o(all_negative_zero), .nan_o(nan), .infinite_o(infinite),
    .negative_o(negative)
  );

  // 0, 0.5, 1, 1.5, 2, 3, 4 and 6 in halves.
  function automatic logic [31:0] halves(input logic [3:0] code);
    logic [31:0] size;
    begin
      size = code[2:0] == 7 ? 12 : code[2:0] == 6 ? 8 : code[2:0] == 5 ? 6 :
             32'(code[2:0]);
      halves = code[3] ? -size : size;
    end
  endfunction

  logic [31:0] total;
  logic zeros, negative_zeros;
  always_comb begin
    total = '0;
    zeros = 1'b1;
    negative_zeros = 1'b1;
    for (int i = 0; i < Group; i++) begin
      total = total + halves(a_i[4*i +: 4]) * halves(b_i[4*i +: 4]);
      if (a_i[4*i +: 3] != 0 && b_i[4*i +: 3] != 0) zeros = 1'b0;
      if (a_i[4*i+3] == b_i[4*i+3]) negative_zeros = 1'b0;
    end
    assert (32'(sum) == total);
    assert (all_zero == zeros);
    assert (all_negative_zero == (zeros && negative_zeros));
    assert (!nan && !infinite);
  end
endmodule
