// SPDX-License-Identifier: Apache-2.0
// mx_scale.sv: the product of two blocks' scales.
/// Equals dot_steps::scale_at, multiplied (emulator/include/mx/dot/steps.h), checked by tests/rtl.
module mx_scale #(
  /// mx_pkg::E8m0, E8m3, Ue4m3: without a sign and without Inf.
  parameter logic [mx_pkg::FormatWidth-1:0] Format = mx_pkg::E8m0
) (
  input  logic [mx_pkg::width(Format)-1:0] a_i,
  input  logic [mx_pkg::width(Format)-1:0] b_i,
  /// Its unit is 2^(-2 fraction_bits) of the binade.
  output logic [mx_pkg::product_bits(Format, Format)-1:0] significand_o,
  output logic signed [mx_pkg::ExponentWidth-1:0] exponent_o,
  output logic nan_o
);
  localparam int ExponentWidth = mx_pkg::ExponentWidth;
  logic [mx_pkg::binade_bits(Format, Format)-1:0] binade;
  logic unused_negative, unused_infinite;

  mx_product #(.FormatA(Format), .FormatB(Format)) u_product (
    .a_i(a_i), .b_i(b_i), .negative_o(unused_negative), .significand_o(significand_o),
    .binade_o(binade), .nan_o(nan_o), .infinite_o(unused_infinite)
  );
  assign exponent_o = ExponentWidth'(binade) + ExponentWidth'(2 * mx_pkg::emin(Format));

  // Parameters that make no sense end the elaboration: no module has these names.
  if (mx_pkg::has_sign(Format) ||
      mx_pkg::specials(Format) == mx_pkg::SpecialsIeee) begin : gen_refused_format
    mx_refused_Format_must_have_no_sign_and_no_Inf u_refused ();
  end
endmodule
