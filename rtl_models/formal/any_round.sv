// SPDX-License-Identifier: Apache-2.0
// any_round.sv: mx_round with an unconstrained code, for proofs that hold for any code.
module mx_round #(
  parameter int Width = 48,
  parameter int Rounding = mx_pkg::RoundTowardZero,
  parameter int ZeroResult = mx_pkg::ZeroResultOfTerms
) (
  input  logic signed [Width-1:0] sum_i,
  input  logic signed [mx_pkg::ExponentWidth-1:0] unit_i,
  input  logic zero_is_negative_i,
  output logic [31:0] code_o
);
  (* anyconst *) logic [31:0] any;
  assign code_o = any;
endmodule
