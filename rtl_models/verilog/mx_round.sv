// SPDX-License-Identifier: Apache-2.0
// mx_round.sv: rounds an aligned sum to an FP32 code: normalized, rounded once, subnormals kept,
// Inf beyond the largest number.
/// Equals mx::rounded_code of binary32 (emulator/include/mx/dot/step_sum.h), checked by tests/rtl.
module mx_round #(
  /// Bits of the sum, including its sign; at least 27.
  parameter int Width = 48,
  /// mx_pkg::RoundTowardZero or mx_pkg::RoundTiesToEven.
  parameter int Rounding = mx_pkg::RoundTowardZero,
  /// mx_pkg::ZeroResultOfTerms: a negative sum that rounds to zero is -0.
  /// mx_pkg::ZeroResultPlus: it is +0.
  parameter int ZeroResult = mx_pkg::ZeroResultOfTerms
) (
  input  logic signed [Width-1:0] sum_i,
  /// Exponent of the sum's last bit.
  input  logic signed [mx_pkg::ExponentWidth-1:0] unit_i,
  /// The sign of a sum that is zero.
  input  logic zero_is_negative_i,
  output logic [31:0] code_o
);
  localparam int ExponentWidth = mx_pkg::ExponentWidth;
  localparam int FractionBits = mx_pkg::fraction_bits(mx_pkg::Binary32);
  localparam int ExponentBits = mx_pkg::exponent_bits(mx_pkg::Binary32);
  localparam int Bias = mx_pkg::bias(mx_pkg::Binary32);
  localparam int Levels = $clog2(Width);
  localparam int Padded = 1 << Levels;
  localparam int Kept = FractionBits + 3;  // hidden bit, fraction, half and sticky
  localparam int PlaceBits = $clog2(Kept + 1);
  localparam int ResultBits = ExponentBits + FractionBits;  // without the sign

  // The magnitude with its leading one shifted to the top, and the shift: {places, normalized}.
  function automatic logic [ExponentWidth+Padded-1:0] normalized_of(
    input logic [Padded-1:0] magnitude
  );
    logic [ExponentWidth-1:0] places;
    logic [Padded-1:0] normalized;
    begin
      places = '0;
      normalized = magnitude;
      for (int level = Levels - 1; level >= 0; level--) begin
        if ((normalized >> (Padded - (1 << level))) == '0) begin
          normalized = normalized << (1 << level);
          places = places + ExponentWidth'(1 << level);
        end
      end
      normalized_of = {places, normalized};
    end
  endfunction

  // x / 2^places, with the OR of the bits shifted out in the last bit.
  function automatic logic [Kept-1:0] shifted_with_sticky(
    input logic [Kept-1:0] x, input logic [PlaceBits-1:0] places
  );
    logic [Kept-1:0] shifted, below;
    begin
      shifted = x;
      for (int level = 0; level < PlaceBits; level++) begin
        if (places[level]) begin
          below = shifted & ~({Kept{1'b1}} << (1 << level));
          shifted = shifted >> (1 << level);
          shifted[0] = shifted[0] | (below != '0);
        end
      end
      shifted_with_sticky = shifted;
    end
  endfunction

  logic negative, sign, subnormal, increment, overflow;
  logic [Padded-1:0] magnitude, normalized;
  logic [ExponentWidth-1:0] places;
  logic signed [ExponentWidth-1:0] exponent, below_normal;
  logic [Kept-1:0] cut, kept;
  logic [ExponentWidth-1:0] field;
  logic [ExponentWidth+FractionBits-1:0] rounded;

  assign negative = sum_i[Width-1];
  assign magnitude = Padded'($unsigned(negative ? -sum_i : sum_i));
  assign {places, normalized} = normalized_of(magnitude);
  // The leading one of `magnitude` is bit Padded - 1 - places.
  assign exponent = unit_i + ExponentWidth'(Padded - 1) - places;

  assign cut = {normalized[Padded-1 -: Kept-1], |normalized[Padded-Kept:0]};
  assign below_normal = ExponentWidth'(1 - Bias) - exponent;
  assign subnormal = below_normal > 0;
  // From Kept places on, all of it lies below half of the smallest number.
  assign kept = !subnormal ? cut :
      shifted_with_sticky(cut, below_normal > ExponentWidth'(Kept) ? PlaceBits'(Kept) :
                                                                     below_normal[PlaceBits-1:0]);

  if (Rounding == mx_pkg::RoundTiesToEven) begin : gen_ties_to_even
    assign increment = kept[1] && (kept[0] || kept[2]);
  end else begin : gen_toward_zero
    assign increment = 1'b0;
  end

  // The hidden bit is added to the field below its own, as is a carry out of the fraction.
  assign field = subnormal ? '0 : exponent + ExponentWidth'(Bias - 1);
  assign rounded = {field, FractionBits'(0)} +
      (ExponentWidth+FractionBits)'(kept[Kept-1:2]) +
      (ExponentWidth+FractionBits)'(increment);
  assign overflow = rounded[ExponentWidth+FractionBits-1:FractionBits] >=
      ExponentWidth'((1 << ExponentBits) - 1);
  assign sign = negative &&
      (ZeroResult == mx_pkg::ZeroResultOfTerms || rounded[ResultBits-1:0] != '0);

  assign code_o = magnitude == '0 ? {zero_is_negative_i, ResultBits'(0)} :
                  overflow ? {negative, mx_pkg::Binary32Infinity} : {sign, rounded[ResultBits-1:0]};

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Rounding != mx_pkg::RoundTowardZero &&
      Rounding != mx_pkg::RoundTiesToEven) begin : gen_refused_rounding
    mx_refused_Rounding_must_be_RoundTowardZero_or_RoundTiesToEven u_refused ();
  end
  if (ZeroResult != mx_pkg::ZeroResultOfTerms &&
      ZeroResult != mx_pkg::ZeroResultPlus) begin : gen_refused_zero
    mx_refused_ZeroResult_must_be_ZeroResultOfTerms_or_ZeroResultPlus u_refused ();
  end
  if (Width < 27) begin : gen_refused_width
    mx_refused_Width_must_be_at_least_27 u_refused ();
  end
endmodule
