// SPDX-License-Identifier: Apache-2.0
// mx_sum.sv: a balanced tree of adders.
module mx_sum #(
  parameter int Terms = 16,
  /// Wide enough for the sum: it cannot overflow.
  parameter int Width = 13
) (
  /// Term i is bits i * Width and up; all of them are signed.
  input  logic [Terms*Width-1:0] terms_i,
  output logic [Width-1:0] sum_o
);
  // A heap: node i is the sum of nodes 2 i + 1 and 2 i + 2, the last ones are the terms.
  function automatic logic [Width-1:0] root_of(input logic [Terms*Width-1:0] leaves);
    logic [(2*Terms-1)*Width-1:0] nodes;
    begin
      nodes = '0;
      nodes[(Terms-1)*Width +: Terms*Width] = leaves;
      for (int i = Terms - 2; i >= 0; i--) begin
        nodes[i*Width +: Width] =
            nodes[(2*i+1)*Width +: Width] + nodes[(2*i+2)*Width +: Width];
      end
      root_of = nodes[Width-1:0];
    end
  endfunction

  assign sum_o = root_of(terms_i);

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Terms < 1) begin : gen_refused_terms
    mx_refused_Terms_must_be_at_least_1 u_refused ();
  end
endmodule
