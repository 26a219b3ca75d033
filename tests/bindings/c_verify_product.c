// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_verify_product.c: verdicts on a hand-computed product of two vectors.
#include "c_case.h"

// 64 products of 1 and 1 under scales 1 and 2: 128.
static unsigned char a[32], b[32], scale_a[2] = {127, 127}, scale_b[2] = {128, 128};
static uint32_t d[1];
static char text[300];
static mx_error error = {text, sizeof text, 0};

static mx_product product_of(uint32_t found) {
  mx_product p = {sizeof(mx_product), 1, 1, 64};
  memset(a, 0x22, sizeof a);
  memset(b, 0x22, sizeof b);
  d[0] = found;
  p.a = (mx_matrix){BUFFER(a), mx_codes_pairs, 0, BUFFER(scale_a)};
  p.b = (mx_matrix){BUFFER(b), mx_codes_pairs, 0, BUFFER(scale_b)};
  p.d = (mx_buffer)BUFFER(d);
  return p;
}

static mx_verdict* verdict_on(const mx_model* model, uint32_t found, float alpha,
                              int32_t declared) {
  const mx_product p = product_of(found);
  mx_plan plan = {sizeof(mx_plan)};
  mx_verdict* made = NULL;
  EXPECT(mx_plan_default(model, &plan, NULL) == mx_status_ok);
  plan.alpha = alpha;
  EXPECT(mx_product_verify(model, &p, &plan, declared, &made, &error) == mx_status_ok);
  return made;
}

static mx_verdict_facts facts_of(const mx_verdict* verdict) {
  mx_verdict_facts facts = {sizeof(mx_verdict_facts)};
  EXPECT(mx_verdict_describe(verdict, &facts, NULL) == mx_status_ok);
  return facts;
}

/// The candidate of this name; its name is null if there is no such candidate.
static mx_candidate candidate_of(const mx_verdict* verdict, const char* name) {
  mx_candidate one = {sizeof(mx_candidate)};
  uint64_t i = 0;
  for (i = 0; mx_candidate_describe(verdict, i, &one, NULL) == mx_status_ok; ++i) {
    if (strcmp(one.name, name) == 0) return one;
  }
  one.name = NULL;
  return one;
}

static void check_exact(const mx_model* model) {
  mx_verdict* verdict = verdict_on(model, 0x43000000, 1, mx_declared_model);
  const mx_verdict_facts facts = facts_of(verdict);
  const mx_candidate own = candidate_of(verdict, "blackwell.mxf4");
  const mx_candidate other = candidate_of(verdict, "fp32.fma");
  mx_bound bound = {sizeof(mx_bound)};
  mx_breach breach = {sizeof(mx_breach)};
  mx_difference first = {sizeof(mx_difference)};
  mx_distinction apart = {sizeof(mx_distinction)};
  EXPECT(facts.kind == mx_verdict_exact && facts.elements == 1 && facts.mismatches == 0);
  EXPECT(facts.has_bound == 0 && facts.explanations == 0 && facts.candidates > 3);
  EXPECT(own.name != NULL && own.is_declared == 1 && own.is_consistent == 1);
  EXPECT(strlen(own.evidence) > 0);
  EXPECT(other.name != NULL && other.is_declared == 0 && other.is_consistent == 1);
  EXPECT(facts.distinctions > 0);
  EXPECT(mx_distinction_describe(verdict, 0, &apart, NULL) == mx_status_ok);
  EXPECT(strcmp(apart.from, "blackwell.mxf4") == 0 && apart.data_count > 0);
  EXPECT(strlen(apart.data[apart.data_count - 1]) > 0);
  EXPECT(mx_distinction_describe(verdict, facts.distinctions, &apart, &error) ==
         mx_status_bad_argument);
  EXPECT(strstr(facts.text, "D: [1, 1] in f32, K = 64\ndeclared: blackwell.mxf4\n") == facts.text);
  EXPECT(mx_bound_describe(verdict, &bound, &error) == mx_status_bad_argument);
  EXPECT(mx_breach_describe(verdict, mx_breach_first, &breach, &error) == mx_status_bad_argument);
  EXPECT(mx_difference_describe(verdict, &first, &error) == mx_status_bad_argument);
  mx_verdict_destroy(verdict);
}

/// alpha = 2 was declared, and the kernel omitted it.
static void check_explained(const mx_model* model) {
  mx_verdict* verdict = verdict_on(model, 0x43000000, 2, mx_declared_model);
  const mx_verdict_facts facts = facts_of(verdict);
  const mx_candidate own = candidate_of(verdict, "blackwell.mxf4");
  mx_explanation why = {sizeof(mx_explanation)};
  mx_change change = {sizeof(mx_change)};
  EXPECT(facts.kind == mx_verdict_explained && facts.mismatches == 1 && facts.nan_codes == 0);
  EXPECT(own.is_consistent == 0 && own.row == 0 && own.column == 0);
  EXPECT(own.expected == 0x43800000 && own.found == 0x43000000 && own.nan_code_only == 0);
  EXPECT(facts.explanations == 1 && mx_explanation_describe(verdict, 0, &why, NULL) == 0);
  EXPECT(why.changes == 1 && why.probe == NULL && why.probe_count == 0);
  EXPECT(mx_change_describe(verdict, 0, 0, &change, NULL) == mx_status_ok);
  EXPECT(strcmp(change.dimension, "tensor_scale") == 0);
  EXPECT(strstr(facts.text, why.text) != NULL && strstr(why.text, change.expected) != NULL);
  EXPECT(facts.has_bound == 1 && facts.bound_exceeded == 1);
  mx_verdict_destroy(verdict);
}

static void check_unexplained(const mx_model* model) {
  mx_verdict* verdict = verdict_on(model, 0x43000001, 1, mx_declared_formats);
  const mx_verdict_facts facts = facts_of(verdict);
  mx_bound bound = {sizeof(mx_bound)};
  mx_breach breach = {sizeof(mx_breach)};
  EXPECT(facts.kind == mx_verdict_unexplained && facts.mismatches == 0);
  EXPECT(candidate_of(verdict, "blackwell.mxf4").is_declared == 0);
  EXPECT(mx_bound_describe(verdict, &bound, NULL) == mx_status_ok && bound.elements == 1);
  EXPECT(strcmp(bound.model, "fp32.fma") == 0 && bound.exceeded == 0);
  EXPECT(mx_breach_describe(verdict, mx_breach_worst, &breach, &error) == mx_status_bad_argument);
  mx_verdict_destroy(verdict);
  verdict = verdict_on(model, 0x7FC00000, 1, mx_declared_formats);
  EXPECT(mx_breach_describe(verdict, mx_breach_first, &breach, NULL) == mx_status_ok);
  EXPECT(breach.found == 0x7FC00000 && breach.times == 0 && strlen(breach.error) == 0);
  mx_verdict_destroy(verdict);
  verdict = verdict_on(model, 0x43800000, 1, mx_declared_model);
  EXPECT(mx_breach_describe(verdict, mx_breach_worst, &breach, NULL) == mx_status_ok);
  EXPECT(strcmp(breach.exact, "0x1 * 2^7") == 0 && strcmp(breach.error, "0x1 * 2^7") == 0);
  EXPECT(strcmp(breach.bound, "0x80080101 * 2^-47") == 0 && breach.times == 8386559);
  EXPECT(mx_breach_describe(verdict, 2, &breach, &error) == mx_status_bad_argument);
  EXPECT(strstr(facts_of(verdict).text, "verdict: unexplained\n") != NULL);
  mx_verdict_destroy(verdict);
}

static void check_refused(const mx_model* model) {
  mx_product p = product_of(0x43000000);
  mx_plan plan = {sizeof(mx_plan)};
  mx_verdict* made = (mx_verdict*)text;
  EXPECT(mx_product_verify(NULL, &p, NULL, 0, &made, &error) == mx_status_bad_argument);
  EXPECT(made == NULL);
  EXPECT(mx_product_verify(model, &p, NULL, 2, &made, &error) == mx_status_bad_argument);
  EXPECT(mx_product_verify(model, &p, NULL, 0, NULL, &error) == mx_status_bad_argument);
  EXPECT(mx_product_verify(model, NULL, NULL, 0, &made, &error) == mx_status_bad_argument);
  p.d.bytes = 3;
  EXPECT(mx_product_verify(model, &p, NULL, 0, &made, &error) == mx_status_bad_argument);
  p.d.bytes = 4;
  EXPECT(mx_plan_default(model, &plan, NULL) == mx_status_ok);
  plan.output = mx_number_bf16;
  EXPECT(mx_product_verify(model, &p, &plan, 0, &made, &error) == mx_status_bad_argument);
  EXPECT(strstr(text, "d: one has more than 16 bits") != NULL);
  EXPECT(mx_candidate_describe(NULL, 0, NULL, &error) == mx_status_bad_argument);
}

void check_product_verdicts(void) {
  mx_model* model = model_made("blackwell.mxf4", NULL);
  check_exact(model);
  check_explained(model);
  check_unexplained(model);
  check_refused(model);
  mx_model_destroy(model);
}
