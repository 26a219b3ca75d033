// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_verify.c: verdicts on hand-computed codes and scales.
#include <math.h>
#include <stddef.h>

#include "c_case.h"

// 7 under `floor` is 6 * 2^0, which is code 7; under `rceil` it is 4 * 2^1, code 6. -1 is -1 * 2^0,
// or -0.5 * 2^1.
static const float x[3] = {7.0f, 0.0f, -1.0f};
static const uint64_t extents[1] = {3};
static const mx_shape shape = {extents, 1, -1};
static unsigned char by_floor[16] = {0x07, 0x0A}, by_rceil[16] = {0x06, 0x09};
static unsigned char floor_scale[1] = {127}, rceil_scale[1] = {128};
static char text[300];
static mx_error error = {text, sizeof text, 0};

static mx_verdict* verdict_on(const char* format, mx_coded found, const mx_search* search) {
  mx_format* f = format_made(format, NULL);
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  mx_verdict* made = NULL;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, search, &made, &error) == mx_status_ok);
  EXPECT(made != NULL && error.length == 0);
  mx_format_destroy(f);
  return made;
}

static mx_verdict_facts facts_of(const mx_verdict* verdict) {
  mx_verdict_facts facts = {sizeof(mx_verdict_facts)};
  EXPECT(mx_verdict_describe(verdict, &facts, NULL) == mx_status_ok);
  return facts;
}

static void check_exact(void) {
  const mx_coded found = {sizeof(mx_coded), BUFFER(by_floor), BUFFER(floor_scale)};
  mx_verdict* verdict = verdict_on("mxfp4", found, NULL);
  const mx_verdict_facts facts = facts_of(verdict);
  mx_difference first = {sizeof(mx_difference)};
  EXPECT(facts.kind == mx_verdict_exact && facts.elements == 3 && facts.mismatches == 0);
  EXPECT(facts.explanations == 0 && facts.candidates == 0 && facts.has_bound == 0);
  EXPECT(strcmp(facts.text, "'x': 3 elements equal\nverdict: exact\n") == 0);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_bad_argument);
  mx_verdict_destroy(verdict);
}

static void check_places(void) {
  const mx_coded found = {sizeof(mx_coded), BUFFER(by_rceil), BUFFER(floor_scale)};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  const mx_search no_search = {sizeof(mx_search), 0};
  mx_verdict* verdict = verdict_on("mxfp4", found, &no_search);
  mx_places where = {sizeof(mx_places)};
  unsigned char codes[3] = {9, 9, 9}, scales[1] = {9};
  const mx_buffer of_codes = BUFFER(codes), of_scales = BUFFER(scales);
  const mx_buffer too_short = {codes, 2};
  mx_format* f = format_made("mxfp4", NULL);
  EXPECT(mx_places_describe(verdict, &where, NULL) == mx_status_ok);
  EXPECT(where.blocks == 1 && where.codes == 2 && where.scales == 0 && where.padding == 0);
  EXPECT(where.code_columns.extent == 3 && where.code_columns.touched == 2);
  EXPECT(where.code_columns.first == 0 && where.code_columns.last == 2);
  EXPECT(where.code_columns.period == 0 && where.scale_rows.extent == 0);
  EXPECT(strcmp(where.text, "codes in columns 0 and 2") == 0);
  EXPECT(where.rows.extent == 1 && where.columns.touched == 2 && where.columns.last == 2);
  EXPECT(strcmp(where.pattern, "all") == 0);
  EXPECT(mx_tensor_differences(f, &shape, &numbers, &found, &of_codes, &of_scales, &error) ==
         mx_status_ok);
  EXPECT(codes[0] == 1 && codes[1] == 0 && codes[2] == 1 && scales[0] == 0);
  EXPECT(mx_tensor_differences(f, &shape, &numbers, &found, &too_short, &of_scales, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(text, "codes") != NULL);
  codes[1] = 7;
  EXPECT(mx_tensor_differences(f, &shape, &numbers, &found, &of_codes, NULL, &error) ==
         mx_status_bad_argument);
  EXPECT(codes[1] == 7);
  mx_format_destroy(f);
  mx_verdict_destroy(verdict);
}

static void check_explained(void) {
  const mx_coded found = {sizeof(mx_coded), BUFFER(by_rceil), BUFFER(rceil_scale)};
  mx_verdict* verdict = verdict_on("mxfp4", found, NULL);
  const mx_verdict_facts facts = facts_of(verdict);
  mx_difference first = {sizeof(mx_difference)};
  mx_explanation why = {sizeof(mx_explanation)};
  mx_change change = {sizeof(mx_change)};
  uint64_t i = 0, probes = 0;
  EXPECT(facts.kind == mx_verdict_explained && facts.mismatches == 3);
  EXPECT(facts.codes == 2 && facts.scales == 1 && facts.tensor_scales == 0);
  EXPECT(strstr(facts.text, "because scale_rule: expected floor, found ceil\n") != NULL);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_ok);
  EXPECT(first.what == mx_differs_code && first.block == 0 && first.position == 0);
  EXPECT(first.element == 0 && first.index_count == 1 && first.index[0] == 0);
  EXPECT(first.value_bits == 0x40E00000 && first.expected_code == 7 && first.found_code == 6);
  EXPECT(first.expected_scale == 127 && first.found_scale == 128);
  EXPECT(first.block_count == 3 && first.block_bits[2] == 0xBF800000);
  EXPECT(strcmp(first.text,
                "element [0] of 'x', block 0, position 0: code 0x6, expected 0x7; scale "
                "0x80, expected 0x7f; input 0x40e00000 (7)") == 0);
  EXPECT(facts.explanations > 2);
  for (i = 0; i < facts.explanations; ++i) {
    EXPECT(mx_explanation_describe(verdict, i, &why, NULL) == mx_status_ok);
    EXPECT(why.changes == 1 && why.telling == 0 && strlen(why.text) > 0);
    EXPECT((why.probe != NULL) == (why.probe_count > 0));
    EXPECT(i > 0 || why.probe == NULL);
    /* The report has the first and three more. */
    EXPECT((strstr(facts.text, why.text) != NULL) == (i <= 3));
    EXPECT(i > 3 || why.probe == NULL || strstr(facts.text, why.probe) != NULL);
    probes += why.probe_count > 0;
    EXPECT(mx_change_describe(verdict, i, 0, &change, NULL) == mx_status_ok);
    EXPECT(strstr(why.text, change.dimension) == why.text &&
           strstr(why.text, change.found) != NULL);
    EXPECT(mx_change_describe(verdict, i, 1, &change, NULL) == mx_status_bad_argument);
  }
  EXPECT(probes > 0);
  EXPECT(mx_explanation_describe(verdict, i, &why, NULL) == mx_status_bad_argument);
  EXPECT(mx_change_describe(verdict, i, 0, &change, NULL) == mx_status_bad_argument);
  mx_verdict_destroy(verdict);
}

static void check_unexplained(void) {
  const mx_search none = {sizeof(mx_search), 0};
  unsigned char wrong[16] = {0x07, 0x0A, 0x10};
  mx_coded found = {sizeof(mx_coded), BUFFER(wrong), BUFFER(floor_scale)};
  mx_verdict* verdict = verdict_on("mxfp4", found, NULL);
  mx_difference first = {sizeof(mx_difference)};
  mx_verdict_facts facts = facts_of(verdict);
  EXPECT(facts.kind == mx_verdict_unexplained && facts.codes == 1 && facts.explanations == 0);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_ok);
  EXPECT(first.element == MXPRISM_PADDING && first.index == NULL && first.position == 5);
  mx_verdict_destroy(verdict);
  found.codes.data = by_rceil;
  found.scales.data = rceil_scale;
  verdict = verdict_on("mxfp4", found, &none);
  facts = facts_of(verdict);
  EXPECT(facts.kind == mx_verdict_unexplained && facts.mismatches == 3);
  mx_verdict_destroy(verdict);
}

/// The element of a NaN under a scale that is NaN, with another sign and then as another number.
static void check_nan(void) {
  static const float nan[1] = {NAN};
  static const uint64_t one[1] = {1};
  static const mx_shape single = {one, 1, -1};
  const mx_numbers numbers = {nan, sizeof nan, mx_number_fp32};
  unsigned char codes[32], scales[1];
  mx_coded found = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  mx_format* f = format_made("mxfp8-e4m3", NULL);
  const char* words[4] = {"", "nan_signs", "nan_codes", ""};
  const unsigned char changes[4] = {0, 0x80, 0x01, 0};
  int i = 0;
  for (i = 0; i < 4; ++i) {
    mx_verdict* verdict = NULL;
    mx_verdict_facts facts;
    EXPECT(mx_tensor_quantize(f, &single, &numbers, &found, NULL, &error) == mx_status_ok);
    codes[0] ^= changes[i];
    scales[0] ^= (unsigned char)(i / 3);
    EXPECT(mx_tensor_verify(f, &single, &numbers, &found, NULL, &verdict, &error) == mx_status_ok);
    facts = facts_of(verdict);
    EXPECT(strcmp(facts.differs_alone == NULL ? "" : facts.differs_alone, words[i]) == 0);
    mx_verdict_destroy(verdict);
  }
  mx_format_destroy(f);
}

/// A caller compiled for the first library has no room for members that were added since.
static void check_older_caller(void) {
  const mx_coded found = {sizeof(mx_coded), BUFFER(by_floor), BUFFER(floor_scale)};
  mx_verdict* verdict = verdict_on("mxfp4", found, NULL);
  mx_verdict_facts facts = {offsetof(mx_verdict_facts, differs_alone)};
  facts.differs_alone = text;
  EXPECT(mx_verdict_describe(verdict, &facts, NULL) == mx_status_ok);
  EXPECT(facts.elements == 3 && facts.text != NULL && facts.differs_alone == text);
  mx_verdict_destroy(verdict);
}

/// Blocks of 16 where 32 were declared, and codes one a byte without a declared packing.
static void check_sizes(void) {
  unsigned char by_byte[32] = {7, 0, 0xA};
  mx_coded found = {sizeof(mx_coded), {by_floor, 8}, BUFFER(floor_scale)};
  mx_verdict* verdict = verdict_on("mxfp4", found, NULL);
  mx_verdict_facts facts = facts_of(verdict);
  mx_change change = {sizeof(mx_change)};
  mx_difference first = {sizeof(mx_difference)};
  EXPECT(facts.kind == mx_verdict_explained && facts.mismatches == 3);
  EXPECT(mx_change_describe(verdict, 0, 0, &change, NULL) == mx_status_ok);
  EXPECT(strcmp(change.dimension, "block_size") == 0 && strcmp(change.found, "16") == 0);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_ok);
  EXPECT(first.what == mx_differs_size && first.block_bits == NULL && first.index == NULL);
  EXPECT(strcmp(first.text, "'x': 8 bytes of codes and 1 of scales") == 0);
  mx_verdict_destroy(verdict);
  found.codes.data = by_byte;
  found.codes.bytes = sizeof by_byte;
  verdict = verdict_on("mxfp4", found, NULL);
  EXPECT(facts_of(verdict).kind == mx_verdict_exact);
  mx_verdict_destroy(verdict);
}

/// Every array of a correction is compared, each under a kind of its own.
static void check_corrected(void) {
  static unsigned char codes[16], residual[16], scales[1], residual_scales[1], fractions[1];
  static unsigned char residual_fractions[1];
  mx_coded found = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  mx_format* f = format_made("mxfp4+mbs=32,8+of=0.5", NULL);
  mx_difference first = {sizeof(mx_difference)};
  mx_verdict* verdict = NULL;
  found.macro_fractions = (mx_buffer)BUFFER(fractions);
  found.residual_codes = (mx_buffer)BUFFER(residual);
  found.residual_scales = (mx_buffer)BUFFER(residual_scales);
  found.residual_macro_fractions = (mx_buffer)BUFFER(residual_fractions);
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &found, NULL, &error) == mx_status_ok);
  verdict = verdict_on("mxfp4+mbs=32,8+of=0.5", found, NULL);
  EXPECT(facts_of(verdict).kind == mx_verdict_exact && facts_of(verdict).mismatches == 0);
  mx_verdict_destroy(verdict);
  residual[0] ^= 1;
  verdict = verdict_on("mxfp4+mbs=32,8+of=0.5", found, NULL);
  EXPECT(facts_of(verdict).kind == mx_verdict_unexplained && facts_of(verdict).codes == 1);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_ok);
  EXPECT(first.what == mx_differs_residual_code && first.element == 0 && first.block == 0);
  EXPECT(strstr(first.text, "residual.element [0]") == first.text);
  mx_verdict_destroy(verdict);
  residual[0] ^= 1;
  fractions[0] ^= 1;
  verdict = verdict_on("mxfp4+mbs=32,8+of=0.5", found, NULL);
  EXPECT(facts_of(verdict).kind == mx_verdict_unexplained);
  EXPECT(facts_of(verdict).mismatches == 3 && facts_of(verdict).tensor_scales == 1);
  EXPECT(mx_difference_describe(verdict, &first, NULL) == mx_status_ok);
  EXPECT(first.what == mx_differs_macro_fractions && first.index == NULL);
  mx_verdict_destroy(verdict);
  found.residual_scales.bytes = 0;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &verdict, &error) ==
         mx_status_bad_argument);
  EXPECT(verdict == NULL && strstr(text, "residual_scales is empty") != NULL);
  mx_format_destroy(f);
}

static void check_refused(void) {
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  mx_coded found = {sizeof(mx_coded), BUFFER(by_floor), BUFFER(floor_scale)};
  mx_search search = {sizeof(mx_search), 3};
  const uint64_t rows[2] = {1, 3};
  const mx_shape matrix = {rows, 2, -1};
  float one[1] = {1};
  mx_format* f = format_made("mxfp4", "packing=packed");
  mx_verdict* made = (mx_verdict*)text;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, &search, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(made == NULL);
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, NULL, &error) ==
         mx_status_bad_argument);
  EXPECT(mx_tensor_verify(f, &shape, &numbers, NULL, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(mx_tensor_verify(NULL, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(mx_tensor_verify(f, &shape, NULL, &found, NULL, &made, &error) == mx_status_bad_argument);
  found.codes.bytes = 15;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(text, "`codes` has 15 bytes; 16 expected") != NULL);
  found.codes.data = NULL;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  found.codes = (mx_buffer)BUFFER(by_floor);
  found.tensor_scales = (mx_buffer){text, 3};
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  found.tensor_scales.bytes = 0;
  found.macro_fractions = (mx_buffer){text, 1};
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(text, "macro_fractions is not empty") != NULL);
  mx_format_destroy(f);
  f = format_made("mxfp4+mbs=128,8", NULL);
  found.macro_fractions.bytes = 0;
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(text, "macro_fractions is empty") != NULL);
  found.macro_fractions = (mx_buffer){text, 2};
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(text, "has 2 bytes of macro_fractions; expected 1") != NULL);
  found.macro_fractions = (mx_buffer){NULL, 0};
  mx_format_destroy(f);
  f = format_made("nvfp4+double", "tensor-scale=given");
  found.codes.bytes = 8;
  found.tensor_scales = (mx_buffer)BUFFER(one);
  EXPECT(mx_tensor_verify(f, &matrix, &numbers, &found, NULL, &made, &error) ==
         mx_status_unsupported);
  mx_format_destroy(f);
  f = format_made("e2m1:exact:32", "scale-rule=ideal");
  EXPECT(mx_tensor_verify(f, &shape, &numbers, &found, NULL, &made, &error) ==
         mx_status_unsupported);
  mx_format_destroy(f);
  EXPECT(mx_verdict_describe(NULL, NULL, &error) == mx_status_bad_argument);
  mx_verdict_destroy(NULL);
}

void check_tensor_verdicts(void) {
  check_exact();
  check_places();
  check_explained();
  check_unexplained();
  check_sizes();
  check_corrected();
  check_nan();
  check_older_caller();
  check_refused();
}
