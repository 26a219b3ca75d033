// SPDX-License-Identifier: Apache-2.0
// golden/bindings/guard.cpp: messages written into a caller's buffer.
#include "golden/bindings/guard.h"

#include <cstring>
#include <new>

namespace bindings {
namespace {

/// Masks control characters: a message may quote the caller's words and be shown on a terminal.
char printable(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7F ? '?' : c;
}

mx_status set_error(mx_error* error, mx_status status, const char* sentence) noexcept {
  if (error == nullptr) return status;
  error->length = std::strlen(sentence);
  if (error->text == nullptr || error->capacity == 0) return status;
  const std::uint64_t room = error->capacity - 1;
  const std::uint64_t size = error->length < room ? error->length : room;
  for (std::uint64_t i = 0; i < size; ++i) error->text[i] = printable(sentence[i]);
  error->text[size] = '\0';
  return status;
}

}  // namespace

void clear(mx_error* error) noexcept { static_cast<void>(set_error(error, mx_status_ok, "")); }

mx_status status_of_exception(mx_error* error) noexcept {
  try {
    throw;
  } catch (const refused& why) {
    return set_error(error, why.status(), why.what());
  } catch (const std::bad_alloc&) {
    return set_error(error, mx_status_no_memory, "out of memory");
  } catch (const std::length_error&) {
    return set_error(error, mx_status_no_memory, "a size is beyond the address space");
  } catch (const std::invalid_argument& wrong) {
    return set_error(error, mx_status_bad_argument, wrong.what());
  } catch (const std::exception& unexpected) {
    return set_error(error, mx_status_internal, unexpected.what());
  } catch (...) {
    return set_error(error, mx_status_internal, "an exception of an unknown type");
  }
}

}  // namespace bindings
