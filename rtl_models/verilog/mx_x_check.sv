// SPDX-License-Identifier: Apache-2.0
// mx_x_check.sv: says where a port has unknown bits (X or Z) while somebody looks at it, in simulators
// that know them. It is nothing in synthesis, in proofs and in Verilator, which knows two states.
module mx_x_check #(
  /// What a report calls the port: "module.port".
  parameter Port = "a port"
) (
  input logic clk_i,
  /// Nothing is said in reset.
  input logic rst_ni,
  /// Whether somebody looks at the port in this cycle.
  input logic looked_at_i,
  /// The XOR of the port's bits: unknown where one of them is.
  input logic parity_i
);
`ifndef SYNTHESIS
`ifndef FORMAL
`ifndef VERILATOR
  logic unknown, unknown_q;

  // A parity makes X of Z, which a port of one bit may be.
  assign unknown = rst_ni !== 1'b0 && looked_at_i === 1'b1 && (^parity_i) === 1'bx;

  // Once, until the port is known again.
  always @(posedge clk_i) begin
    if (unknown && unknown_q !== 1'b1) $error("%s is unknown at time %0t", Port, $time);
    unknown_q <= unknown;
  end
`endif
`endif
`endif
endmodule
