// SPDX-License-Identifier: Apache-2.0
// sim/train/checkpoint.cpp: see checkpoint.h.
#include "sim/train/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "golden/io/safetensors.h"
#include "golden/io/widen.h"
#include "sim/study/sha256.h"
#include "sim/study/shallow_json.h"
#include "sim/train/divergence.h"

namespace sim {
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "tensor files are little-endian");

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

///   seed  of the study, in metrics.jsonl
ordered_json json_of(const metric_row& row, std::optional<std::uint64_t> seed = {}) {
  ordered_json j{{"phase", row.phase}, {"arm", row.arm}};
  if (seed) j["seed"] = *seed;
  j["step"] = or_null(row.step);
  j["outliers"] = or_null(row.outliers);
  j["passes"] = row.passes;
  j["layer"] = row.layer;
  j["metric"] = row.metric;
  j["value"] = json_number(row.value);
  j["standard_error"] = row.standard_error ? json_number(*row.standard_error) : ordered_json();
  return j;
}

metric_row row_of(const ordered_json& j) {
  metric_row row;
  row.phase = j.at("phase");
  row.arm = j.at("arm");
  if (!j.at("step").is_null()) row.step = count_from(j.at("step"));
  if (!j.at("outliers").is_null()) row.outliers = count_from(j.at("outliers"));
  row.passes = j.at("passes");
  row.layer = j.at("layer");
  row.metric = j.at("metric");
  row.value = number_from(j.at("value"));
  if (!j.at("standard_error").is_null()) row.standard_error = number_from(j.at("standard_error"));
  return row;
}

golden::io::byte_view bytes_at(const std::vector<float>& values, const parameter& p) {
  return {reinterpret_cast<const std::uint8_t*>(values.data() + p.offset),
          static_cast<std::size_t>(p.count()) * sizeof(float)};
}

/// One vector of all parameters, as one tensor a parameter.
void add_tensors(const parameter_table& table, const std::string& prefix,
                 const std::vector<float>& values, std::vector<golden::io::tensor>& tensors) {
  if (values.empty()) return;
  for (const parameter& p : table.all()) {
    tensors.push_back(
        {prefix + p.name, golden::io::dtype::f32, p.shape(), bytes_at(values, p), ""});
  }
}

std::vector<float> read_tensors(const parameter_table& table, const std::string& prefix,
                                const golden::io::tensor_file& file) {
  std::vector<float> values(static_cast<std::size_t>(table.count()));
  for (const parameter& p : table.all()) {
    const std::vector<float> tensor = golden::io::to_float32(file.at(prefix + p.name));
    if (tensor.size() != static_cast<std::size_t>(p.count())) {
      throw golden::io::file_error(file.path(), prefix + p.name,
                                   "has another shape than the study's policy");
    }
    std::memcpy(values.data() + p.offset, tensor.data(), tensor.size() * sizeof(float));
    if (const auto v = first_outside(p, values, std::numeric_limits<float>::infinity())) {
      throw golden::io::file_error(
          file.path(), prefix + p.name,
          fmt::format("holds {}, and no policy goes on from it; remove the "
                      "file, and --resume computes it again",
                      json_number(double{*v}).get<std::string>()));
    }
  }
  return values;
}

constexpr const char* sum_key = "sha256";

const std::string& note(const golden::io::tensor_file& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) {
    throw golden::io::file_error(file.path(),
                                 "is no checkpoint: metadata '" + key + "' is missing");
  }
  return found->second;
}

}  // namespace

std::string row_as_json(const metric_row& row, std::uint64_t seed) {
  return json_of(row, seed).dump();
}

std::string checkpoint_sum(std::span<const golden::io::tensor> tensors,
                           const golden::io::metadata& notes) {
  sha256 sum;
  for (const auto& [key, text] : notes) {
    if (key == sum_key) continue;
    sum.add_text(key);
    sum.add_text(text);
  }
  for (const golden::io::tensor& t : tensors) {
    sum.add_text(t.name);
    sum.add_text(golden::io::name_of(t.type));
    sum.add_text(golden::io::shape_text(t.shape));
    sum.add(t.bytes);
  }
  return sum.hexadecimal();
}

void save_checkpoint(const std::filesystem::path& file, const parameter_table& table,
                     const std::string& study_hash, const checkpoint& c) {
  ordered_json rows = ordered_json::array(), hashes = ordered_json::array();
  for (const metric_row& row : c.rows) rows.push_back(json_of(row));
  for (const hash_row& h : c.hashes) hashes.push_back({h.arm, h.step, h.sha256});
  std::vector<golden::io::tensor> tensors;
  add_tensors(table, "", c.state.weights, tensors);
  add_tensors(table, "optimizer.m.", c.state.optimizer.m, tensors);
  add_tensors(table, "optimizer.v.", c.state.optimizer.v, tensors);
  golden::io::metadata notes{{"study", study_hash},
                             {"step", std::to_string(c.state.step)},
                             {"updates", std::to_string(c.state.optimizer.step)},
                             {"rows", rows.dump()},
                             {"hashes", hashes.dump()}};
  notes[sum_key] = checkpoint_sum(tensors, notes);
  golden::io::save(file.string(), tensors, notes);
}

namespace {

/// Contents of a checkpoint whose checksum matches.
checkpoint contents_of(const golden::io::tensor_file& file, const parameter_table& table) {
  checkpoint c;
  c.state.step = count_from(shallow_json<ordered_json>(note(file, "step")));
  c.state.optimizer.step = count_from(shallow_json<ordered_json>(note(file, "updates")));
  c.state.weights = read_tensors(table, "", file);
  if (file.find("optimizer.m." + table.embedding().name) != nullptr) {
    c.state.optimizer.m = read_tensors(table, "optimizer.m.", file);
    c.state.optimizer.v = read_tensors(table, "optimizer.v.", file);
  }
  for (const auto& j : shallow_json<ordered_json>(note(file, "rows"))) c.rows.push_back(row_of(j));
  for (const auto& j : shallow_json<ordered_json>(note(file, "hashes"))) {
    c.hashes.push_back({j.at(0), count_from(j.at(1)), j.at(2)});
  }
  return c;
}

[[noreturn]] void refuse_damage(const std::string& file, const std::string& how) {
  throw golden::io::file_error(
      file, "is damaged: " + how + "; remove the file, and --resume computes it again");
}

/// The same where the bytes are no tensors.
[[noreturn]] void refuse_bytes(const std::string& file, const golden::io::file_error& e) {
  const std::string_view words = e.what();  // FILE: what
  refuse_damage(file, std::string(words.substr(file.size() + 2)));
}

}  // namespace

std::optional<checkpoint> checkpoint_in(const golden::io::tensor_file& file,
                                        const parameter_table& table,
                                        const std::string& study_hash) {
  const auto sum = file.metadata().find(sum_key);
  if (sum == file.metadata().end()) return std::nullopt;
  if (sum->second != checkpoint_sum(file.tensors(), file.metadata())) {
    refuse_damage(file.path(), "it does not match its checksum");
  }
  if (note(file, "study") != study_hash) {
    throw golden::io::file_error(
        file.path(), "belongs to another study; remove the file, and --resume computes it again");
  }
  try {
    return contents_of(file, table);
  } catch (const json_error& e) {
    refuse_damage(file.path(), fmt::format("its metadata {}", e.what()));
  } catch (const nlohmann::json::exception&) {
    refuse_damage(file.path(),
                  "its metadata lack what a checkpoint has, or have it in another form");
  }
}

std::optional<checkpoint> checkpoint_in(golden::io::byte_view bytes,
                                        std::shared_ptr<const void> owner, const std::string& path,
                                        const parameter_table& table,
                                        const std::string& study_hash) {
  golden::io::tensor_list contents;
  try {
    contents = golden::io::parse_safetensors(bytes, path);
  } catch (const golden::io::file_error& e) {
    refuse_bytes(path, e);
  }
  return checkpoint_in(golden::io::tensor_file(path, std::move(owner), std::move(contents)), table,
                       study_hash);
}

std::shared_ptr<const golden::io::mapped_file> mapped_checkpoint(
    const std::filesystem::path& path) {
  try {
    return std::make_shared<const golden::io::mapped_file>(path.string());
  } catch (const golden::io::file_error& e) {
    if (!e.byte()) throw;  // a file that cannot be opened may be whole
    refuse_bytes(path.string(), e);
  }
}

std::optional<checkpoint> load_checkpoint(const std::filesystem::path& path,
                                          const parameter_table& table,
                                          const std::string& study_hash) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto file = mapped_checkpoint(path);
  return checkpoint_in(file->bytes(), file, path.string(), table, study_hash);
}

}  // namespace sim
