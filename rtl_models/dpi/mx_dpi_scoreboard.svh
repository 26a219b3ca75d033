// SPDX-License-Identifier: Apache-2.0
// mx_dpi_scoreboard.svh: expected and actual FP32 words, compared in order; the interface of a UVM
// scoreboard (two writers, check and report), without UVM.

/// Whether any NaN matches the expected one, and a zero of either sign the other.
typedef enum bit {mx_dpi_nan_bit_exact, mx_dpi_nan_any} mx_dpi_nan_policy_e;
typedef enum bit {mx_dpi_zero_bit_exact, mx_dpi_zero_any_sign} mx_dpi_zero_policy_e;

class mx_dpi_scoreboard;
  mx_dpi_nan_policy_e nan_policy;
  mx_dpi_zero_policy_e zero_policy;

  // Words without a counterpart yet: one of the queues is empty.
  bit [31:0] expected[$], actual[$];
  int unsigned compared, mismatches;
  // The first mismatch: its number among the words, and both sides.
  int unsigned first_mismatch;
  bit [31:0] mismatch_expected, mismatch_actual;

  function new(input mx_dpi_nan_policy_e nan, input mx_dpi_zero_policy_e zero);
    nan_policy = nan;
    zero_policy = zero;
    compared = 0;
    mismatches = 0;
  endfunction

  function void write_expected(input bit [31:0] word);
    if (actual.size() == 0) expected.push_back(word);
    else compare(word, actual.pop_front());
  endfunction

  function void write_actual(input bit [31:0] word);
    if (expected.size() == 0) actual.push_back(word);
    else compare(expected.pop_front(), word);
  endfunction

  /// Whether all words so far had a counterpart and matched it.
  function bit check();
    return mismatches == 0 && expected.size() == 0 && actual.size() == 0;
  endfunction

  function void report(input string name);
    $display("%s: %0d words compared, %0d mismatches, %0d expected and not seen, %0d not expected",
             name, compared, mismatches, expected.size(), actual.size());
    if (mismatches != 0) begin
      $display("%s: first mismatch is word %0d: expected %08x, actual %08x", name, first_mismatch,
               mismatch_expected, mismatch_actual);
    end
  endfunction

  function void compare(input bit [31:0] wanted, input bit [31:0] got);
    if (!is_equal(wanted, got)) begin
      if (mismatches == 0) begin
        first_mismatch = compared;
        mismatch_expected = wanted;
        mismatch_actual = got;
      end
      mismatches++;
    end
    compared++;
  endfunction

  function bit is_equal(input bit [31:0] wanted, input bit [31:0] got);
    if (nan_policy == mx_dpi_nan_any && is_nan(wanted[30:0])) return is_nan(got[30:0]);
    if (zero_policy == mx_dpi_zero_any_sign && wanted[30:0] == 0) return got[30:0] == 0;
    return wanted == got;
  endfunction

  function bit is_nan(input bit [30:0] magnitude);
    return &magnitude[30:23] && magnitude[22:0] != 0;
  endfunction
endclass
