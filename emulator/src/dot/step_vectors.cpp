// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_vectors.cpp: chains of steps of dot products, for every instruction set.
#include "dot/step_kernels.h"
#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot/step_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/step_exact-inl.h"
#include "simd/step_flushed-inl.h"
#include "simd/step_late-inl.h"
#include "simd/step_places-inl.h"
#include "simd/step_tile-inl.h"
#include "simd/step_window-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

template <class Steps>
constexpr mx::step_kernels kernels_of{mx::step_kernels::most_rows,
                                      columns,
                                      place_strip,
                                      place_panel,
                                      add_rows<Steps>,
                                      add_words<Steps>};

}  // namespace step_kernel

const step_kernels* step_kernels_of_target(step_kind kind) {
  using namespace step_kernel;  // NOLINT(google-build-using-namespace)
  switch (kind) {
    case step_kind::truncated:
      return &kernels_of<truncated_steps<to_binary32_cut>>;
    case step_kind::halved:
      return &kernels_of<truncated_steps<to_binary16_nearest>>;
    case step_kind::sticky:
      return &kernels_of<sticky_steps>;
    case step_kind::late:
      return &kernels_of<late_steps<false>>;
    case step_kind::late_pairs:
      return &kernels_of<late_steps<true>>;
    case step_kind::exact:
      return &kernels_of<exact_sum_steps>;
    case step_kind::flushed:
      return &kernels_of<flushed_steps>;
  }
  return nullptr;
}

#else

const step_kernels* step_kernels_of_target(step_kind) { return nullptr; }

#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(step_kernels_of_target);

const step_kernels* step_kernels_for(step_kind kind) {
  return HWY_DYNAMIC_DISPATCH(step_kernels_of_target)(kind);
}

}  // namespace mx
#endif  // HWY_ONCE
