// SPDX-License-Identifier: Apache-2.0
// mx_dpi_match.svh: whether an FP32 word of the hardware is the expected one. X and Z match nothing.

/// Whether any NaN matches the expected one, and a zero of either sign the other.
typedef enum bit {mx_dpi_nan_bit_exact, mx_dpi_nan_any} mx_dpi_nan_policy_e;
typedef enum bit {mx_dpi_zero_bit_exact, mx_dpi_zero_any_sign} mx_dpi_zero_policy_e;

function automatic bit mx_dpi_is_nan(input bit [30:0] magnitude);
  return &magnitude[30:23] && magnitude[22:0] != 0;
endfunction

function automatic bit mx_dpi_matches(input mx_dpi_nan_policy_e nan,
                                      input mx_dpi_zero_policy_e zero, input bit [31:0] wanted,
                                      input logic [31:0] got);
  // First, since the magnitude of a NaN or a zero is looked at in two states, where X is 0.
  if (^got === 1'bx) return 1'b0;
  if (nan == mx_dpi_nan_any && mx_dpi_is_nan(wanted[30:0])) return mx_dpi_is_nan(got[30:0]);
  if (zero == mx_dpi_zero_any_sign && wanted[30:0] == 0) return got[30:0] == 0;
  return wanted == got;
endfunction
