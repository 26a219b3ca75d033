// SPDX-License-Identifier: Apache-2.0
// mx_macro_factor.sv: the factor by which a macro block of E2M1 elements is multiplied: the largest
// in [1, 2) under which the largest element does not reach the next exponent.
/// Equals mx::macro_factor_of (emulator/include/mx/block/corrections.h), checked by tests/rtl.
module mx_macro_factor #(
  parameter logic [mx_pkg::FormatWidth-1:0] Format = mx_pkg::Binary32
) (
  /// Largest finite magnitude, without its sign.
  input  logic [mx_pkg::width(Format)-2:0] amax_i,
  /// The factor is 1 + factor_o / 2^MacroBits.
  output logic [mx_pkg::MacroBits-1:0] factor_o
);
  localparam logic [mx_pkg::FormatWidth-1:0] Element = mx_pkg::E2m1;
  localparam int FractionBits = mx_pkg::fraction_bits(Format);
  localparam int Levels = $clog2(FractionBits + 1);
  localparam int LargestBits = mx_pkg::fraction_bits(Element) + 1;
  localparam int Largest = mx_pkg::scaled_largest(Element, mx_pkg::E8m0, 0);

  // amax with its leading one at the top; the exponent does not matter.
  function automatic logic [FractionBits:0] normalized_of(input logic [FractionBits:0] significand);
    normalized_of = significand;
    for (int level = Levels - 1; level >= 0; level--) begin
      if ((normalized_of >> (FractionBits + 1 - (1 << level))) == '0) begin
        normalized_of = normalized_of << (1 << level);
      end
    end
  endfunction

  // bound / t by restoring division, t <= bound < 2 t: the whole bit is 1, the others follow.
  function automatic logic [mx_pkg::MacroBits-1:0] fraction_of(
    input logic [FractionBits+1:0] bound, input logic [FractionBits+1:0] t
  );
    logic [FractionBits+2:0] rest;
    begin
      rest = {1'b0, bound - t};
      fraction_of = '0;
      for (int i = 0; i < mx_pkg::MacroBits; i++) begin
        rest = rest << 1;
        fraction_of = fraction_of << 1;
        if (rest >= {1'b0, t}) begin
          rest = rest - {1'b0, t};
          fraction_of = fraction_of | mx_pkg::MacroBits'(1);
        end
      end
    end
  endfunction

  logic hidden;
  logic [FractionBits:0] t, largest;
  logic [FractionBits+1:0] bound;
  assign hidden = amax_i[mx_pkg::width(Format)-2:FractionBits] != '0;
  assign t = normalized_of({hidden, amax_i[FractionBits-1:0]});
  assign largest = {LargestBits'(Largest), (FractionBits+1-LargestBits)'(0)};
  assign bound = t > largest ? {largest, 1'b0} : {1'b0, largest};
  assign factor_o = amax_i == '0 ? '0 : fraction_of(bound, {1'b0, t});
endmodule
