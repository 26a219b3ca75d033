// SPDX-License-Identifier: Apache-2.0
// mx_align_property.sv: the contract of mx_align, stated with multiples: the result is the largest
// multiple of 2^distance that is not beyond the term, toward zero.
module mx_align_property #(
  parameter int InWidth = 13,
  parameter int Room = 33,
  parameter int Lost = mx_pkg::LostDropped
) (
  input logic signed [InWidth-1:0] term_i,
  input logic [mx_pkg::ExponentWidth-1:0] distance_i
);
  localparam int Width = InWidth + Room;

  logic signed [Width+Lost-1:0] aligned;
  mx_align #(.InWidth(InWidth), .Room(Room), .Lost(Lost)) u_align (
    .term_i(term_i), .distance_i(distance_i), .aligned_o(aligned)
  );

  logic [2*Width-1:0] whole, multiple, unit, rest;
  logic [Width+Lost-1:0] magnitude;
  logic [Width-1:0] kept;
  assign whole = {Width'(0), $unsigned(term_i < 0 ? -term_i : term_i), Room'(0)};
  assign magnitude = aligned < 0 ? -aligned : aligned;
  assign kept = magnitude[Width+Lost-1:Lost];
  assign unit = (2*Width)'(1) << distance_i;
  assign multiple = (2*Width)'(kept) << distance_i;
  assign rest = whole - multiple;

  always_comb begin
    if (distance_i < Width) begin
      assert (multiple <= whole);
      assert (rest < unit);
    end else begin
      assert (kept == '0);
    end
    assert (aligned == '0 || (aligned < 0) == (term_i < 0));
  end
  if (Lost == mx_pkg::LostSticky) begin : gen_sticky
    always_comb assert (magnitude[0] == (distance_i < Width ? rest != '0 : whole != '0));
  end
endmodule
