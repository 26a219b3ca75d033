// SPDX-License-Identifier: Apache-2.0
// mx_product.sv: the exact product of two elements, its significand not normalized.
/// Equals mx::product_of (emulator/include/mx/dot/product.h), checked by tests/rtl.
module mx_product #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1
) (
  input  logic [mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [mx_pkg::width(FormatB)-1:0] b_i,
  output logic negative_o,
  output logic [mx_pkg::product_bits(FormatA, FormatB)-1:0] significand_o,
  /// Binades above the product of the smallest normal numbers.
  output logic [mx_pkg::binade_bits(FormatA, FormatB)-1:0] binade_o,
  /// NaN, or 0 * Inf.
  output logic nan_o,
  output logic infinite_o
);
  localparam int ProductBits = mx_pkg::product_bits(FormatA, FormatB);
  localparam int BinadeBits = mx_pkg::binade_bits(FormatA, FormatB);

  logic [mx_pkg::fraction_bits(FormatA):0] significand_a;
  logic [mx_pkg::fraction_bits(FormatB):0] significand_b;
  logic [mx_pkg::exponent_bits(FormatA)-1:0] binade_a;
  logic [mx_pkg::exponent_bits(FormatB)-1:0] binade_b;
  logic negative_a, negative_b, nan_a, nan_b, infinite_a, infinite_b, zero;

  mx_element #(.Format(FormatA)) u_a (
    .code_i(a_i), .negative_o(negative_a), .significand_o(significand_a), .binade_o(binade_a),
    .nan_o(nan_a), .infinite_o(infinite_a)
  );
  mx_element #(.Format(FormatB)) u_b (
    .code_i(b_i), .negative_o(negative_b), .significand_o(significand_b), .binade_o(binade_b),
    .nan_o(nan_b), .infinite_o(infinite_b)
  );

  assign zero = significand_a == '0 || significand_b == '0;
  assign negative_o = negative_a ^ negative_b;
  assign significand_o = ProductBits'(significand_a) * ProductBits'(significand_b);
  assign binade_o = BinadeBits'(binade_a) + BinadeBits'(binade_b);
  assign nan_o = nan_a || nan_b || ((infinite_a || infinite_b) && zero);
  assign infinite_o = (infinite_a || infinite_b) && !nan_o;
endmodule
