// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_dot_functions.cpp: widths of a dot product in hardware.
#include "verilog_parts.h"

namespace verilog {

const std::string_view dot_functions = R"verilog(
  // Bits of the product of two significands.
  function automatic integer product_bits(input format_t a, input format_t b);
    product_bits = fraction_bits(a) + fraction_bits(b) + 2 -
        32'(fraction_bits(a) == 0 || fraction_bits(b) == 0);
  endfunction
  // Bits of the product's binades above the smallest.
  function automatic integer binade_bits(input format_t a, input format_t b);
    binade_bits = $clog2((1 << exponent_bits(a)) + (1 << exponent_bits(b)) - 1);
  endfunction
  // Largest magnitude of an element's significand, hidden bit included, times 2^places.
  function automatic logic [63:0] largest_significand(input format_t format, input integer places);
    largest_significand = ((64'd2 << fraction_bits(format)) - 64'd1) << places;
  endfunction
  // Largest magnitude of one product as an integer.
  function automatic logic [63:0] largest_product(
    input format_t a, input format_t b, input integer group
  );
    largest_product = group == 1 ? largest_significand(a, 0) * largest_significand(b, 0) :
        largest_significand(a, emax(a) - emin(a)) * largest_significand(b, emax(b) - emin(b));
  endfunction
  function automatic integer bits_of(input logic [63:0] magnitude);
    bits_of = 0;
    for (int i = 0; i < 64; i++) if (magnitude[i]) bits_of = i + 1;
  endfunction
  // Bits of the sum of a group, its sign among them.
  function automatic integer group_bits(input format_t a, input format_t b, input integer group);
    group_bits = 1 + bits_of(64'(group) * largest_product(a, b, group));
  endfunction
  // The exponent a group is read at is its scales' plus this.
  function automatic integer group_exponent(
    input format_t a, input format_t b, input integer group
  );
    group_exponent = group == 1 ? emin(a) + emin(b) : 0;
  endfunction
  // Exponent of a term's last bit below the exponent it is read at.
  function automatic integer term_unit(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    term_unit = (group == 1 ? 0 : emin(a) + emin(b)) - fraction_bits(a) - fraction_bits(b) -
        2 * fraction_bits(scale);
  endfunction
  function automatic integer term_bits(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    term_bits = group_bits(a, b, group) +
        (fraction_bits(scale) == 0 ? 0 : product_bits(scale, scale));
  endfunction
  // The largest exponent a term or C can have.
  function automatic integer largest_exponent(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    largest_exponent = 2 * emax(scale) + (group == 1 ? emax(a) + emax(b) : 0);
    if (largest_exponent < emax(Binary32)) largest_exponent = emax(Binary32);
  endfunction
  // Bits below that exponent which hold every bit of every term and of C.
  function automatic integer exact_window(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    integer lowest;
    begin
      lowest = 2 * emin(scale) + group_exponent(a, b, group) + term_unit(a, b, scale, group);
      if (lowest > emin(Binary32) - fraction_bits(Binary32)) begin
        lowest = emin(Binary32) - fraction_bits(Binary32);
      end
      exact_window = largest_exponent(a, b, scale, group) - lowest;
    end
  endfunction
  // Bits of a window in which one term and C lose nothing but what a sticky bit tells.
  //   C is cut: the term is at least 2^unit of its exponent, C below 2^(23 - window): with
  //     28 - unit the sum's half ulp lies above the sticky bit, at whatever the sum cancels.
  //   The term is cut: it is below 2^(bits - window) of C's exponent, so that bits + 4 leave C's
  //     leading bit or, where C is subnormal, the last bit of all results above it.
  function automatic integer sticky_window(input integer bits, input integer unit);
    sticky_window = bits + 4 > 28 - unit ? bits + 4 : 28 - unit;
    if (sticky_window < 30) sticky_window = 30;
  endfunction
  // Bits of `groups` terms and C, each with its room in a window, and their sign.
  //   largest_term  magnitude of the largest term, below 2^56
  function automatic integer sum_bits(
    input integer groups, input logic [63:0] largest_term,
    input integer room_term, input integer room_c
  );
    integer c_above;
    begin
      c_above = fraction_bits(Binary32) + 1 + room_c - room_term;
      if (c_above > 56) begin
        sum_bits = 2 + fraction_bits(Binary32) + 1 + room_c;
      end else begin
        sum_bits = 1 + room_term + bits_of(64'(groups) * largest_term +
            (c_above > 0 ? 64'd1 << c_above : 64'd1));
      end
    end
  endfunction
  function automatic logic [63:0] largest_term(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    largest_term = 64'(group) * largest_product(a, b, group) *
        largest_significand(scale, 0) * largest_significand(scale, 0);
  endfunction
  // Rows of a tile that so many lanes work on at once.
  function automatic integer tile_rows(input integer lanes);
    tile_rows = lanes > TileN ? lanes / TileN : 1;
  endfunction
)verilog";

}  // namespace verilog
