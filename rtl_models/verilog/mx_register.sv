// SPDX-License-Identifier: Apache-2.0
// mx_register.sv: one stage of a pipeline with ready and valid: it accepts a new word in the cycle
// in which the old one leaves.
module mx_register #(
  parameter int Width = 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [Width-1:0] data_i,
  output logic valid_o,
  input  logic ready_i,
  /// Stable from valid until ready.
  output logic [Width-1:0] data_o
);
  logic valid_q;
  logic [Width-1:0] data_q;

  assign ready_o = !valid_q || ready_i;
  assign valid_o = valid_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (ready_o) begin
      valid_q <= valid_i;
    end
  end
  // Data is ignored without valid, so that it needs no reset.
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) data_q <= data_i;
  end
endmodule
