// SPDX-License-Identifier: Apache-2.0
// mx_sum_property.sv: the tree of mx_sum equals the sum from the first term to the last.
module mx_sum_property #(
  parameter int Terms = 16,
  parameter int Width = 13
) (
  input logic [Terms*Width-1:0] terms_i
);
  logic [Width-1:0] sum;
  mx_sum #(.Terms(Terms), .Width(Width)) u_sum (.terms_i(terms_i), .sum_o(sum));

  logic [Width-1:0] chained;
  always_comb begin
    chained = '0;
    for (int i = 0; i < Terms; i++) chained = chained + terms_i[i*Width +: Width];
    assert (sum == chained);
  end
endmodule
