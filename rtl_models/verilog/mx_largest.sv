// SPDX-License-Identifier: Apache-2.0
// mx_largest.sv: the largest of several signed numbers, by a balanced tree.
/// Equals mx::largest_exponent (emulator/include/mx/dot/alignment.h), checked by tests/rtl.
module mx_largest #(
  parameter int Terms = 5,
  parameter int Width = mx_pkg::ExponentWidth
) (
  /// Number i is bits i * Width and up.
  input  logic [Terms*Width-1:0] terms_i,
  output logic signed [Width-1:0] largest_o
);
  function automatic logic [Width-1:0] larger_of(
    input logic signed [Width-1:0] x, input logic signed [Width-1:0] y
  );
    larger_of = x > y ? x : y;
  endfunction

  // A heap: node i is the larger of nodes 2 i + 1 and 2 i + 2, the last ones are the terms.
  function automatic logic [Width-1:0] root_of(input logic [Terms*Width-1:0] leaves);
    logic [(2*Terms-1)*Width-1:0] nodes;
    begin
      nodes = '0;
      nodes[(Terms-1)*Width +: Terms*Width] = leaves;
      for (int i = Terms - 2; i >= 0; i--) begin
        nodes[i*Width +: Width] =
            larger_of(nodes[(2*i+1)*Width +: Width], nodes[(2*i+2)*Width +: Width]);
      end
      root_of = nodes[Width-1:0];
    end
  endfunction

  assign largest_o = root_of(terms_i);

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Terms < 1) begin : gen_refused_terms
    mx_refused_Terms_must_be_at_least_1 u_refused ();
  end
endmodule
