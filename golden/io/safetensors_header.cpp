// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors_header.cpp: the JSON header of a safetensors file as a list of entries.
#include "golden/io/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "golden/io/json_words.h"

namespace golden::io {
namespace {

using nlohmann::json;

constexpr std::size_t most_safetensors_axes = 32;

// Parses the header token by token, so that a text of any depth or length costs no more memory than
// its entries. A header has three levels: the names, the fields of one tensor (or the metadata),
// the numbers of one field.
class header_reader final : public nlohmann::json_sax<json> {
 public:
  header_reader(std::string_view text, const file_place& start) : words_(text), start_(start) {}

  safetensors_header read() {
    json::sax_parse(words_.begin(), words_.end(), this);
    return std::move(header_);
  }

  bool start_object(std::size_t) override {
    words_.enter();
    if (level_ > 1 || in_list_) unexpected("an object");
    ++level_;
    if (level_ == 2) start_entry();
    return true;
  }

  bool end_object() override {
    words_.enter();
    if (level_ == 2 && !in_metadata()) finish_entry();
    --level_;
    return true;
  }

  bool key(string_t& text) override {
    words_.enter();
    if (level_ == 1) {
      name_ = text;
      name_byte_ = words_.first();
      if (!names_.insert(name_).second) fail("the name appears twice");
    } else {
      field_ = text;
      if (!in_metadata()) expect_new_field();
    }
    return true;
  }

  bool start_array(std::size_t) override {
    words_.enter();
    if (level_ != 2 || in_list_ || in_metadata() || field_ == "dtype") unexpected("a list");
    in_list_ = true;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    words_.enter();
    in_list_ = false;
    if (field_ == "shape") {
      shape_ = numbers_;
    } else {
      if (numbers_.size() != 2) fail("data_offsets: expected two numbers, begin and end");
      offsets_ = numbers_;
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    words_.enter_number();
    if (!in_list_) unexpected("a number");
    if (numbers_.size() == most_safetensors_axes) fail(field_ + ": more than 32 numbers");
    numbers_.push_back(value);
    return true;
  }

  bool string(string_t& text) override {
    words_.enter();
    if (level_ != 2 || in_list_) unexpected("a string");
    if (in_metadata()) {
      if (!header_.metadata.emplace(field_, text).second)
        fail("the key " + printable(field_) + " appears twice");
    } else {
      if (field_ != "dtype") unexpected("a string");
      set_type(text);
    }
    return true;
  }

  bool null() override {
    words_.enter();
    return unexpected("null");
  }
  bool boolean(bool) override {
    words_.enter();
    return unexpected("true or false");
  }
  bool number_integer(number_integer_t) override {
    words_.enter_number();
    return unexpected("a negative number");
  }
  bool number_float(number_float_t, const string_t&) override {
    words_.enter_number();
    return unexpected("a number that is not an integer below 2^64");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  /// characters: consumed by the parser, counting the end of the text as one.
  bool parse_error(std::size_t characters, const std::string&, const json::exception&) override {
    throw file_error({start_.path, *start_.byte + characters - 1},
                     "the header is not valid JSON from here on; the file is damaged or not a "
                     "safetensors file");
  }

 private:
  [[nodiscard]] bool in_metadata() const { return name_ == "__metadata__"; }

  [[nodiscard]] file_place here() const { return {start_.path, *start_.byte + words_.first()}; }

  [[noreturn]] void fail(const std::string& what) const {
    if (in_metadata()) throw file_error(here(), "__metadata__: " + what);
    throw file_error(here(), name_, what);
  }

  // Never returns; the return type keeps the callbacks above to one line.
  [[noreturn]] bool unexpected(const std::string& found) const {
    const std::string tail = ", found " + found;
    if (level_ == 0) throw file_error(here(), "the header: expected an object of tensors" + tail);
    if (level_ == 1)
      fail(std::string("expected an object of ") + (in_metadata() ? "strings" : "fields") + tail);
    if (in_metadata()) fail(printable(field_) + ": expected a string" + tail);
    if (field_ == "dtype") fail("dtype: expected a string" + tail);
    fail(field_ + ": expected a list of non-negative integers" + tail);
  }

  void start_entry() {
    field_.clear();
    type_.reset();
    shape_.reset();
    offsets_.reset();
  }

  void expect_new_field() const {
    const bool known = field_ == "dtype" || field_ == "shape" || field_ == "data_offsets";
    if (!known)
      fail("unknown field " + printable(field_) + "; expected dtype, shape, data_offsets");
    const bool seen = (field_ == "dtype" && type_) || (field_ == "shape" && shape_) ||
                      (field_ == "data_offsets" && offsets_);
    if (seen) fail(field_ + " appears twice");
  }

  void set_type(const std::string& text) {
    type_ = dtype_named(text);
    if (!type_) fail("unknown dtype " + printable(text) + "; expected one of " + dtype_names());
  }

  void finish_entry() {
    if (!type_) fail("dtype is missing");
    if (!shape_) fail("shape is missing");
    if (!offsets_) fail("data_offsets is missing");
    header_.entries.push_back(
        {name_, *type_, *shape_, offsets_->at(0), offsets_->at(1), *start_.byte + name_byte_});
  }

  json_words words_;
  const file_place& start_;
  std::uint64_t name_byte_ = 0;  // from the start of the text
  safetensors_header header_;
  std::unordered_set<std::string> names_;
  int level_ = 0;
  bool in_list_ = false;
  std::string name_, field_;
  std::vector<std::uint64_t> numbers_;
  std::optional<dtype> type_;
  std::optional<std::vector<std::uint64_t>> shape_, offsets_;
};

std::string json_text(const std::string& text, const std::string& source) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw file_error(
        source, "the name or note " + printable(text) + " is not UTF-8, so JSON cannot hold it");
  }
}

std::string entry_text(const header_entry& entry, const std::string& source) {
  std::string text =
      json_text(entry.name, source) + R"(:{"dtype":")" + std::string(name_of(entry.type));
  text += R"(","shape":)" + shape_text(entry.shape);
  text += R"(,"data_offsets":)" + shape_text({entry.begin, entry.end});
  return text + "}";
}

}  // namespace

safetensors_header parse_header(std::string_view text, const file_place& start) {
  return header_reader(text, start).read();
}

std::string header_text(const safetensors_header& header, const std::string& source) {
  std::string notes;
  for (const auto& [key, value] : header.metadata) {
    notes += (notes.empty() ? "" : ",") + json_text(key, source) + ":" + json_text(value, source);
  }
  std::string text = notes.empty() ? "" : R"("__metadata__":{)" + notes + "}";
  for (const header_entry& entry : header.entries) {
    text += (text.empty() ? "" : ",") + entry_text(entry, source);
  }
  return "{" + text + "}";
}

}  // namespace golden::io
