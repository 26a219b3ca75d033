// SPDX-License-Identifier: Apache-2.0
// mx_dpi.svh: the declarations of mx_dpi.h in SystemVerilog: constants, vector types, imports; each
// function is documented there. No guard: a package and a compilation unit may both include it.

/* verilator lint_save */
/* verilator lint_off UNUSEDPARAM */

// Statuses.
localparam int mx_dpi_ok = 0;
localparam int mx_dpi_bad_argument = 1;
localparam int mx_dpi_bad_name = 2;
localparam int mx_dpi_unsupported = 3;
localparam int mx_dpi_no_memory = 4;
localparam int mx_dpi_internal = 5;
localparam int mx_dpi_bad_handle = 6;
localparam int mx_dpi_unknown_bits = 7;

// Sizes of vectors and arrays.
localparam int mx_dpi_k = 64;
localparam int mx_dpi_rows = 16;
localparam int mx_dpi_columns = 8;
localparam int mx_dpi_block = 32;
localparam int mx_dpi_code_bits = 512;
localparam int mx_dpi_scale_bits = 64;
localparam int mx_dpi_number_bits = 128;
localparam int mx_dpi_input_bits = 1024;
localparam int mx_dpi_random_bits = 768;

// The exponent where there is none.
localparam int mx_dpi_no_exponent = -100000;

// Kinds of a number, and why it lost bits.
localparam int mx_dpi_zero = 0;
localparam int mx_dpi_finite = 1;
localparam int mx_dpi_infinite = 2;
localparam int mx_dpi_nan = 3;
localparam int mx_dpi_lost_nothing = 0;
localparam int mx_dpi_lost_below_window = 1;
localparam int mx_dpi_lost_outside_window = 2;
localparam int mx_dpi_lost_far_addend = 3;
localparam int mx_dpi_lost_rounded = 4;
localparam int mx_dpi_lost_flushed = 5;
localparam int mx_dpi_lost_overflowed = 6;
localparam int mx_dpi_lost_special = 7;

// Operands, as reported by mx_dpi_unknown.
localparam int mx_dpi_operand_a = 0;
localparam int mx_dpi_operand_b = 1;
localparam int mx_dpi_operand_scale_a = 2;
localparam int mx_dpi_operand_scale_b = 3;
localparam int mx_dpi_operand_c = 4;
localparam int mx_dpi_operand_x = 5;
localparam int mx_dpi_operand_random = 6;

// Encodings on the pins of mx_quantizer: those of mx_pkg.
localparam int mx_dpi_round_toward_zero = 0;
localparam int mx_dpi_round_ties_to_even = 1;
localparam int mx_dpi_round_stochastic = 2;
localparam int mx_dpi_deadzone_flush = 0;
localparam int mx_dpi_deadzone_keep = 1;
localparam int mx_dpi_scale_floor = 0;
localparam int mx_dpi_scale_rceil = 1;
localparam int mx_dpi_scale_ceil = 2;
localparam int mx_dpi_scale_even = 3;
localparam int mx_dpi_scale_floor6 = 4;
localparam int mx_dpi_scale_midmax = 5;
localparam int mx_dpi_scale_overflow_aware = 6;

/* verilator lint_restore */

typedef bit [mx_dpi_code_bits-1:0] mx_dpi_codes_t;
typedef bit [mx_dpi_scale_bits-1:0] mx_dpi_scales_t;
typedef logic [mx_dpi_code_bits-1:0] mx_dpi_codes_logic_t;
typedef logic [mx_dpi_scale_bits-1:0] mx_dpi_scales_logic_t;

// (-1)^negative * significand * 2^exponent, if the kind is finite.
typedef struct packed {
  bit negative;
  bit [30:0] kind;
  bit signed [31:0] exponent;
  bit [63:0] significand;
} mx_dpi_number_t;

import "DPI-C" function int unsigned mx_dpi_abi_version();
import "DPI-C" function string mx_dpi_version();
import "DPI-C" function string mx_dpi_status_name(input int status);

import "DPI-C" function chandle mx_dpi_create();
import "DPI-C" function int mx_dpi_destroy(input chandle handle);

import "DPI-C" function int mx_dpi_error_count(input chandle handle, output int unsigned count);
import "DPI-C" function string mx_dpi_error_text(input chandle handle, input int unsigned index);
import "DPI-C" function int mx_dpi_error_clear(input chandle handle);
import "DPI-C" function int mx_dpi_unknown(
  input chandle handle, output int unsigned count, output int operand,
  output int unsigned element, output int unsigned place
);

import "DPI-C" function int mx_dpi_dot_select(
  input chandle handle, input string model, input string format_a, input string format_b,
  input string format_scale, input int unsigned block, input int unsigned k
);
import "DPI-C" function int mx_dpi_dot(
  input chandle handle, input mx_dpi_codes_t a, input mx_dpi_codes_t b,
  input mx_dpi_scales_t scale_a, input mx_dpi_scales_t scale_b, input bit [31:0] c,
  output bit [31:0] d
);
import "DPI-C" function int mx_dpi_dot_logic(
  input chandle handle, input mx_dpi_codes_logic_t a, input mx_dpi_codes_logic_t b,
  input mx_dpi_scales_logic_t scale_a, input mx_dpi_scales_logic_t scale_b,
  input logic [31:0] c, output logic [31:0] d
);

import "DPI-C" function int mx_dpi_step_count(input chandle handle, output int unsigned count);
import "DPI-C" function int mx_dpi_step(
  input chandle handle, input int unsigned step, output int largest_exponent,
  output int window_unit, output int unsigned terms, output mx_dpi_number_t sum,
  output mx_dpi_number_t discarded, output bit sticky, output int why, output bit [31:0] d
);
import "DPI-C" function int mx_dpi_term(
  input chandle handle, input int unsigned step, input int unsigned term, output int exponent,
  output mx_dpi_number_t exact, output mx_dpi_number_t aligned, output mx_dpi_number_t lost,
  output int why
);
import "DPI-C" function int mx_dpi_term_place(
  input chandle handle, input int unsigned step, input int unsigned term, output int first,
  output int last
);

import "DPI-C" function int mx_dpi_coverage_sample(input chandle handle);
import "DPI-C" function int mx_dpi_coverage_count(input chandle handle, output int unsigned count);
import "DPI-C" function string mx_dpi_coverage_name(
  input chandle handle, input int unsigned index
);
import "DPI-C" function int mx_dpi_coverage_hits(
  input chandle handle, input int unsigned index, output bit [63:0] hits
);
import "DPI-C" function int mx_dpi_coverage_merge(input chandle handle, input chandle other);
import "DPI-C" function int mx_dpi_coverage_clear(input chandle handle);
import "DPI-C" function string mx_dpi_coverage_report(input chandle handle);

import "DPI-C" function int mx_dpi_tile(
  input chandle handle, input mx_dpi_codes_t a [0:15], input mx_dpi_codes_t b [0:7],
  input mx_dpi_scales_t scale_a [0:15], input mx_dpi_scales_t scale_b [0:7],
  input bit [31:0] c [0:127], output bit [31:0] d [0:127]
);
import "DPI-C" function int mx_dpi_tile_logic(
  input chandle handle, input mx_dpi_codes_logic_t a [0:15], input mx_dpi_codes_logic_t b [0:7],
  input mx_dpi_scales_logic_t scale_a [0:15], input mx_dpi_scales_logic_t scale_b [0:7],
  input logic [31:0] c [0:127], output logic [31:0] d [0:127]
);

import "DPI-C" function int mx_dpi_quantizer_select(
  input chandle handle, input string format_in, input string format_scale,
  input int unsigned random_bits
);
import "DPI-C" function int mx_dpi_quantize(
  input chandle handle, input bit [mx_dpi_input_bits-1:0] x, input int rule, input int rounding,
  input bit [mx_dpi_random_bits-1:0] random, input int unsigned factor, input int deadzone,
  output bit [127:0] codes, output bit [31:0] scale, output bit special, output bit [31:0] kept
);
import "DPI-C" function int mx_dpi_quantize_logic(
  input chandle handle, input logic [mx_dpi_input_bits-1:0] x, input int rule, input int rounding,
  input logic [mx_dpi_random_bits-1:0] random, input int unsigned factor, input int deadzone,
  output logic [127:0] codes, output logic [31:0] scale, output logic special,
  output logic [31:0] kept
);
