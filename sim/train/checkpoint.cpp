// SPDX-License-Identifier: Apache-2.0
// sim/train/checkpoint.cpp: see checkpoint.h.
#include "sim/train/checkpoint.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "golden/io/tensor_file.h"
#include "golden/io/widen.h"
#include "sim/train/json_number.h"

namespace sim {
namespace {

using nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "tensor files are little-endian");

template <class T>
ordered_json optional_number(const std::optional<T>& value) {
  if (!value) return nullptr;
  return json_number(static_cast<double>(*value));
}

ordered_json json_of(const metric_row& row) {
  ordered_json j;
  j["phase"] = row.phase;
  j["arm"] = row.arm;
  j["step"] = row.step ? ordered_json(*row.step) : ordered_json(nullptr);
  j["outliers"] = row.outliers ? ordered_json(*row.outliers) : ordered_json(nullptr);
  j["passes"] = row.passes;
  j["layer"] = row.layer;
  j["metric"] = row.metric;
  j["value"] = json_number(row.value);
  j["standard_error"] = optional_number(row.standard_error);
  return j;
}

metric_row row_of(const ordered_json& j) {
  metric_row row;
  row.phase = j.at("phase");
  row.arm = j.at("arm");
  if (!j.at("step").is_null()) row.step = j.at("step").get<long long>();
  if (!j.at("outliers").is_null()) row.outliers = j.at("outliers").get<long long>();
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
    std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(p.columns)};
    if (p.rows > 1) shape.insert(shape.begin(), static_cast<std::uint64_t>(p.rows));
    tensors.push_back({prefix + p.name, golden::io::dtype::f32, shape, bytes_at(values, p), ""});
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
  }
  return values;
}

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
  const ordered_json plain = json_of(row);
  ordered_json j;
  for (const auto& [key, value] : plain.items()) {
    j[key] = value;
    if (key == "arm") j["seed"] = seed;
  }
  return j.dump();
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
  golden::io::save(file.string(), tensors,
                   {{"study", study_hash},
                    {"step", std::to_string(c.state.step)},
                    {"updates", std::to_string(c.state.optimizer.step)},
                    {"rows", rows.dump()},
                    {"hashes", hashes.dump()}});
}

std::optional<checkpoint> load_checkpoint(const std::filesystem::path& path,
                                          const parameter_table& table,
                                          const std::string& study_hash) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const golden::io::tensor_file file = golden::io::load(path.string());
  if (note(file, "study") != study_hash) {
    throw golden::io::file_error(file.path(), "belongs to another study; remove it or use --force");
  }
  try {
    checkpoint c;
    c.state.step = std::stoi(note(file, "step"));
    c.state.optimizer.step = std::stoi(note(file, "updates"));
    c.state.weights = read_tensors(table, "", file);
    if (file.find("optimizer.m." + table.embedding().name) != nullptr) {
      c.state.optimizer.m = read_tensors(table, "optimizer.m.", file);
      c.state.optimizer.v = read_tensors(table, "optimizer.v.", file);
    }
    for (const auto& j : ordered_json::parse(note(file, "rows"))) c.rows.push_back(row_of(j));
    for (const auto& j : ordered_json::parse(note(file, "hashes"))) {
      c.hashes.push_back({j.at(0), j.at(1), j.at(2)});
    }
    return c;
  } catch (const nlohmann::json::exception& e) {
    throw golden::io::file_error(file.path(), std::string("has damaged metadata: ") + e.what());
  } catch (const std::logic_error&) {  // of stoi
    throw golden::io::file_error(file.path(), "has a step count that is no number");
  }
}

}  // namespace sim
