// SPDX-License-Identifier: Apache-2.0
// mx_group.sv: products that form one term of a sum: added exactly, or a single one.
/// Equals dot_steps::add_group (emulator/include/mx/dot/steps.h), checked by tests/rtl.
module mx_group #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  /// Number of products; more than one only for formats without Inf, of whose products the first alone
  /// would give the sign.
  parameter int Group = 16
) (
  /// Code i is bits i * width and up.
  input  logic [Group*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [Group*mx_pkg::width(FormatB)-1:0] b_i,
  /// In units of the smallest product, or of the last bit of a single one's significand.
  output logic signed [mx_pkg::group_bits(FormatA, FormatB, Group)-1:0] sum_o,
  /// For a single product; otherwise 0.
  output logic [mx_pkg::binade_bits(FormatA, FormatB)-1:0] binade_o,
  /// Every product is zero; every one is -0.
  output logic all_zero_o,
  output logic all_negative_zero_o,
  output logic nan_o,
  output logic infinite_o,
  output logic negative_o
);
  localparam int WidthA = mx_pkg::width(FormatA);
  localparam int WidthB = mx_pkg::width(FormatB);
  localparam int ProductBits = mx_pkg::product_bits(FormatA, FormatB);
  localparam int BinadeBits = mx_pkg::binade_bits(FormatA, FormatB);
  localparam int SumBits = mx_pkg::group_bits(FormatA, FormatB, Group);

  logic [Group*SumBits-1:0] terms;
  logic [Group*BinadeBits-1:0] binades;
  logic [Group-1:0] zero, negative, nan, infinite;

  for (genvar i = 0; i < Group; i++) begin : gen_product
    logic [ProductBits-1:0] significand;
    logic [BinadeBits-1:0] binade;
    logic [SumBits-1:0] magnitude;

    mx_product #(.FormatA(FormatA), .FormatB(FormatB)) u_product (
      .a_i(a_i[i*WidthA +: WidthA]), .b_i(b_i[i*WidthB +: WidthB]), .negative_o(negative[i]),
      .significand_o(significand), .binade_o(binade), .nan_o(nan[i]), .infinite_o(infinite[i])
    );
    assign zero[i] = significand == '0;
    assign binades[i*BinadeBits +: BinadeBits] = binade;
    if (Group > 1) begin : gen_integer
      assign magnitude = SumBits'(significand) << binade;
    end else begin : gen_single
      assign magnitude = SumBits'(significand);
    end
    assign terms[i*SumBits +: SumBits] = negative[i] ? -magnitude : magnitude;
  end

  mx_sum #(.Terms(Group), .Width(SumBits)) u_sum (.terms_i(terms), .sum_o(sum_o));

  assign binade_o = Group > 1 ? '0 : binades[BinadeBits-1:0];
  assign all_zero_o = &zero;
  assign all_negative_zero_o = &(zero & negative);
  assign nan_o = |nan;
  assign infinite_o = |infinite;
  assign negative_o = negative[0];

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Group < 1) begin : gen_refused_group
    mx_refused_Group_must_be_at_least_1 u_refused ();
  end
  // The sum's width is counted in 64 bits.
  if (Group > 1 && (mx_pkg::exponent_bits(FormatA) == 8 ||
                    mx_pkg::exponent_bits(FormatB) == 8)) begin : gen_refused_range
    mx_refused_Group_above_1_needs_formats_below_8_exponent_bits u_refused ();
  end
  if (Group > 1 &&
      (mx_pkg::specials(FormatA) == mx_pkg::SpecialsIeee ||
       mx_pkg::specials(FormatB) == mx_pkg::SpecialsIeee)) begin : gen_refused_formats
    mx_refused_Group_above_1_needs_formats_without_Inf u_refused ();
  end
endmodule
