// SPDX-License-Identifier: Apache-2.0
// mx_dpi_predictor.svh: a context of the golden model that stops the simulation on a refusal.

/// A number of the model, as text.
function automatic string mx_dpi_text(input mx_dpi_number_t number);
  string sign;
  sign = number.negative ? "-" : "+";
  case (32'(number.kind))
    mx_dpi_zero: return {sign, "0"};
    mx_dpi_finite: return $sformatf("%s%0d * 2^%0d", sign, number.significand, number.exponent);
    mx_dpi_infinite: return {sign, "Inf"};
    default: return "NaN";
  endcase
endfunction

/// An exponent, as text.
function automatic string mx_dpi_exponent_text(input int exponent);
  return exponent == mx_dpi_no_exponent ? "none" : $sformatf("%0d", exponent);
endfunction

/// Why a number lost bits, as text.
function automatic string mx_dpi_why_text(input int why);
  case (why)
    mx_dpi_lost_nothing: return "exact";
    mx_dpi_lost_below_window: return "cut below the window";
    mx_dpi_lost_outside_window: return "all of it below the window";
    mx_dpi_lost_far_addend: return "too far below the products";
    mx_dpi_lost_rounded: return "rounded";
    mx_dpi_lost_flushed: return "flushed to zero";
    mx_dpi_lost_overflowed: return "overflowed";
    default: return "decided by NaN or Inf";
  endcase
endfunction

class mx_dpi_predictor;
  chandle handle;

  function new();
    handle = mx_dpi_create();
    expect_ok(handle == null ? mx_dpi_no_memory : mx_dpi_ok);
  endfunction

  /// A refusal ends the simulation.
  function void expect_ok(input int status);
    int unsigned count;
    string text;
    if (status == mx_dpi_ok) return;
    void'(mx_dpi_error_count(handle, count));
    text = count == 0 ? "" : mx_dpi_error_text(handle, count - 1);
    $fatal(1, "golden model: %s: %s", mx_dpi_status_name(status), text);
  endfunction

  /// See mx_dpi_dot_select: empty strings and 0 select the model's own.
  function void select(input string model, input string format_a, input string format_b,
                       input string format_scale, input int unsigned block);
    expect_ok(mx_dpi_dot_select(handle, model, format_a, format_b, format_scale, block, 0));
  endfunction

  function bit [31:0] dot(input mx_dpi_codes_t a, input mx_dpi_codes_t b,
                          input mx_dpi_scales_t scale_a, input mx_dpi_scales_t scale_b,
                          input bit [31:0] c);
    bit [31:0] d;
    expect_ok(mx_dpi_dot(handle, a, b, scale_a, scale_b, c, d));
    return d;
  endfunction

  /// Counts the last dot product in the bins of the context.
  function void sample();
    expect_ok(mx_dpi_coverage_sample(handle));
  endfunction

  /// Prints how many bins were hit, and all of them if the command line has +coverage.
  function void report_coverage();
    int unsigned count, hit;
    bit [63:0] hits;
    expect_ok(mx_dpi_coverage_count(handle, count));
    hit = 0;
    for (int unsigned i = 0; i < count; i++) begin
      expect_ok(mx_dpi_coverage_hits(handle, i, hits));
      if (hits != 0) hit++;
    end
    $display("coverage: %0d of %0d bins hit", hit, count);
    if ($test$plusargs("coverage") != 0) $display("%s", mx_dpi_coverage_report(handle));
  endfunction

  /// Prints the steps of the last dot product.
  function void tell();
    int unsigned steps;
    expect_ok(mx_dpi_step_count(handle, steps));
    for (int unsigned step = 0; step < steps; step++) tell_step(step);
  endfunction

  function void tell_step(input int unsigned step);
    int largest_exponent, window_unit, why;
    int unsigned terms;
    mx_dpi_number_t sum, discarded;
    bit sticky;
    bit [31:0] d;
    expect_ok(mx_dpi_step(handle, step, largest_exponent, window_unit, terms, sum, discarded,
                          sticky, why, d));
    if (largest_exponent == mx_dpi_no_exponent) begin
      $display("  step %0d: no window, sticky %0d", step, sticky);
    end else begin
      $display("  step %0d: largest exponent %0d, last bit of the window 2^%0d, sticky %0d", step,
               largest_exponent, window_unit, sticky);
    end
    if (why != mx_dpi_lost_special) begin
      for (int unsigned term = 0; term <= terms; term++) tell_term(step, term, term == terms);
    end
    $display("    sum %s, %s, cut off %s, result %08x", mx_dpi_text(sum),
             mx_dpi_why_text(why), mx_dpi_text(discarded), d);
  endfunction

  function void tell_term(input int unsigned step, input int unsigned term, input bit is_addend);
    int exponent, why;
    mx_dpi_number_t exact, aligned, lost;
    expect_ok(mx_dpi_term(handle, step, term, exponent, exact, aligned, lost, why));
    $display("    %s: %s, aligned by exponent %s: %s, %s, lost %s",
             is_addend ? "C" : term_name(step, term), mx_dpi_text(exact),
             mx_dpi_exponent_text(exponent), mx_dpi_text(aligned), mx_dpi_why_text(why),
             mx_dpi_text(lost));
  endfunction

  /// A term by its elements.
  function string term_name(input int unsigned step, input int unsigned term);
    int first, last;
    expect_ok(mx_dpi_term_place(handle, step, term, first, last));
    if (first < 0) return "sum of other steps";
    if (first == last) return $sformatf("k %0d", first);
    return $sformatf("k %0d to %0d", first, last);
  endfunction

  /// Destroys the context; must be the last call.
  function void close();
    expect_ok(mx_dpi_destroy(handle));
    handle = null;
  endfunction
endclass
