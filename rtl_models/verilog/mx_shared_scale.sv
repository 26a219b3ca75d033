// SPDX-License-Identifier: Apache-2.0
// mx_shared_scale.sv: the scale of a block of E2M1 elements, from its amax.
/// Equals mx::scale_code_of (emulator/include/mx/block/block_scale.h), checked by tests/rtl.
module mx_shared_scale #(
  /// With 8 exponent bits: amax of a narrower subnormal may be above the smallest scale.
  parameter logic [mx_pkg::FormatWidth-1:0] FormatIn = mx_pkg::Binary32,
  /// mx_pkg::E8m0 or another with 8 exponent bits, without zero and subnormals.
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0
) (
  /// Without its sign; finite.
  input  logic [mx_pkg::width(FormatIn)-2:0] amax_i,
  /// amax is multiplied by 1 + factor_i / 2^MacroBits.
  input  logic [mx_pkg::MacroBits-1:0] factor_i,
  /// mx_pkg::ScaleFloor and so on.
  input  logic [mx_pkg::RuleBits-1:0] rule_i,
  /// The block contains a NaN or an Inf: its scale is NaN.
  input  logic special_i,
  output logic [mx_pkg::width(FormatScale)-1:0] scale_o
);
  localparam logic [mx_pkg::FormatWidth-1:0] Element = mx_pkg::E2m1;
  localparam int FractionBits = mx_pkg::fraction_bits(FormatIn);
  localparam int FieldBits = mx_pkg::exponent_bits(FormatIn);
  localparam int ScaleWidth = mx_pkg::width(FormatScale);
  localparam int ScaleFraction = mx_pkg::fraction_bits(FormatScale);
  localparam int NanCode = mx_pkg::top_field_nan(FormatScale);
  localparam int Bits = FractionBits + mx_pkg::MacroBits + 2;

  // amax * factor is t * 2^(exponent field of a scale + emax), 1 <= t < 2; `t` has a unit of
  // 2^(1 - Bits). Zero and subnormals are read with a hidden bit, as a number below 2^(emin + 1):
  // every rule gives it the smallest scale, as it gives them.
  logic [FieldBits-1:0] field;
  logic [Bits-1:0] product, t;
  assign field = amax_i[FractionBits +: FieldBits];
  assign product = Bits'({1'b1, amax_i[FractionBits-1:0]}) * Bits'({1'b1, factor_i});
  assign t = product[Bits-1] ? product : product << 1;

  // A signed code; nothing exceeds the largest: amax * factor is below 2^129.
  localparam int CodeBits = ScaleWidth + 2;
  localparam int Offset = mx_pkg::emin(FormatIn) - 1 - mx_pkg::emax(Element) -
      mx_pkg::emin(FormatScale);
  logic signed [CodeBits-1:0] floor_code, power_code, fine_code, code;
  assign floor_code =
      (CodeBits'(field) + CodeBits'(product[Bits-1]) + CodeBits'(Offset)) <<< ScaleFraction;

  // Rules with power-of-two scales: one more if t reaches the rule's bound.
  function automatic logic [mx_pkg::BoundBits:0] bound_of(
    input logic [mx_pkg::RuleBits-1:0] rule
  );
    case (32'(rule))
      mx_pkg::ScaleCeil: bound_of = mx_pkg::CeilBound;
      mx_pkg::ScaleEven: bound_of = mx_pkg::EvenBound;
      mx_pkg::ScaleMidmax: bound_of = mx_pkg::MidmaxBound;
      mx_pkg::ScaleOverflowAware: bound_of = mx_pkg::OverflowAwareBound;
      default: bound_of = '0;  // floor has none
    endcase
  endfunction

  logic [mx_pkg::BoundBits:0] bound;
  logic next;
  assign bound = bound_of(rule_i);
  assign next = bound != '0 && {t, 1'b0} >=
      {bound[mx_pkg::BoundBits:1], (Bits-mx_pkg::BoundBits)'(0), bound[0]};
  assign power_code = floor_code + (CodeBits'(next) << ScaleFraction);

  // Rules that select neighbours of amax / max among the scales: t lies between two of the scales
  // of a binade, each times the largest element.
  localparam int Scales = 1 << ScaleFraction;
  localparam int ThresholdBits = mx_pkg::scaled_largest_bits(Element, FormatScale);
  localparam int Below = mx_pkg::scales_below(Element, FormatScale);
  logic [Scales-1:0] passed;
  logic downward;
  assign downward = 32'(rule_i) == mx_pkg::ScaleFloor6;
  for (genvar i = 0; i < Scales; i++) begin : gen_threshold
    localparam int Scaled = mx_pkg::scaled_largest(Element, FormatScale, i);
    localparam int Threshold = i < Below ? Scaled << 1 : Scaled;
    assign passed[i] = {t, 1'b0} >=
        {ThresholdBits'(Threshold), (Bits-ThresholdBits)'(0), !downward};
  end

  function automatic logic [CodeBits-1:0] ones_of(input logic [Scales-1:0] flags);
    ones_of = '0;
    for (int i = 0; i < Scales; i++) ones_of = ones_of + CodeBits'(flags[i]);
  endfunction
  assign fine_code = floor_code + CodeBits'(Below - Scales) + ones_of(passed) -
      CodeBits'(downward);

  assign code = downward || 32'(rule_i) == mx_pkg::ScaleRceil ? fine_code : power_code;
  assign scale_o = special_i ? ScaleWidth'(NanCode) :
                   code[CodeBits-1] ? '0 : code[ScaleWidth-1:0];

  // Parameters that make no sense end the elaboration: no module has these names.
  if (mx_pkg::exponent_bits(FormatIn) != 8) begin : gen_refused_in
    mx_refused_FormatIn_must_have_8_exponent_bits u_refused ();
  end
  if (mx_pkg::has_subnormals(FormatScale) ||
      mx_pkg::exponent_bits(FormatScale) != 8) begin : gen_refused_scale
    mx_refused_FormatScale_must_have_8_exponent_bits_and_no_subnormals u_refused ();
  end
endmodule
