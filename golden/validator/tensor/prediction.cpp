// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/prediction.cpp: the codes and scales of a tensor under a recipe.
#include "prediction.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "block_rules.h"
#include "tensor_formula.h"

namespace golden::validator {
namespace {

precision seen_by_scale(const hypothesis& r) {
  return r.input.reaches_scale() ? r.input.numbers : precision::as_given;
}

std::vector<magnitudes> of_rows(const subject& s, const geometry& g, precision p) {
  const mx::blocked_shape& shape = g.shape();
  std::vector<magnitudes> rows(shape.outer * shape.rows * shape.inner);
  for (std::uint64_t k = 0; k < s.elements(); ++k) {
    const std::uint64_t row = k / shape.inner / shape.length * shape.inner + k % shape.inner;
    rows[row].add(rounded_to(p, number_at(s, k)));
  }
  return rows;
}

geometry geometry_or_throw(const hypothesis& r, const subject& s) {
  const std::optional<geometry> g = geometry::of(r, s);
  if (!g || !is_possible(r))
    throw std::logic_error("a hypothesis that does not go with the tensor");
  return *g;
}

/// Whether an array is as made, or zeros where none was made.
bool holds(byte_span found, const std::vector<std::uint8_t>& made) {
  if (!made.empty()) return std::equal(made.begin(), made.end(), found.begin(), found.end());
  return std::all_of(found.begin(), found.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// amax as a preset rounds it.
float amax_as(const mx::nvfp4_variant& v, const magnitudes& m) {
  const bool counts = v.nan_amax == mx::nan_in_amax::propagated ||
                      (v.nan_amax == mx::nan_in_amax::ignored_if_beside && m.only_nan);
  return counts && m.nan ? mx::fp32::nan : mx::float_of(m.numbers);
}

}  // namespace

const std::vector<magnitudes>& extent_memory::of(const subject& s, const geometry& g,
                                                 const hypothesis& r) {
  const bool rows = r.format().tensor == mx::tensor_scaling::per_row;
  const precision p = seen_by_scale(r);
  const std::lock_guard lock(looking_);
  std::vector<magnitudes>& known = known_[{&s, p, rows, rows ? r.axis : 0}];
  if (known.empty()) {
    // A thread that waits for its own work must not start other work that would wait for the lock.
    tbb::this_task_arena::isolate(
        [&] { known = rows ? of_rows(s, g, p) : std::vector<magnitudes>{magnitudes_of(s, p)}; });
  }
  return known;
}

prediction::prediction(const hypothesis& r, const subject& s, extent_memory& extents)
    : kernel_(r),
      subject_(s),
      geometry_(geometry_or_throw(r, s)),
      is_plain_(is_plain(r)),
      found_codes_(s.codes),
      found_scales_(s.scales),
      found_fractions_(s.macro_fractions) {
  if (validator::is_of_whole(r)) {
    whole_ = std::make_shared<const whole_arrays>(whole_arrays_of(r, s));
    pass_ = &whole_->first;
    tensor_scales_ = whole_->tensor_scales;
  } else if (r.format().has_tensor_scale()) {
    choose_tensor_scales(extents);
  }
}

std::optional<prediction> prediction::residual() const {
  if (!geometry_.has_residual() || pass_ == &whole_->residual) return {};
  prediction second = *this;
  second.pass_ = &whole_->residual;
  second.found_codes_ = subject_.residual.codes;
  second.found_scales_ = subject_.residual.scales;
  second.found_fractions_ = subject_.residual.macro_fractions;
  return second;
}

void prediction::choose_tensor_scales(extent_memory& extents) {
  const std::vector<magnitudes>& all = extents.of(subject_, geometry_, kernel_);
  const std::vector<float>& found = subject_.tensor_scales;
  const bool stored = kernel_.above == tensor_source::as_stored && found.size() == all.size() &&
                      std::none_of(found.begin(), found.end(), is_unusable);
  for (std::size_t k = 0; k < all.size(); ++k) {
    magnitudes m = all[k];
    for (std::uint32_t* size : {&m.finite, &m.numbers}) {
      *size = mx::bits_of(flushed(kernel_.subnormals, subject_.type, mx::float_of(*size)));
    }
    float scale = tensor_scale_by(kernel_.formula, kernel_.format(), mx::float_of(m.finite));
    if (stored) scale = found[k];
    if (kernel_.above == tensor_source::one) scale = 1.0F;
    tensor_scales_.push_back(scale);
    tensor_amax_.push_back(kernel_.nvfp4() != nullptr ? amax_as(*kernel_.nvfp4(), m) : 0.0F);
  }
}

mx::nvfp4_tensor prediction::tensor_under(const mx::nvfp4_variant& v, std::uint64_t row) const {
  if (!kernel_.format().has_tensor_scale()) return mx::tensor_of(v, 0.0F);
  const std::uint64_t at = tensor_amax_.size() == 1 ? 0 : row;
  mx::nvfp4_tensor under = mx::tensor_of(v, tensor_amax_[at]);
  if (makes_own_scale(kernel_)) return under;
  const bool decodes = v.order.tensor == mx::tensor_factor::decode ||
                       v.order.tensor == mx::tensor_factor::decode_in_two;
  under.factor = decodes ? tensor_scales_[at] : mx::fp32::divide(1.0F, tensor_scales_[at]);
  return under;
}

float prediction::preset_factor(std::size_t row) const {
  return mx::decoding_factor(*kernel_.nvfp4(), tensor_under(*kernel_.nvfp4(), row));
}

std::vector<float> prediction::computed_tensor_scales() const {
  std::vector<float> made = tensor_scales_;
  if (subject_.elements() == 0) return std::vector<float>(made.size(), 1.0F);
  const bool of_preset = kernel_.variant() != nullptr && kernel_.nvfp4() != nullptr;
  if (!of_preset || kernel_.formula != tensor_formula::own) return made;
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = preset_factor(k);
  return made;
}

std::vector<float> prediction::written_tensor_scales() const {
  // Beside a format without a tensor scale, 1 changes nothing.
  if (!kernel_.format().has_tensor_scale()) {
    return std::vector<float>(subject_.tensor_scales.size(), 1.0F);
  }
  if (kernel_.above == tensor_source::as_stored) return tensor_scales_;
  std::vector<float> written = computed_tensor_scales();
  const std::vector<float>& found = subject_.tensor_scales;
  const bool unusable = kernel_.above == tensor_source::unusable && found.size() == written.size();
  const bool other = kernel_.above == tensor_source::other_written;
  if (other && found.size() == written.size()) return found;
  for (std::size_t k = 0; k < written.size(); ++k) {
    if (unusable && is_unusable(found[k])) written[k] = found[k];
    if (kernel_.above == tensor_source::inverse_stored) {
      written[k] = mx::fp32::divide(1.0F, written[k]);
    }
  }
  return written;
}

std::vector<std::uint64_t> prediction::differing_tensor_scales() const {
  const std::vector<float>& found = subject_.tensor_scales;
  if (found.empty()) return {};
  const std::vector<float> written = written_tensor_scales();
  std::vector<std::uint64_t> differing;
  if (found.size() != written.size()) {
    differing.resize(std::max(found.size(), written.size()));
    std::iota(differing.begin(), differing.end(), std::uint64_t{0});
    return differing;
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::uint32_t bits = mx::bits_of(found[k]);
    // An order of operations does not define what is written: the format's, or the order's own.
    const bool own = kernel_.arithmetic != nullptr && makes_own_scale(kernel_) &&
                     bits == mx::bits_of(preset_factor(k));
    if (bits != mx::bits_of(written[k]) && !own) differing.push_back(k);
  }
  return differing;
}

std::vector<std::uint64_t> prediction::differing_fractions() const {
  std::vector<std::uint64_t> differing;
  if (pass_ == nullptr || pass_->macro_fractions.empty()) return differing;
  const mx::corrections& c = kernel_.recipe.corrections;
  const std::vector<std::uint16_t> made = mx::fractions_in(c, pass_->macro_fractions);
  const std::vector<std::uint16_t> found = mx::fractions_in(c, found_fractions_);
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (found[k] != made[k]) differing.push_back(k);
  }
  return differing;
}

std::optional<differing> prediction::differing_numbers() const {
  const whole_arrays none;
  const whole_arrays& made = whole_ ? *whole_ : none;
  if (!agrees_on_tensor_scales()) return differing::tensor_scale;
  if (!holds(subject_.residual.macro_fractions, made.residual.macro_fractions)) {
    return differing::residual_macro_fractions;
  }
  if (holds(subject_.macro_fractions, made.first.macro_fractions)) return {};
  return differing::macro_fractions;
}

void prediction::quantize_by_preset(std::uint64_t block, const block_place& p,
                                    predicted_block& out) const {
  if (const mx::nvfp4_variant* v = kernel_.nvfp4()) {
    quantize_by_nvfp4(kernel_, block, tensor_under(*v, geometry_.vector_of(p)), out);
  } else {
    quantize_by_mx(kernel_, out);
  }
}

void prediction::quantize(std::uint64_t block, const block_place& p, predicted_block& out) const {
  const bool settled = kernel_.arithmetic != nullptr && kind_of(out.given).extent.special;
  if (kernel_.variant() != nullptr || (kernel_.arithmetic != nullptr && !settled)) {
    return quantize_by_preset(block, p, out);
  }
  mx::unpacked tensor = mx::no_tensor_scale;
  if (!tensor_scales_.empty()) {
    tensor = mx::unpack(tensor_scales_[tensor_scales_.size() == 1 ? 0 : geometry_.vector_of(p)]);
  }
  if (is_plain_ && out.drawn.empty()) {
    out.scale = mx::quantize_block(kernel_.recipe.rules, out.for_scale.data(), tensor, block,
                                   out.codes.data())
                    .code;
  } else {
    quantize_by_rules(kernel_, block, tensor, out);
  }
}

void prediction::quantize_by_reach(std::uint64_t block, const block_place& p,
                                   predicted_block& out) const {
  predicted_block second = out;
  hide_beyond(kernel_.amax, out.for_scale);
  quantize(block, p, out);
  if (kernel_.amax != amax_reach::each_half) return;
  hide_beyond(amax_reach::second_half, second.for_scale);
  quantize(block, p, second);
  const auto half = static_cast<std::ptrdiff_t>(out.codes.size() / 2);
  std::copy(second.codes.begin() + half, second.codes.end(), out.codes.begin() + half);
}

void prediction::finish(const block_place& p, predicted_block& out) const {
  const block_kind kind = kind_of(out.given);
  const bool zero = kind.extent.amax.is_zero() && !kind.extent.special;
  const bool preset = kernel_.variant() != nullptr || kernel_.arithmetic != nullptr;
  if (preset && zero && kernel_.zeros.scale) out.scale = *kernel_.zeros.scale;
  out.scale = shifted_scale(kernel_, out.scale, zero);
  flush_codes(kernel_, out);
  if (kernel_.overflow == overflow_code::below) {
    lose_largest_code(kernel_.format().element, out);
  }
  const std::uint64_t first = p.along * geometry_.columns();
  const std::uint64_t padded = geometry_.blocks_along() * geometry_.columns();
  const std::uint64_t from = padded - std::min(padded, kernel_.tail.elements);
  if (first + geometry_.columns() <= from) return;
  for (std::size_t k = 0; k < out.codes.size(); ++k) {
    if (first + k % geometry_.columns() >= from) out.codes[k] = 0;
  }
  if (kernel_.tail.zero_scales && first >= from) out.scale = 0;
}

void prediction::take(std::uint64_t block, predicted_block& out) const {
  const block_place p = geometry_.place(block);
  const mx::blocked_shape& shape = geometry_.shape();
  const std::uint64_t columns = geometry_.columns();
  const std::uint64_t padded = geometry_.blocks_along() * columns;
  const std::uint64_t first = (p.outer * padded + p.along * columns) * shape.inner + p.inner;
  out.codes.resize(columns);
  for (std::uint64_t k = 0; k < columns; ++k) out.codes[k] = pass_->codes[first + k * shape.inner];
  out.scale = scale_in(pass_->scales, geometry_, block * geometry_.bytes_a_scale());
}

void prediction::make(std::uint64_t block, predicted_block& out) const {
  if (whole_) return take(block, out);
  block_place p = geometry_.place(block);
  const bool unwritten = !(kernel_.unwritten == unwritten_rows{}) && is_unwritten(p);
  const bool stale = kernel_.unwritten.bytes == stale_bytes::earlier_tile;
  if (unwritten && stale && p.outer >= kernel_.unwritten.tile) p.outer -= kernel_.unwritten.tile;
  gather(p, out);
  if (kernel_.amax == amax_reach::block) {
    quantize(block, p, out);
  } else {
    quantize_by_reach(block, p, out);
  }
  if (!is_plain_) finish(p, out);
  if (unwritten && !stale) leave_unwritten(p, out);
}

bool same_on(const prediction& a, const prediction& b, std::uint64_t block) {
  predicted_block of_a, of_b;
  a.make(block, of_a);
  b.make(block, of_b);
  return of_a.scale == of_b.scale && of_a.codes == of_b.codes;
}

}  // namespace golden::validator
