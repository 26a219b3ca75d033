// SPDX-License-Identifier: Apache-2.0
// product_modules.sv: mx_product and mx_scale for every pair of formats that a model multiplies.
/* verilator lint_off DECLFILENAME */
`define MX_PRODUCT_MODULE(NAME, A, B) \
module mx_product_``NAME ( \
  input  logic [mx_pkg::width(A)-1:0] a_i, \
  input  logic [mx_pkg::width(B)-1:0] b_i, \
  output logic negative_o, \
  output logic [mx_pkg::product_bits(A, B)-1:0] significand_o, \
  output logic [mx_pkg::binade_bits(A, B)-1:0] exponent_o, \
  output logic nan_o, \
  output logic infinite_o \
); \
  mx_product #(.FormatA(A), .FormatB(B)) u_product ( \
    .a_i(a_i), .b_i(b_i), .negative_o(negative_o), .significand_o(significand_o), \
    .binade_o(exponent_o), .nan_o(nan_o), .infinite_o(infinite_o) \
  ); \
endmodule
`define MX_SCALE_MODULE(NAME, F) \
module mx_scale_``NAME ( \
  input  logic [mx_pkg::width(F)-1:0] a_i, \
  input  logic [mx_pkg::width(F)-1:0] b_i, \
  output logic [mx_pkg::product_bits(F, F)-1:0] significand_o, \
  output logic signed [mx_pkg::ExponentWidth-1:0] exponent_o, \
  output logic nan_o \
); \
  mx_scale #(.Format(F)) u_scale ( \
    .a_i(a_i), .b_i(b_i), .significand_o(significand_o), .exponent_o(exponent_o), .nan_o(nan_o) \
  ); \
endmodule

`MX_PRODUCT_MODULE(e2m1, mx_pkg::E2m1, mx_pkg::E2m1)
`MX_PRODUCT_MODULE(e2m3, mx_pkg::E2m3, mx_pkg::E2m3)
`MX_PRODUCT_MODULE(e3m2, mx_pkg::E3m2, mx_pkg::E3m2)
`MX_PRODUCT_MODULE(e4m3, mx_pkg::E4m3, mx_pkg::E4m3)
`MX_PRODUCT_MODULE(e5m2, mx_pkg::E5m2, mx_pkg::E5m2)
`MX_PRODUCT_MODULE(e4m3_e5m2, mx_pkg::E4m3, mx_pkg::E5m2)
`MX_SCALE_MODULE(e8m0, mx_pkg::E8m0)
`MX_SCALE_MODULE(e8m3, mx_pkg::E8m3)
`MX_SCALE_MODULE(ue4m3, mx_pkg::Ue4m3)
