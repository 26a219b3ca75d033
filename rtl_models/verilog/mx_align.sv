// SPDX-License-Identifier: Apache-2.0
// mx_align.sv: one term of a sum in units of the window: its magnitude is shifted right, the bits
// shifted out are dropped (toward zero) or kept as one sticky bit.
/// Equals mx::shifted, cut toward zero (emulator/include/mx/dot/alignment.h), checked by tests/rtl.
module mx_align #(
  parameter int InWidth = 13,
  /// Bits of the window below the unit of a term whose exponent is the largest.
  parameter int Room = 33,
  /// mx_pkg::LostDropped or mx_pkg::LostSticky: the latter makes the last bit of the result half a
  /// unit, set if any bit below the unit was set.
  parameter int Lost = mx_pkg::LostDropped
) (
  input  logic signed [InWidth-1:0] term_i,
  /// How far below the largest exponent the term's is.
  input  logic [mx_pkg::ExponentWidth-1:0] distance_i,
  output logic signed [InWidth+Room+Lost-1:0] aligned_o
);
  localparam int Width = InWidth + Room;

  logic negative;
  logic [Width-1:0] magnitude, kept;
  logic [Width+Lost-1:0] result;

  assign negative = term_i[InWidth-1];
  assign magnitude = {negative ? -term_i : term_i, Room'(0)};
  assign kept = magnitude >> distance_i;

  if (Lost == mx_pkg::LostSticky) begin : gen_sticky
    logic sticky;
    assign sticky = (kept << distance_i) != magnitude;
    assign result = {kept, sticky};
  end else begin : gen_dropped
    assign result = kept;
  end
  assign aligned_o = negative ? -result : result;

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Room < 1) begin : gen_refused_room
    mx_refused_Room_must_be_at_least_1 u_refused ();
  end
endmodule
