// SPDX-License-Identifier: Apache-2.0
// mx_pkg.sv: formats, constants of models and what follows from them, as the emulator has them.
// Written by emulator/tools/emit_package.cpp; do not edit.
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
package mx_pkg;

  // {lowest field is normal, has a sign, special codes, bias, fraction bits, exponent bits}
  localparam int FormatWidth = 22;
  typedef logic [FormatWidth-1:0] format_t;
  localparam format_t E2m1 = {1'b0, 1'b1, 3'd0, 8'd1, 5'd1, 4'd2};
  localparam format_t E2m3 = {1'b0, 1'b1, 3'd0, 8'd1, 5'd3, 4'd2};
  localparam format_t E3m2 = {1'b0, 1'b1, 3'd0, 8'd3, 5'd2, 4'd3};
  localparam format_t E4m3 = {1'b0, 1'b1, 3'd2, 8'd7, 5'd3, 4'd4};
  localparam format_t E5m2 = {1'b0, 1'b1, 3'd1, 8'd15, 5'd2, 4'd5};
  localparam format_t Bfloat16 = {1'b0, 1'b1, 3'd1, 8'd127, 5'd7, 4'd8};
  localparam format_t Binary32 = {1'b0, 1'b1, 3'd1, 8'd127, 5'd23, 4'd8};
  localparam format_t E8m0 = {1'b1, 1'b0, 3'd3, 8'd127, 5'd0, 4'd8};
  localparam format_t E8m3 = {1'b1, 1'b0, 3'd3, 8'd127, 5'd3, 4'd8};
  localparam format_t Ue4m3 = {1'b0, 1'b0, 3'd2, 8'd7, 5'd3, 4'd4};

  // Special codes of a format: see emulator/include/mx/number/format.h.
  localparam int SpecialsNone = 0;
  localparam int SpecialsIeee = 1;
  localparam int SpecialsTopCode = 2;
  localparam int SpecialsTopField = 3;

  // A tile of the tensor core.
  localparam int TileM = 16;
  localparam int TileN = 8;
  localparam int TileK = 64;

  localparam int RoundTowardZero = 0;
  localparam int RoundTiesToEven = 1;
  localparam int RoundStochastic = 2;
  localparam int RoundBits = 2;
  localparam int AlignWindow = 0;
  localparam int AlignSticky = 1;
  localparam int AlignExact = 2;
  localparam int LostDropped = 0;
  localparam int LostSticky = 1;
  localparam int ZeroResultOfTerms = 0;
  localparam int ZeroResultPlus = 1;

  // Exponents of products, sums and their units, signed: all lie within +-1023.
  localparam int ExponentWidth = 12;
  // Of what has no say in the largest exponent.
  localparam int NoExponent = -1024;

  function automatic integer exponent_bits(input format_t format);
    exponent_bits = 32'(format[3:0]);
  endfunction
  function automatic integer fraction_bits(input format_t format);
    fraction_bits = 32'(format[8:4]);
  endfunction
  function automatic integer bias(input format_t format);
    bias = 32'(format[16:9]);
  endfunction
  function automatic integer specials(input format_t format);
    specials = 32'(format[19:17]);
  endfunction
  function automatic bit has_sign(input format_t format);
    has_sign = format[20];
  endfunction
  function automatic bit has_subnormals(input format_t format);
    has_subnormals = !format[21];
  endfunction
  function automatic integer width(input format_t format);
    width = 32'(format[20]) + exponent_bits(format) + fraction_bits(format);
  endfunction
  // Exponent of the smallest normal number.
  function automatic integer emin(input format_t format);
    emin = 32'(has_subnormals(format)) - bias(format);
  endfunction
  // Exponent of the largest finite number.
  function automatic integer emax(input format_t format);
    emax = (1 << exponent_bits(format)) - 1 - bias(format) -
        32'(specials(format) == SpecialsIeee || specials(format) == SpecialsTopField);
  endfunction

  // blackwell.mxf4 and blackwell.mxf4nvf4, blackwell.mxf8f6f4.
  localparam int Mxf4Step = 64;
  localparam int Mxf4Group = 16;
  localparam int Mxf4FractionBits = 35;
  localparam int Mxf4ZeroExponent = -139;
  localparam int Mxf8f6f4Step = 32;
  localparam int Mxf8f6f4FractionBits = 25;
  localparam int Mxf8f6f4ZeroExponent = -133;
  // NaN as tensor cores write it, and as the definitions do (exact.rne, fp32.sequential).
  localparam logic [31:0] CanonicalNan = 32'h7FFFFFFF;
  localparam logic [31:0] QuietNan = 32'h7FC00000;
  localparam logic [30:0] Binary32Infinity = 31'h7F800000;

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

  // Elements of a block of MXFP4; fraction bits of a macro-block factor.
  localparam int Mxfp4Block = 32;
  localparam int MacroBits = 8;

  // Scale rules: see emulator/include/mx/block/scale.h. A number without a rule is floor.
  localparam int ScaleFloor = 0;
  localparam int ScaleRceil = 1;
  localparam int ScaleCeil = 2;
  localparam int ScaleEven = 3;
  localparam int ScaleFloor6 = 4;
  localparam int ScaleMidmax = 5;
  localparam int ScaleOverflowAware = 6;
  localparam int RuleBits = 3;

  // Where a rule takes the next exponent for E2M1: {significand, whether amax must exceed it}.
  localparam int BoundBits = 4;
  localparam logic [BoundBits:0] CeilBound = {4'd8, 1'b1};
  localparam logic [BoundBits:0] EvenBound = {4'd14, 1'b0};
  localparam logic [BoundBits:0] MidmaxBound = {4'd14, 1'b1};
  localparam logic [BoundBits:0] OverflowAwareBound = {4'd14, 1'b0};

  // What becomes of an element that is zero after rounding, but was not before.
  localparam int DeadzoneFlush = 0;
  localparam int DeadzoneKeep = 1;

  // A magnitude in units of the format's smallest subnormal.
  function automatic integer steps_of(input format_t format, input integer code);
    steps_of = code < (2 << fraction_bits(format)) ? code :
        ((1 << fraction_bits(format)) + code % (1 << fraction_bits(format))) <<
        (code / (1 << fraction_bits(format)) - 1);
  endfunction
  // Code of the largest magnitude, in a format that is finite throughout.
  function automatic integer largest_code(input format_t format);
    largest_code = (1 << (exponent_bits(format) + fraction_bits(format))) - 1;
  endfunction
  // NaN of a format whose top exponent field is NaN.
  function automatic integer top_field_nan(input format_t format);
    top_field_nan = ((1 << exponent_bits(format)) - 1) << fraction_bits(format);
  endfunction
  // The largest element times scale number `index` of a binade: an integer of
  // scaled_largest_bits, the highest of which is set from the next binade on.
  function automatic integer scaled_largest(
    input format_t element, input format_t scale, input integer index
  );
    scaled_largest = 32'(largest_significand(element, 0)) *
        ((1 << fraction_bits(scale)) + index);
  endfunction
  function automatic integer scaled_largest_bits(input format_t element, input format_t scale);
    scaled_largest_bits = fraction_bits(element) + fraction_bits(scale) + 2;
  endfunction
  // How many of a binade's scales, times the largest element, stay in the binade of the first.
  function automatic integer scales_below(input format_t element, input format_t scale);
    scales_below = ((1 << (scaled_largest_bits(element, scale) - 1)) +
        scaled_largest(element, E8m0, 0) - 1) / scaled_largest(element, E8m0, 0) -
        (1 << fraction_bits(scale));
  endfunction

endpackage
