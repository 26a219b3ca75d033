// SPDX-License-Identifier: Apache-2.0
// dpi_calls_check.sv: each import of the DPI package, called from SystemVerilog with distinct
// arguments, so that an order or a width other than C's is detected.
module dpi_calls_check;
  import mx_dpi_pkg::*;

  localparam bit [31:0] One = 32'h3F800000;

  chandle handle;
  int failures = 0;

  function automatic void expect_true(input bit holds, input string what);
    if (holds) return;
    failures++;
    $display("not so: %s", what);
  endfunction

  function automatic void check_library();
    int unsigned count;
    expect_true(mx_dpi_abi_version() == 1, "the version of the interface");
    expect_true(mx_dpi_version() != "", "the version of the library");
    expect_true(mx_dpi_status_name(mx_dpi_bad_name) == "bad name", "names of statuses");
    expect_true(mx_dpi_dot_select(handle, "", "", "", "", 0, 65) == mx_dpi_bad_argument, "k");
    expect_true(mx_dpi_dot_select(handle, "", "", "", "", 1, 0) == mx_dpi_unsupported, "block");
    expect_true(mx_dpi_dot_select(handle, "x1", "", "", "", 0, 0) == mx_dpi_bad_name, "model");
    expect_true(mx_dpi_dot_select(handle, "exact.rne", "x2", "", "", 0, 0) == mx_dpi_bad_name, "a");
    expect_true(mx_dpi_dot_select(handle, "exact.rne", "", "x3", "", 0, 0) == mx_dpi_bad_name, "b");
    expect_true(mx_dpi_dot_select(handle, "", "", "", "x4", 0, 0) == mx_dpi_bad_name, "scale");
    expect_true(mx_dpi_error_count(handle, count) == mx_dpi_ok && count == 6, "errors");
    expect_true(mx_dpi_error_text(handle, 0) == "k is above 64", "their sentences");
    expect_true(mx_dpi_error_clear(handle) == mx_dpi_ok, "clear");
    expect_true(mx_dpi_error_count(handle, count) == mx_dpi_ok && count == 0, "no errors");
  endfunction

  /// 3 * 2^1 times 0.5 * 2^2 and C = 1, in MXFP4: 6 * 2 + 1 = 13.
  function automatic void check_dot();
    bit [31:0] d, result;
    logic [31:0] d_logic;
    int unsigned steps, terms;
    int largest, unit, why, exponent, first, last;
    bit sticky;
    mx_dpi_number_t sum, discarded, exact, aligned, lost;
    expect_true(mx_dpi_dot(handle, 512'h5, 512'h1, 64'h80, 64'h81, One, d) == mx_dpi_ok &&
                d == 32'h41500000, "dot");
    expect_true(mx_dpi_dot_logic(handle, 512'h5, 512'h1, 64'h80, 64'h81, One, d_logic) ==
                mx_dpi_ok && d_logic == 32'h41500000, "dot of logic");
    expect_true(mx_dpi_step_count(handle, steps) == mx_dpi_ok && steps == 1, "steps");
    expect_true(mx_dpi_step(handle, 0, largest, unit, terms, sum, discarded, sticky, why, result) ==
                mx_dpi_ok, "step");
    expect_true(largest == 3 && unit == 3 - 35 && terms == 4, "exponents of a step");
    expect_true(sum.kind == 31'(mx_dpi_finite) && !sum.negative && sum.exponent == -32 &&
                sum.significand == 64'd13 << 32, "sum");
    expect_true(mx_dpi_text(discarded) == "+0" && !sticky && why == mx_dpi_lost_nothing &&
                result == 32'h41500000, "what is lost");
    expect_true(mx_dpi_term(handle, 0, 4, exponent, exact, aligned, lost, why) == mx_dpi_ok &&
                exponent == 0 && why == mx_dpi_lost_nothing, "term");
    expect_true(mx_dpi_term_place(handle, 0, 1, first, last) == mx_dpi_ok && first == 16 &&
                last == 31, "place of a group");
    expect_true(mx_dpi_term_place(handle, 0, 4, first, last) == mx_dpi_ok && first == -1 &&
                last == -1, "C has no place");
    expect_true(mx_dpi_text(exact) == "+8388608 * 2^-23" && mx_dpi_text(lost) == "+0" &&
                mx_dpi_text(aligned) == "+4294967296 * 2^-32", "C");
  endfunction

  function automatic void check_coverage();
    chandle other;
    int unsigned count, again, place;
    bit [63:0] hits;
    string report;
    other = mx_dpi_create();
    expect_true(mx_dpi_coverage_sample(handle) == mx_dpi_ok, "sample");
    expect_true(mx_dpi_coverage_sample(other) == mx_dpi_bad_argument, "nothing to sample");
    expect_true(mx_dpi_coverage_count(handle, count) == mx_dpi_ok && count > 50, "bins");
    expect_true(mx_dpi_coverage_count(other, again) == mx_dpi_ok && again == count, "same bins");
    place = count;
    for (int unsigned i = 0; i < count; i++) begin
      if (mx_dpi_coverage_name(handle, i) == "c.normal.positive") place = i;
    end
    expect_true(mx_dpi_coverage_hits(handle, place, hits) == mx_dpi_ok && hits == 1, "a bin");
    expect_true(mx_dpi_coverage_merge(other, handle) == mx_dpi_ok, "merge");
    expect_true(mx_dpi_coverage_merge(other, handle) == mx_dpi_ok, "merge again");
    expect_true(mx_dpi_coverage_hits(other, place, hits) == mx_dpi_ok && hits == 2, "merged");
    expect_true(mx_dpi_coverage_clear(other) == mx_dpi_ok, "clear coverage");
    expect_true(mx_dpi_coverage_hits(other, place, hits) == mx_dpi_ok && hits == 0, "cleared");
    report = mx_dpi_coverage_report(handle);
    expect_true(report.len() > 100, "report");
    expect_true(mx_dpi_destroy(other) == mx_dpi_ok, "destroy the other");
  endfunction

  /// Row 2 times column 3: one element of 3 * 2^1 times 0.5 * 2^2. Scales of lines count up from 1/2,
  /// C counts the elements.
  function automatic void check_tile();
    mx_dpi_codes_t a [0:15], b [0:7];
    mx_dpi_scales_t scale_a [0:15], scale_b [0:7];
    mx_dpi_codes_logic_t a_logic [0:15], b_logic [0:7];
    mx_dpi_scales_logic_t scale_a_logic [0:15], scale_b_logic [0:7];
    bit [31:0] c [0:127], d [0:127];
    logic [31:0] c_logic [0:127], d_logic [0:127];
    int status, status_logic, wrong;
    for (int i = 0; i < 16; i++) {a[i], scale_a[i]} = {512'(i == 2 ? 5 : 0), 64'd126 + 64'(i)};
    for (int i = 0; i < 8; i++) {b[i], scale_b[i]} = {512'(i == 3 ? 1 : 0), 64'd126 + 64'(i)};
    for (int i = 0; i < 128; i++) c[i] = 32'd127 - 32'(i);
    for (int i = 0; i < 16; i++) {a_logic[i], scale_a_logic[i]} = {a[i], scale_a[i]};
    for (int i = 0; i < 8; i++) {b_logic[i], scale_b_logic[i]} = {b[i], scale_b[i]};
    for (int i = 0; i < 128; i++) c_logic[i] = c[i];
    expect_true(mx_dpi_dot_select(handle, "exact.rne", "", "", "", 0, 0) == mx_dpi_ok, "select");
    status = mx_dpi_tile(handle, a, b, scale_a, scale_b, c, d);
    status_logic = mx_dpi_tile_logic(handle, a_logic, b_logic, scale_a_logic, scale_b_logic,
                                     c_logic, d_logic);
    wrong = 0;
    for (int i = 0; i < 128; i++) begin
      if (d[i] != (i == 2 * 8 + 3 ? 32'h41400000 : c[i]) || d_logic[i] != d[i]) wrong++;
    end
    expect_true(status == mx_dpi_ok && status_logic == mx_dpi_ok && wrong == 0, "tile");
  endfunction

  /// Elements 1.5 and 0.01 of BF16, rounded up by their random bits or not, and a NaN.
  function automatic void check_quantizer();
    bit [1023:0] x;
    bit [767:0] random;
    bit [127:0] codes;
    bit [31:0] scale, kept;
    bit special;
    logic [127:0] codes_logic;
    logic [31:0] scale_logic, kept_logic;
    logic special_logic;
    expect_true(mx_dpi_quantizer_select(handle, "x1", "", 4) == mx_dpi_bad_name, "format");
    expect_true(mx_dpi_quantizer_select(handle, "", "x2", 4) == mx_dpi_bad_name, "scale format");
    expect_true(mx_dpi_quantizer_select(handle, "bf16", "e8m0", 4) == mx_dpi_ok, "quantizer");
    x = 1024'h3C24_3FC0;
    random = 768'hF0;
    expect_true(mx_dpi_quantize(handle, x, mx_dpi_scale_floor, mx_dpi_round_stochastic, random, 0,
                                mx_dpi_deadzone_keep, codes, scale, special, kept) == mx_dpi_ok,
                "quantize");
    expect_true(codes == 128'h17 && scale == 125 && !special && kept == 0, "a block");
    expect_true(mx_dpi_quantize(handle, x, mx_dpi_scale_floor, mx_dpi_round_stochastic, 768'h0F, 0,
                                mx_dpi_deadzone_keep, codes, scale, special, kept) == mx_dpi_ok,
                "quantize with other random bits");
    expect_true(codes == 128'h07 && scale == 125 && !special && kept == 2, "an element is kept");
    expect_true(mx_dpi_quantize(handle, x, mx_dpi_scale_rceil, mx_dpi_round_toward_zero, random,
                                64, mx_dpi_deadzone_flush, codes, scale, special, kept) ==
                mx_dpi_ok, "quantize with a factor");
    expect_true(codes == 128'h05 && scale == 126 && kept == 0, "a block under a factor");
    x[511:496] = 16'h7FC0;
    expect_true(mx_dpi_quantize_logic(handle, x, mx_dpi_scale_floor, mx_dpi_round_stochastic,
                                      random, 0, mx_dpi_deadzone_keep, codes_logic, scale_logic,
                                      special_logic, kept_logic) == mx_dpi_ok, "quantize logic");
    expect_true(codes_logic == 0 && scale_logic == 255 && special_logic && kept_logic == 0, "NaN");
  endfunction

  initial begin
    int unsigned count, element, place;
    int operand;
    handle = mx_dpi_create();
    check_library();
    check_dot();
    check_coverage();
    check_tile();
    check_quantizer();
    operand = -1;
    expect_true(mx_dpi_unknown(handle, count, operand, element, place) == mx_dpi_ok && count == 0 &&
                operand == 0 && element == 0 && place == 0, "nothing is unknown in two states");
    expect_true(mx_dpi_destroy(handle) == mx_dpi_ok, "destroy");
    // Not both: a second end of the simulation is a good one.
    if (failures != 0) $fatal(1, "%0d failures", failures);
    else $finish;
  end
endmodule
