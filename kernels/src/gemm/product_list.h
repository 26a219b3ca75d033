// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/product_list.h: several products in one launch: their blocks of threads one
// after another. A block finds its product, and computes it as if that were launched alone.
#pragma once
#include <span>

#include "gemm/choice.h"
#include "gemm/fma_choice.h"

namespace mx::kernels {

inline constexpr int products_a_launch = 10;  // arguments of a launch have at most 4 KiB
inline constexpr std::size_t most_argument_bytes = 4096;

///   end  block after the last one of each product
template <class Arguments>
struct product_list {
  Arguments of[products_a_launch];
  std::uint64_t end[products_a_launch] = {};
};
static_assert(sizeof(product_list<fma_arguments>) <= most_argument_bytes);
static_assert(sizeof(product_list<prepare_arguments>) <= most_argument_bytes);

/// A thread whose block is numbered within its product.
template <class Thread>
class product_thread : public Thread {
 public:
  MX_HD product_thread(const Thread& self, std::uint64_t block) noexcept
      : Thread(self), block_(block) {}
  [[nodiscard]] MX_HD std::uint64_t block() const noexcept { return block_; }

 private:
  std::uint64_t block_;
};

/// Runs a body in a thread of a list's grid.
///   Body  has run(self, arguments)
template <class Body, class Thread>
MX_HD void run_product(const Thread& self,
                       const product_list<typename Body::arguments>& to) noexcept {
  int product = 0;
  while (self.block() >= to.end[product]) ++product;
  const std::uint64_t first = product == 0 ? 0 : to.end[product - 1];
  Body::run(product_thread<Thread>(self, self.block() - first), to.of[product]);
}

// The kernels of the ladder as bodies:
//   arguments              what run takes
//   of(r), blocks(r)       arguments of a request, and number of its blocks of threads
//   threads, shared_bytes  of a block of threads
//   least_blocks           that a multiprocessor has room for

struct core_body {
  using arguments = gemm_arguments;
  static constexpr const char* name = "gemm_core";
  static constexpr int threads = gemm_core_threads, shared_bytes = 0, least_blocks = 1;
  static arguments of(const gemm_request& r) { return arguments_of(r); }
  static std::int64_t blocks(const gemm_request& r) { return core_blocks(r); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_core(self, to);
  }
};

template <gemm_arithmetic A>
struct dp4a_body {
  using arguments = gemm_arguments;
  static constexpr const char* name = "gemm_mxfp4_dp4a";
  static constexpr int threads = dp4a_threads, shared_bytes = dp4a_shared_bytes, least_blocks = 1;
  static arguments of(const gemm_request& r) { return arguments_of(r); }
  static std::int64_t blocks(const gemm_request& r) { return dp4a_blocks(r); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_mxfp4_dp4a<model_of<A>>(self, to);
  }
};

template <fma_sums S, int Edge>
struct fma_body {
  using arguments = fma_arguments;
  static constexpr const char* name = "gemm_fma";
  static constexpr int threads = fma_shape<Edge>::threads, shared_bytes = sizeof(fma_memory<Edge>),
                       least_blocks = fma_blocks_a_multiprocessor(S, Edge);
  static arguments of(const gemm_request& r) { return fma_arguments_of(r); }
  static std::int64_t blocks(const gemm_request& r) { return fma_blocks(r.shape, Edge); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_fma<S, Edge>(self, to);
  }
};

/// The factor of one side, in the workspace.
template <gemm_arithmetic A, gemm_side Side>
struct prepare_body {
  using arguments = prepare_arguments;
  static constexpr const char* name = "gemm_prepare";
  static constexpr int threads = prepare_threads, shared_bytes = 0, least_blocks = 4;
  static arguments of(const gemm_request& r) {
    const mma_arguments to = mma_arguments_of(r);
    return Side == gemm_side::row ? prepare_rows_of(to) : prepare_columns_of(to);
  }
  static std::int64_t blocks(const gemm_request& r) { return prepare_blocks(of(r).to); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_prepare<model_of<A>, panel_layout<model_of<A>>>(self, to);
  }
};

template <gemm_arithmetic A>
struct mma_body {
  using arguments = mma_arguments;
  static constexpr const char* name = "gemm_mxfp4_mma";
  static constexpr int threads = mma_threads, shared_bytes = mma_shared_bytes<model_of<A>>,
                       least_blocks = 1;
  static arguments of(const gemm_request& r) { return mma_arguments_of(r); }
  static std::int64_t blocks(const gemm_request& r) { return tile_blocks(of(r)); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_mxfp4_mma<model_of<A>>(self, to);
  }
};

struct rest_body {
  using arguments = mma_arguments;
  static constexpr const char* name = "gemm_rest";
  static constexpr int threads = rest_threads, shared_bytes = 0, least_blocks = 1;
  static arguments of(const gemm_request& r) { return mma_arguments_of(r); }
  static std::int64_t blocks(const gemm_request& r) { return tile_blocks(of(r)); }
  template <class Thread>
  static MX_HD void run(const Thread& self, const arguments& to) {
    gemm_rest(self, to);
  }
};

template <class Body>
[[nodiscard]] product_list<typename Body::arguments> list_of(std::span<const gemm_request> run) {
  product_list<typename Body::arguments> list;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    list.of[i] = Body::of(run[i]);
    end += static_cast<std::uint64_t>(Body::blocks(run[i]));
    list.end[i] = end;
  }
  return list;
}
template <class Body>
[[nodiscard]] std::int64_t blocks_of(std::span<const gemm_request> run) {
  std::int64_t blocks = 0;
  for (const gemm_request& r : run) blocks += Body::blocks(r);
  return blocks;
}

/// The kernel of a product among others; edge of fma's tiles, else 0.
struct listed_kernel {
  gemm_kernel kernel;
  int edge = 0;

  [[nodiscard]] static listed_kernel of(const gemm_request& r, int multiprocessors) {
    const gemm_kernel kernel = chosen_kernel(r);
    return {kernel, is_fma(kernel) ? fma_edge(r.kernel, r.shape, multiprocessors) : 0};
  }
  /// Whether products are launched together.
  [[nodiscard]] bool has_lists() const {
    return !takes_warpgroups(kernel) && kernel != gemm_kernel::native;
  }
  friend bool operator==(const listed_kernel&, const listed_kernel&) = default;
};

/// Calls use(kernel, products) for consecutive products of one kernel, at most products_a_launch,
/// until an answer is not done.
template <class Use>
[[nodiscard]] status for_each_run(std::span<const gemm_request> all, int multiprocessors,
                                  const Use& use) {
  for (std::size_t first = 0, count = 1; first < all.size(); first += count) {
    const listed_kernel kernel = listed_kernel::of(all[first], multiprocessors);
    count = 1;
    while (kernel.has_lists() && count < products_a_launch && first + count < all.size() &&
           listed_kernel::of(all[first + count], multiprocessors) == kernel) {
      ++count;
    }
    const status answer = use(kernel, all.subspan(first, count));
    if (!answer.is_done()) return answer;
  }
  return {};
}

/// Calls launch.operator()<Body>() for the bodies of a product in their order, until an answer is
/// not done.
template <class Launch>
[[nodiscard]] status for_each_body(const gemm_plan& plan, const listed_kernel& kernel,
                                   const Launch& launch) {
  if (kernel.kernel == gemm_kernel::core) return launch.template operator()<core_body>();
  if (is_fma(kernel.kernel)) {
    return with_fma_kernel(sums_of(plan), kernel.edge, [&]<fma_sums S, int Edge>() {
      if constexpr (S == fma_sums::plain || S == fma_sums::promoted) {
        return launch.template operator()<fma_body<S, Edge>>();
      } else {
        return status{launch_error::format, "this plan by fma"};  // of corrections alone
      }
    });
  }
  return with_arithmetic(arithmetic_of(plan), [&]<gemm_arithmetic A>() {
    if (kernel.kernel == gemm_kernel::dp4a) return launch.template operator()<dp4a_body<A>>();
    status answer = launch.template operator()<prepare_body<A, gemm_side::row>>();
    if (answer.is_done()) answer = launch.template operator()<prepare_body<A, gemm_side::column>>();
    if (answer.is_done()) answer = launch.template operator()<mma_body<A>>();
    return answer.is_done() ? launch.template operator()<rest_body>() : answer;
  });
}

}  // namespace mx::kernels
