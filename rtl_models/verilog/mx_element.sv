// SPDX-License-Identifier: Apache-2.0
// mx_element.sv: the value of a code, as separate fields.
/// Equals mx::decode (emulator/include/mx/number/element.h), checked by tests/rtl.
module mx_element #(
  /// A format of mx_pkg in sign and magnitude.
  parameter logic [mx_pkg::FormatWidth-1:0] Format = mx_pkg::E2m1
) (
  input  logic [mx_pkg::width(Format)-1:0] code_i,
  /// 0 if the format has no sign.
  output logic negative_o,
  /// With the hidden bit; its unit is 2^-fraction_bits of the binade.
  output logic [mx_pkg::fraction_bits(Format):0] significand_o,
  /// Binades above that of the smallest normal number; subnormals have its exponent.
  output logic [mx_pkg::exponent_bits(Format)-1:0] binade_o,
  output logic nan_o,
  output logic infinite_o
);
  localparam int FractionBits = mx_pkg::fraction_bits(Format);
  localparam int ExponentBits = mx_pkg::exponent_bits(Format);
  localparam int Specials = mx_pkg::specials(Format);
  localparam bit HasSubnormals = mx_pkg::has_subnormals(Format);

  logic [ExponentBits-1:0] field;
  logic [FractionBits:0] significand;
  logic top_field, fraction_is_zero, hidden;

  assign field = code_i[FractionBits +: ExponentBits];
  assign hidden = !HasSubnormals || field != '0;
  assign top_field = &field;

  if (FractionBits > 0) begin : gen_fraction
    assign significand = {hidden, code_i[FractionBits-1:0]};
    assign fraction_is_zero = code_i[FractionBits-1:0] == '0;
  end else begin : gen_no_fraction
    assign significand = hidden;
    assign fraction_is_zero = 1'b1;
  end

  if (mx_pkg::has_sign(Format)) begin : gen_sign
    assign negative_o = code_i[ExponentBits+FractionBits];
  end else begin : gen_no_sign
    assign negative_o = 1'b0;
  end

  if (HasSubnormals) begin : gen_subnormals
    assign binade_o = hidden ? field - 1'b1 : '0;
  end else begin : gen_no_subnormals
    assign binade_o = field;
  end

  if (Specials == mx_pkg::SpecialsIeee) begin : gen_ieee
    assign nan_o = top_field && !fraction_is_zero;
    assign infinite_o = top_field && fraction_is_zero;
  end else if (Specials == mx_pkg::SpecialsTopCode) begin : gen_top_code
    assign nan_o = &code_i[ExponentBits+FractionBits-1:0];
    assign infinite_o = 1'b0;
  end else if (Specials == mx_pkg::SpecialsTopField) begin : gen_top_field
    assign nan_o = top_field;
    assign infinite_o = 1'b0;
  end else begin : gen_finite
    assign nan_o = 1'b0;
    assign infinite_o = 1'b0;
  end
  assign significand_o = significand;
endmodule
