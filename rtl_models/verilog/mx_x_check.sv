// SPDX-License-Identifier: Apache-2.0
// mx_x_check.sv: reports a port with unknown bits (X or Z) while it is in use, in four-state
// simulators. Empty in synthesis, in proofs and in Verilator, which has two states.
module mx_x_check #(
  /// Name of the port in reports: "module.port".
  parameter Port = "a port"
) (
  input logic clk_i,
  /// No reports in reset.
  input logic rst_ni,
  /// Whether the port is in use in this cycle.
  input logic looked_at_i,
  /// The XOR of the port's bits: unknown if one of them is.
  input logic parity_i
);
`ifndef SYNTHESIS
`ifndef FORMAL
`ifndef VERILATOR
  logic unknown, unknown_q;

  // A parity turns Z, which a one-bit port may be, into X.
  assign unknown = rst_ni !== 1'b0 && looked_at_i === 1'b1 && (^parity_i) === 1'bx;

  // One report, until the port is known again.
  always @(posedge clk_i) begin
    if (unknown && unknown_q !== 1'b1) $error("%s is unknown at time %0t", Port, $time);
    unknown_q <= unknown;
  end
`endif
`endif
`endif
endmodule
