// SPDX-License-Identifier: Apache-2.0
// mx_dpi_scoreboard.svh: expected and actual FP32 words, compared in order; the interface of a UVM
// scoreboard (two writers, check and report), without UVM. Actual words have four states.

class mx_dpi_scoreboard;
  mx_dpi_nan_policy_e nan_policy;
  mx_dpi_zero_policy_e zero_policy;

  // Words without a counterpart yet: one of the queues is empty.
  bit [31:0] expected[$];
  logic [31:0] actual[$];
  int unsigned compared, mismatches;
  // The first mismatch: its number among the words, and both sides.
  int unsigned first_mismatch;
  bit [31:0] mismatch_expected;
  logic [31:0] mismatch_actual;

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

  function void write_actual(input logic [31:0] word);
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

  function void compare(input bit [31:0] wanted, input logic [31:0] got);
    if (!mx_dpi_matches(nan_policy, zero_policy, wanted, got)) begin
      if (mismatches == 0) begin
        first_mismatch = compared;
        mismatch_expected = wanted;
        mismatch_actual = got;
      end
      mismatches++;
    end
    compared++;
  endfunction
endclass
