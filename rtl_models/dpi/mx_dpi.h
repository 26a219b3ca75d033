// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/mx_dpi.h: the golden model of dot products and quantizers behind SystemVerilog's
// direct programming interface; C99 and C++. mx_dpi.svh declares the same in SystemVerilog.
// Source: IEEE 1800-2017, clause 35 and annexes H and I (vectors are 32-bit words, the lowest
// first).
//
// A handle is one context; contexts share nothing. A context is used by one thread at a time. Every
// function that returns a status refuses invalid requests, sets its outputs to zero (4-state ones
// to X) and stores a sentence in the context. Texts are valid until the context's next call.
#ifndef MX_DPI_H
#define MX_DPI_H

#include "svdpi.h"

#define MX_DPI_ABI_VERSION 1

#if defined(__GNUC__)
#define MX_DPI_API __attribute__((visibility("default")))
#else
#define MX_DPI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Statuses; the first six are those of libmxprism.
enum {
  mx_dpi_ok = 0,
  mx_dpi_bad_argument = 1,  ///< a pointer is null, an index or a number is out of range
  mx_dpi_bad_name = 2,      ///< a model or a format is unknown
  mx_dpi_unsupported = 3,   ///< each argument is valid, but the combination is not supported
  mx_dpi_no_memory = 4,
  mx_dpi_internal = 5,     ///< a bug of ours
  mx_dpi_bad_handle = 6,   ///< null, or not a context of this library
  mx_dpi_unknown_bits = 7  ///< an operand holds X or Z
};

/// Sizes of vectors and arrays; K elements of a dot product at most.
enum {
  mx_dpi_k = 64,
  mx_dpi_rows = 16,
  mx_dpi_columns = 8,
  mx_dpi_block = 32,
  mx_dpi_code_bits = 512,
  mx_dpi_scale_bits = 64,
  mx_dpi_number_bits = 128,
  mx_dpi_input_bits = 1024,
  mx_dpi_random_bits = 768
};

/// The exponent where there is none: of a step without a window, and of a zero that is aligned at
/// none.
enum { mx_dpi_no_exponent = -100000 };

/// Kinds of a number, and why it lost bits: mx::kind and mx::loss.
enum { mx_dpi_zero = 0, mx_dpi_finite = 1, mx_dpi_infinite = 2, mx_dpi_nan = 3 };
enum {
  mx_dpi_lost_nothing = 0,
  mx_dpi_lost_below_window = 1,
  mx_dpi_lost_outside_window = 2,
  mx_dpi_lost_far_addend = 3,
  mx_dpi_lost_rounded = 4,
  mx_dpi_lost_flushed = 5,
  mx_dpi_lost_overflowed = 6,
  mx_dpi_lost_special = 7
};

/// Operands, as reported by mx_dpi_unknown.
enum {
  mx_dpi_operand_a = 0,
  mx_dpi_operand_b = 1,
  mx_dpi_operand_scale_a = 2,
  mx_dpi_operand_scale_b = 3,
  mx_dpi_operand_c = 4,
  mx_dpi_operand_x = 5,
  mx_dpi_operand_random = 6
};

/// Encodings on the pins of mx_quantizer: those of mx_pkg.
enum { mx_dpi_round_toward_zero = 0, mx_dpi_round_ties_to_even = 1, mx_dpi_round_stochastic = 2 };
enum { mx_dpi_deadzone_flush = 0, mx_dpi_deadzone_keep = 1 };
enum {
  mx_dpi_scale_floor = 0,
  mx_dpi_scale_rceil = 1,
  mx_dpi_scale_ceil = 2,
  mx_dpi_scale_even = 3,
  mx_dpi_scale_floor6 = 4,
  mx_dpi_scale_midmax = 5,
  mx_dpi_scale_overflow_aware = 6
};

/// A library is compatible if this equals the value that the caller was compiled with.
MX_DPI_API unsigned int mx_dpi_abi_version(void);
/// "0.1.0"
MX_DPI_API const char* mx_dpi_version(void);
/// "ok", "bad argument", ...; "unknown status" for any other number.
MX_DPI_API const char* mx_dpi_status_name(int status);

/// A context: MXFP4 under blackwell.mxf4, and a quantizer of FP32 to MXFP4 with 8 random bits an
/// element. Null if out of memory.
MX_DPI_API void* mx_dpi_create(void);
MX_DPI_API int mx_dpi_destroy(void* handle);

/// Number of refusals of a context so far. The sentences of the first 64 are stored; text is empty
/// for an index without one, and for an invalid handle.
MX_DPI_API int mx_dpi_error_count(void* handle, unsigned int* count);
MX_DPI_API const char* mx_dpi_error_text(void* handle, unsigned int index);
MX_DPI_API int mx_dpi_error_clear(void* handle);
/// Count of operands with X or Z since the last clear, and the last location: the operand, its
/// vector (within a tile), and the lowest such bit.
MX_DPI_API int mx_dpi_unknown(void* handle, unsigned int* count, int* operand,
                              unsigned int* element, unsigned int* place);

/// The arithmetic of a context's dot products.
///   model     as in --model: "blackwell.mxf4", "exact.rne"; empty: blackwell.mxf4
///   format_*  "e2m1", "e4m3", "ue4m3", ...; empty: the model's own, E2M1 and E8M0 where it
///             takes any
///   block     elements that share a scale; 0: the model's own, where it has scales
///   k         elements of a dot product, 1 to 64; 0: 64
MX_DPI_API int mx_dpi_dot_select(void* handle, const char* model, const char* format_a,
                                 const char* format_b, const char* format_scale, unsigned int block,
                                 unsigned int k);

/// d = c + sum over k of a[k] * b[k]. Code k is bits k * width and up, scale i is that of elements
/// i * block and up, as on the pins of mx_dot; higher bits are ignored. d may be c.
///   a, b  512 bits     scale_a, scale_b  64 bits     c, d  32 bits
MX_DPI_API int mx_dpi_dot(void* handle, const svBitVecVal* a, const svBitVecVal* b,
                          const svBitVecVal* scale_a, const svBitVecVal* scale_b,
                          const svBitVecVal* c, svBitVecVal* d);
/// The same from vectors of four states: X and Z among the bits that are read are reported.
MX_DPI_API int mx_dpi_dot_logic(void* handle, const svLogicVecVal* a, const svLogicVecVal* b,
                                const svLogicVecVal* scale_a, const svLogicVecVal* scale_b,
                                const svLogicVecVal* c, svLogicVecVal* d);

/// Number of steps of the context's last dot product, each rounded once.
MX_DPI_API int mx_dpi_step_count(void* handle, unsigned int* count);
/// One step. Numbers are mx_dpi_number_t: {negative, kind, exponent, significand}.
///   largest_exponent, window_unit  of the window and of its last bit; mx_dpi_no_exponent where no
///                term is cut to a window
///   terms        products or groups; C follows them. Where a NaN or an Inf decides there are none
///                and no C: why is mx_dpi_lost_special
///   sum          before rounding; it holds 62 bits, the last of more than them is a sticky bit
///   discarded    bits of sum below the last one of d, whichever way it is rounded
///   sticky       whether alignment cut anything off     why  of the rounding: mx_dpi_lost_*
MX_DPI_API int mx_dpi_step(void* handle, unsigned int step, int* largest_exponent, int* window_unit,
                           unsigned int* terms, svBitVecVal* sum, svBitVecVal* discarded,
                           svBit* sticky, int* why, svBitVecVal* d);
/// One term of a step, in the order in which the model adds them: its value, what is added, what
/// was cut off. A term cut downward loses a positive number; lost holds 62 bits, as sum does.
///   exponent  used for its alignment, or mx_dpi_no_exponent     why  mx_dpi_lost_*
MX_DPI_API int mx_dpi_term(void* handle, unsigned int step, unsigned int term, int* exponent,
                           svBitVecVal* exact, svBitVecVal* aligned, svBitVecVal* lost, int* why);
/// The elements of a term: of its product, or the first and the last one of its group.
///   first, last  k or more: zeros that fill the step; -1: the term is C, or the result of other
///                steps
MX_DPI_API int mx_dpi_term_place(void* handle, unsigned int step, unsigned int term, int* first,
                                 int* last);

/// Functional coverage of a context: named bins, in an order determined by the model. Select clears
/// it. Sample counts the context's last dot product; merge adds the bins of another context of the
/// same model. Names are empty for an index out of range; hits are 64 bits.
MX_DPI_API int mx_dpi_coverage_sample(void* handle);
MX_DPI_API int mx_dpi_coverage_count(void* handle, unsigned int* count);
MX_DPI_API const char* mx_dpi_coverage_name(void* handle, unsigned int index);
MX_DPI_API int mx_dpi_coverage_hits(void* handle, unsigned int index, svBitVecVal* hits);
MX_DPI_API int mx_dpi_coverage_merge(void* handle, void* other);
MX_DPI_API int mx_dpi_coverage_clear(void* handle);
/// Coverage point by point, with the holes.
MX_DPI_API const char* mx_dpi_coverage_report(void* handle);

/// A tile D = A * B + C of 16 rows and 8 columns. c, d: row by row; d may be c.
///   a  16 rows of 512 bits     scale_a  16 of 64     b  8 columns     c, d  128 words
MX_DPI_API int mx_dpi_tile(void* handle, const svBitVecVal* a, const svBitVecVal* b,
                           const svBitVecVal* scale_a, const svBitVecVal* scale_b,
                           const svBitVecVal* c, svBitVecVal* d);
MX_DPI_API int mx_dpi_tile_logic(void* handle, const svLogicVecVal* a, const svLogicVecVal* b,
                                 const svLogicVecVal* scale_a, const svLogicVecVal* scale_b,
                                 const svLogicVecVal* c, svLogicVecVal* d);

/// The quantizer of a context: mx_quantizer with these parameters.
///   format_in    "bf16" or "f32"; empty: f32     format_scale  "e8m0", "e8m3"; empty: e8m0
///   random_bits  of stochastic rounding, an element: 1 to 24
MX_DPI_API int mx_dpi_quantizer_select(void* handle, const char* format_in,
                                       const char* format_scale, unsigned int random_bits);
/// 32 numbers to E2M1 codes and a scale.
///   x         1024 bits: element i is bits i * width and up
///   rule, rounding, deadzone  mx_dpi_scale_*, mx_dpi_round_*, mx_dpi_deadzone_*
///   random    768 bits: element i's are bits i * random_bits and up
///   factor    elements are multiplied by 1 + factor / 256
///   codes     128 bits     scale, kept  32 bits     special, kept  see mx_quantizer
MX_DPI_API int mx_dpi_quantize(void* handle, const svBitVecVal* x, int rule, int rounding,
                               const svBitVecVal* random, unsigned int factor, int deadzone,
                               svBitVecVal* codes, svBitVecVal* scale, svBit* special,
                               svBitVecVal* kept);
/// Random bits are read in stochastic rounding only.
MX_DPI_API int mx_dpi_quantize_logic(void* handle, const svLogicVecVal* x, int rule, int rounding,
                                     const svLogicVecVal* random, unsigned int factor, int deadzone,
                                     svLogicVecVal* codes, svLogicVecVal* scale, svLogic* special,
                                     svLogicVecVal* kept);

#ifdef __cplusplus
}
#endif

#endif
