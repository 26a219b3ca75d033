// SPDX-License-Identifier: Apache-2.0
// mx_element_round.sv: rounds one element to an E2M1 code under its block's scale: the exact
// product with the macro-block factor is compared with every threshold between two codes.
/// Equals mx::element_code (emulator/include/mx/block/block_scale.h), checked by tests/rtl.
module mx_element_round #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatIn = mx_pkg::Binary32,
  /// mx_pkg::E8m0 or another without zero and subnormals.
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  /// For stochastic rounding; at least 1.
  parameter int RandomBits = 8
) (
  /// Finite, unless the scale is NaN.
  input  logic [mx_pkg::width(FormatIn)-1:0] x_i,
  /// x is multiplied by 1 + factor_i / 2^MacroBits.
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  input  logic [mx_pkg::width(FormatScale)-1:0] scale_i,
  /// mx_pkg::RoundTiesToEven, RoundStochastic; anything else is RoundTowardZero.
  input  logic [mx_pkg::RoundBits-1:0] rounding_i,
  input  logic [RandomBits-1:0] random_i,
  /// 0 under a NaN scale.
  output logic [mx_pkg::width(mx_pkg::E2m1)-1:0] code_o,
  /// The element is zero, although x is not, and the scale is not NaN.
  output logic dead_o
);
  localparam logic [mx_pkg::FormatWidth-1:0] Element = mx_pkg::E2m1;
  localparam int ExponentWidth = mx_pkg::ExponentWidth;
  localparam int MacroBits = mx_pkg::MacroBits;
  localparam int FractionBits = mx_pkg::fraction_bits(FormatIn);
  localparam int ScaleFraction = mx_pkg::fraction_bits(FormatScale);
  localparam int ProductBits = FractionBits + MacroBits + 2;
  localparam int Codes = mx_pkg::largest_code(Element);

  logic negative, unused_nan, unused_infinite, nan_scale, unused_negative, unused_infinite_scale;
  logic [FractionBits:0] significand;
  logic [ScaleFraction:0] scale_significand;
  logic [mx_pkg::exponent_bits(FormatIn)-1:0] binade;
  logic [mx_pkg::exponent_bits(FormatScale)-1:0] scale_binade;

  mx_element #(.Format(FormatIn)) u_x (
    .code_i(x_i), .negative_o(negative), .significand_o(significand), .binade_o(binade),
    .nan_o(unused_nan), .infinite_o(unused_infinite)
  );
  mx_element #(.Format(FormatScale)) u_scale (
    .code_i(scale_i), .negative_o(unused_negative), .significand_o(scale_significand),
    .binade_o(scale_binade), .nan_o(nan_scale), .infinite_o(unused_infinite_scale)
  );

  // |x| * factor = product * 2^(binade + UnitIn); a threshold is an integer * 2^(scale_binade + Unit).
  logic [ProductBits-1:0] product;
  assign product = ProductBits'(significand) * ProductBits'({1'b1, factor_i});
  localparam int UnitIn = mx_pkg::emin(FormatIn) - FractionBits - MacroBits;
  localparam int Unit = mx_pkg::emin(FormatScale) - ScaleFraction + mx_pkg::emin(Element) -
      mx_pkg::fraction_bits(Element) - RandomBits;

  // Beyond Top binades above the scale's, x is a normal number and x / scale at least
  // 2^(emax + 1): it saturates. Up to there, thresholds and product meet in a window.
  localparam int Top =
      mx_pkg::emax(Element) + 1 + mx_pkg::emin(FormatScale) - mx_pkg::emin(FormatIn);
  localparam int Lift = Top + UnitIn - Unit;
  localparam int Left = Lift > 0 ? Lift : 0;
  localparam int Right = Lift < 0 ? 0 - Lift : 0;
  localparam int WindowBits = ProductBits + Left;
  logic signed [ExponentWidth-1:0] below_top;
  logic [ExponentWidth-1:0] distance;
  logic [WindowBits-1:0] placed, window;
  logic saturated, sticky;

  assign below_top = ExponentWidth'(scale_binade) + ExponentWidth'(Top) - ExponentWidth'(binade);
  assign saturated = below_top < 0;
  assign distance = below_top + ExponentWidth'(Right);
  assign placed = WindowBits'(product) << Left;
  assign window = placed >> distance;
  assign sticky = (window << distance) != placed;

  // Code c is reached at its value less random / 2^RandomBits of the step below it. Nearest is half
  // a step, and a tie goes up to an even code only; the bits cut off decide ties alone.
  localparam int LargestSteps = mx_pkg::steps_of(Element, Codes);
  localparam int ThresholdBits = RandomBits + ScaleFraction + 1 +
      mx_pkg::bits_of(64'(LargestSteps));
  localparam int CompareBits = (WindowBits > ThresholdBits ? WindowBits : ThresholdBits) + 1;
  logic to_nearest;
  logic [RandomBits-1:0] part;
  logic [ThresholdBits-1:0] scaled_part, scaled_one;
  logic [CompareBits-1:0] reached;
  logic [Codes-1:0] passed;

  assign to_nearest = 32'(rounding_i) == mx_pkg::RoundTiesToEven;
  assign part = to_nearest ? RandomBits'(1) << (RandomBits - 1) :
                32'(rounding_i) == mx_pkg::RoundStochastic ? random_i : '0;
  assign scaled_part = ThresholdBits'(part) * ThresholdBits'(scale_significand);
  assign scaled_one = ThresholdBits'(scale_significand) << RandomBits;
  assign reached = CompareBits'({window, sticky});

  for (genvar c = 1; c <= Codes; c++) begin : gen_code
    localparam int Steps = mx_pkg::steps_of(Element, c);
    localparam int Step = Steps - mx_pkg::steps_of(Element, c - 1);
    logic [ThresholdBits-1:0] threshold;
    logic exclusive;
    assign threshold =
        scaled_one * ThresholdBits'(Steps) - scaled_part * ThresholdBits'(Step);
    assign exclusive = to_nearest && c % 2 != 0;
    assign passed[c-1] = saturated || reached >= CompareBits'({threshold, exclusive});
  end

  function automatic logic [mx_pkg::width(mx_pkg::E2m1)-2:0] ones_of(
    input logic [Codes-1:0] flags
  );
    ones_of = '0;
    for (int i = 0; i < Codes; i++) begin
      ones_of = ones_of + (mx_pkg::width(mx_pkg::E2m1)-1)'(flags[i]);
    end
  endfunction
  assign code_o = nan_scale ? '0 : {negative, ones_of(passed)};
  assign dead_o = !nan_scale && passed == '0 && significand != '0;

  // Parameters that make no sense end the elaboration: no module has these names.
  if (mx_pkg::has_subnormals(FormatScale)) begin : gen_refused_scale
    mx_refused_FormatScale_must_have_no_subnormals u_refused ();
  end
  if (RandomBits < 1) begin : gen_refused_random
    mx_refused_RandomBits_must_be_at_least_1 u_refused ();
  end
endmodule
