// SPDX-License-Identifier: Apache-2.0
// transparent_register.sv: mx_register without the delay, for proofs about the values of words.
// mx_register_property.sv proves that the real one outputs the same words in the same order.
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
  output logic [Width-1:0] data_o
);
  assign ready_o = ready_i;
  assign valid_o = valid_i;
  assign data_o = data_i;
endmodule
