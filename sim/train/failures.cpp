// SPDX-License-Identifier: Apache-2.0
// sim/train/failures.cpp: see failures.h.
#include "sim/train/failures.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <vector>

#include "golden/io/file.h"
#include "sim/study/system_failure.h"
#include "sim/train/run.h"

namespace sim {
namespace {

constexpr std::size_t most_named = 3;
constexpr const char* too_large =
    "needs more memory than there is; fewer --threads or a smaller --micro-batch need less";

enum class blame : std::uint8_t { input, bug };

struct reason {
  blame whose;
  std::string text;
};

reason reason_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const golden::io::file_error& e) {
    return {blame::input, e.what()};
  } catch (const input_error& e) {
    return {blame::input, e.what()};
  } catch (const std::bad_alloc&) {
    return {blame::input, too_large};
  } catch (const std::length_error&) {
    return {blame::input, too_large};
  } catch (const std::exception& e) {
    const std::string failed = system_failure(e);
    return failed.empty() ? reason{blame::bug, e.what()} : reason{blame::input, failed};
  }
}

}  // namespace

void failures::guard(std::size_t index, const std::string& name,
                     const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const std::scoped_lock lock(keeping_);
    kept_.insert_or_assign(index, failure{name, std::current_exception()});
    any_ = true;
  }
}

void failures::raise() const {
  if (!any()) return;
  std::vector<std::string> texts;
  blame whose = blame::input;
  for (const auto& [index, kept] : kept_) {
    const reason why = reason_of(kept.cause);
    if (why.whose == blame::bug) whose = blame::bug;
    // Bugs first: they are to be reported.
    texts.insert(why.whose == blame::bug ? texts.begin() : texts.end(),
                 fmt::format("{}: {}", kept.name, why.text));
  }
  std::string text = fmt::format(
      "{}", fmt::join(texts.begin(), texts.begin() + std::min(texts.size(), most_named), "; "));
  if (texts.size() > most_named) {
    text += fmt::format("; and {} more of the kind", texts.size() - most_named);
  }
  if (whose == blame::bug) throw std::runtime_error(text);
  throw run_error(text + "; finished work is kept: --resume continues from it");
}

}  // namespace sim
