// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_steps.cpp: the internal steps of a dot product.
#include "rtl_models/dpi/dpi_context.h"
#include "rtl_models/dpi/dpi_refusal.h"

using hardware::clear_all, hardware::dpi_context, hardware::guarded, hardware::require,
    hardware::require_all;

namespace {

static_assert(mx_dpi_no_exponent == mx::no_exponent);
static_assert(mx_dpi_nan == static_cast<int>(mx::kind::nan) &&
              mx_dpi_infinite == static_cast<int>(mx::kind::infinite) &&
              mx_dpi_finite == static_cast<int>(mx::kind::finite));
static_assert(mx_dpi_lost_below_window == static_cast<int>(mx::loss::below_window) &&
              mx_dpi_lost_outside_window == static_cast<int>(mx::loss::outside_window) &&
              mx_dpi_lost_far_addend == static_cast<int>(mx::loss::far_addend) &&
              mx_dpi_lost_rounded == static_cast<int>(mx::loss::rounded) &&
              mx_dpi_lost_flushed == static_cast<int>(mx::loss::flushed) &&
              mx_dpi_lost_overflowed == static_cast<int>(mx::loss::overflowed) &&
              mx_dpi_lost_special == static_cast<int>(mx::loss::special));

/// mx_dpi_number_t, its words from the lowest.
void write(const mx::unpacked& number, svBitVecVal* out) {
  out[0] = static_cast<std::uint32_t>(number.significand);
  out[1] = static_cast<std::uint32_t>(number.significand >> 32);
  out[2] = static_cast<std::uint32_t>(number.exponent);
  out[3] = static_cast<std::uint32_t>(number.kind) | std::uint32_t{number.negative} << 31;
}

void clear(svBitVecVal* number) {
  if (number != nullptr) write(mx::unpacked{}, number);
}

bool is_cut(const mx::step_record& step) {
  bool cut = !step.addend.lost.is_zero();
  for (const mx::unpacked& late : step.late) cut = cut || !late.is_zero();
  for (int i = 0; i < step.count; ++i) cut = cut || !step.terms[i].lost.is_zero();
  return cut;
}

/// The number of a term, of which C's follows the others'.
int number_of(const mx::step_record& step, unsigned term) {
  require(term <= static_cast<unsigned>(step.count), "the term is out of range");
  return static_cast<int>(term);
}

}  // namespace

int mx_dpi_step_count(void* handle, unsigned int* count) {
  clear_all(count);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(count);
    *count = static_cast<unsigned>(context.dot.step_count());
  });
}

int mx_dpi_step(void* handle, unsigned int step, int* largest_exponent, int* window_unit,
                unsigned int* terms, svBitVecVal* sum, svBitVecVal* discarded, svBit* sticky,
                int* why, svBitVecVal* d) {
  clear_all(largest_exponent, window_unit, terms, sticky, why, d);
  for (svBitVecVal* number : {sum, discarded}) clear(number);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(largest_exponent, window_unit, terms, sum, discarded, sticky, why, d);
    const mx::step_record record = context.dot.step(step);
    *largest_exponent = record.largest_exponent;
    *window_unit = record.window_unit;
    *terms = static_cast<unsigned>(record.count);
    write(record.sum, sum);
    write(record.discarded, discarded);
    *sticky = is_cut(record) ? 1 : 0;
    *why = static_cast<int>(record.why);
    *d = record.result;
  });
}

int mx_dpi_term(void* handle, unsigned int step, unsigned int term, int* exponent,
                svBitVecVal* exact, svBitVecVal* aligned, svBitVecVal* lost, int* why) {
  clear_all(exponent, why);
  for (svBitVecVal* number : {exact, aligned, lost}) clear(number);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(exponent, exact, aligned, lost, why);
    const mx::step_record record = context.dot.step(step);
    const int number = number_of(record, term);
    const mx::term_record& found = number == record.count ? record.addend : record.terms[number];
    *exponent = found.exponent;
    write(found.exact, exact);
    write(found.aligned, aligned);
    write(found.lost, lost);
    *why = static_cast<int>(found.why);
  });
}

int mx_dpi_term_place(void* handle, unsigned int step, unsigned int term, int* first, int* last) {
  clear_all(first, last);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(first, last);
    const mx::step_record record = context.dot.step(step);
    const mx::term_place place = context.dot.place_of(record, number_of(record, term));
    *first = place.first;
    *last = place.last;
  });
}
