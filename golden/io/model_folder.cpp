// SPDX-License-Identifier: Apache-2.0
// golden/io/model_folder.cpp: a model of several files as one.
#include "golden/io/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "golden/io/shard_index.h"

namespace golden::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_ending = ".safetensors.index.json";
/// An index of a million tensors takes about 100 MB.
constexpr std::uint64_t longest_index = std::uint64_t{256} << 20;

// Of a path that cannot be looked at: no; opening it says why.
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The tensors of one shard, which must be those that the index places there.
tensor_file load_shard(const fs::path& path, const shard_index& index, const std::string& source) {
  if (!is_there(path)) {
    throw file_error(source, "its shard " + printable(path.filename().string()) +
                                 " is missing; expected it beside the index: download it again");
  }
  tensor_file shard = load(path.string());
  const std::string name = path.filename().string();
  for (const tensor& t : shard.tensors()) {
    const auto placed = index.find(t.name);
    if (placed == index.end() || placed->second != name) {
      throw file_error(t.source, t.name, "is in this shard, but not by the index " + source);
    }
  }
  for (const auto& [tensor_name, file] : index) {
    if (file == name && shard.find(tensor_name) == nullptr) {
      throw file_error(path.string(), tensor_name,
                       "is missing, though the index " + source + " places it here");
    }
  }
  return shard;
}

void keep_shared(const metadata& other, metadata& notes) {
  std::erase_if(notes, [&](const auto& note) {
    const auto found = other.find(note.first);
    return found == other.end() || found->second != note.second;
  });
}

shard_index index_in(const std::string& path) {
  return parse_shard_index(read_text(path, longest_index), path);
}

///   path  of the index
tensor_file load_shards(const std::string& path, const shard_index& index) {
  std::set<std::string> names;
  for (const auto& [tensor_name, file] : index) names.insert(file);
  const auto shards = std::make_shared<std::vector<tensor_file>>();
  tensor_list all;
  for (const std::string& name : names) {
    shards->push_back(load_shard(fs::path(path).parent_path() / name, index, path));
    const tensor_file& shard = shards->back();
    all.tensors.insert(all.tensors.end(), shard.tensors().begin(), shard.tensors().end());
    if (shards->size() == 1) all.metadata = shard.metadata();
    keep_shared(shard.metadata(), all.metadata);
  }
  return {path, shards, std::move(all)};
}

std::vector<fs::path> files_with(const std::string& extension, const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == extension) found.push_back(at->path());
  }
  if (failed) throw file_error(folder, "cannot read the folder: " + failed.message());
  return found;
}

/// Other programs prefer the single file.
void expect_no_other_model(const fs::path& single, const shard_index& index,
                           const std::string& source) {
  const std::string name = single.filename().string();
  const bool is_shard =
      std::ranges::any_of(index, [&](const auto& placed) { return placed.second == name; });
  if (is_there(single) && !is_shard) {
    throw file_error(single.string(), "is beside " + source +
                                          ", which does not name it; name one of them, or remove "
                                          "the other");
  }
}

tensor_file load_folder(const std::string& folder) {
  const fs::path single = fs::path(folder) / "model.safetensors";
  const std::string path = (fs::path(folder) / "model").string() + std::string(index_ending);
  if (is_there(path)) {
    const shard_index index = index_in(path);
    expect_no_other_model(single, index, path);
    return load_shards(path, index);
  }
  if (is_there(single)) return load(single.string());
  for (const char* const extension : {".safetensors", ".gguf"}) {
    const std::vector<fs::path> found = files_with(extension, folder);
    if (found.size() == 1) return load(found.front().string());
    if (found.size() > 1) {
      throw file_error(
          folder,
          "is a folder with " + std::to_string(found.size()) + " " + extension +
              " files and no model.safetensors or model.safetensors.index.json; name one of "
              "them");
    }
  }
  throw file_error(folder,
                   "is a folder without a model; expected model.safetensors.index.json, one "
                   ".safetensors or one .gguf in it");
}

}  // namespace

bool is_model_of_files(const std::string& path) {
  return path.ends_with(index_ending) || is_folder(path);
}

tensor_file load_model(const std::string& path) {
  return is_folder(path) ? load_folder(path) : load_shards(path, index_in(path));
}

}  // namespace golden::io
