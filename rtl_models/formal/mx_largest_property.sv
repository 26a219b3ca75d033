// SPDX-License-Identifier: Apache-2.0
// mx_largest_property.sv: mx_largest outputs one of its terms, and none is larger.
module mx_largest_property #(
  parameter int Terms = 5,
  parameter int Width = mx_pkg::ExponentWidth
) (
  input logic [Terms*Width-1:0] terms_i
);
  logic signed [Width-1:0] largest;
  mx_largest #(.Terms(Terms), .Width(Width)) u_largest (.terms_i(terms_i), .largest_o(largest));

  logic [Terms-1:0] is_it, is_below;
  for (genvar i = 0; i < Terms; i++) begin : gen_term
    assign is_it[i] = terms_i[i*Width +: Width] == largest;
    assign is_below[i] = $signed(terms_i[i*Width +: Width]) <= largest;
  end
  always_comb begin
    assert (|is_it);
    assert (&is_below);
  end
endmodule
