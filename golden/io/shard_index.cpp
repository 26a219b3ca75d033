// SPDX-License-Identifier: Apache-2.0
// golden/io/shard_index.cpp: the index of a model in several safetensors files: which tensor is
// where.
#include "golden/io/shard_index.h"

#include <nlohmann/json.hpp>

#include "golden/io/utf8.h"

namespace golden::io {
namespace {

using nlohmann::json;

/// Takes the entries of weight_map token by token, so that no depth of a text costs memory.
class index_reader final : public nlohmann::json_sax<json> {
 public:
  explicit index_reader(const std::string& source) : source_(source) {}

  shard_index read(std::string_view text) {
    json::sax_parse(text.begin(), text.end(), this);
    if (!seen_) throw file_error(source_, "has no object 'weight_map'; it is no index of shards");
    if (index_.empty()) throw file_error(source_, "its weight_map is empty");
    return std::move(index_);
  }

  bool start_object(std::size_t) override {
    ++level_;
    if (level_ == 2 && key_ == "weight_map") enter_map();
    if (in_map_ && level_ > 2) unexpected("an object");
    return true;
  }
  bool end_object() override {
    if (level_ == 2) in_map_ = false;
    --level_;
    return true;
  }
  bool key(string_t& text) override {
    key_ = text;
    return true;
  }
  bool string(string_t& shard) override {
    if (!in_map_) return other("a string");
    expect_plain_name(shard);
    if (!index_.emplace(key_, shard).second) throw file_error(source_, key_, "appears twice");
    return true;
  }
  bool start_array(std::size_t) override {
    other("a list");
    ++level_;
    return true;
  }
  bool end_array() override {
    --level_;
    return true;
  }
  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t&) override { return other("a number"); }
  bool binary(binary_t&) override { return other("binary data"); }
  bool parse_error(std::size_t characters, const std::string&, const json::exception&) override {
    throw file_error({source_, characters - 1}, "is not valid JSON from here on");
  }

 private:
  void enter_map() {
    if (seen_) throw file_error(source_, "weight_map appears twice");
    seen_ = in_map_ = true;
  }

  // A value of another key is ignored.
  bool other(const char* found) {
    if (in_map_) unexpected(found);
    if (level_ == 0 || (level_ == 1 && key_ == "weight_map")) {
      throw file_error(
          source_, std::string("expected an object with an object 'weight_map', found ") + found);
    }
    return true;
  }

  [[noreturn]] void unexpected(const char* found) const {
    throw file_error(source_, key_, std::string("expected the name of a file, found ") + found);
  }

  void expect_plain_name(const std::string& shard) const {
    constexpr std::string_view extension = ".safetensors";
    const bool plain = shard.size() > extension.size() && shard.ends_with(extension) &&
                       shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
    if (plain) return;
    throw file_error(source_, key_,
                     "its shard is " + printable(shard) +
                         "; expected the name of a .safetensors file beside the index");
  }

  const std::string& source_;
  int level_ = 0;
  bool seen_ = false, in_map_ = false;
  std::string key_;
  shard_index index_;
};

}  // namespace

shard_index parse_shard_index(std::string_view text, const std::string& source) {
  return index_reader(source).read(text);
}

}  // namespace golden::io
