// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack_folder.cpp: files, hashes and the manifest of a pack.
#include "golden/vectors/packs/pack_folder.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "golden/io/file.h"
#include "golden/io/replaced_file.h"
#include "golden/io/replaced_folder.h"
#include "golden/io/tensor_file.h"
#include "golden/vectors/packs/memory_text.h"

namespace golden::packs {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

io::byte_view bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string contents_of(const fs::path& path) {
  return io::read_text(path.string(), io::longest_data);
}

void write_file(const fs::path& folder, const pack& which, const pack_file& file) {
  std::vector<io::tensor> tensors;
  for (const pack_array& a : file.arrays) {
    tensors.push_back({a.name, a.type, a.shape, a.bytes, file.name});
  }
  io::metadata notes = file.notes;
  // `quantize` output is compared byte for byte, so nothing is added to it.
  if (!file.name.ends_with(".expected")) {
    notes["pack"] = std::string(which.name);
    notes["pack_version"] = std::to_string(which.version);
  }
  io::save((folder / (file.name + ".safetensors")).string(), tensors, notes);
}

/// File name -> list of sentences, for all files written.
std::map<std::string, std::string> write_files(const fs::path& folder, const pack& which,
                                               const pack_contents& contents) {
  std::map<std::string, std::string> rows;
  for (const pack_file& file : contents.files) {
    write_file(folder, which, file);
    rows[file.name + ".safetensors"] = file.rows;
  }
  static const std::vector<std::string> none;
  for (const pack_memory& memory : contents.memories) {
    const auto found = contents.rows.find(memory.rows);
    io::write_text(folder / (memory.name + ".mem"),
                   memory_text(which, memory, found == contents.rows.end() ? none : found->second));
    rows[memory.name + ".mem"] = memory.rows;
  }
  return rows;
}

std::string manifest_of(const pack& which, const pack_contents& contents,
                        const std::map<std::string, std::string>& rows,
                        const std::vector<written_file>& files) {
  ordered_json listed = ordered_json::array();
  for (const written_file& file : files) {
    ordered_json entry{{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}};
    if (const std::string& list = rows.at(file.name); !list.empty()) entry["rows"] = list;
    listed.push_back(std::move(entry));
  }
  const ordered_json manifest{{"pack", which.name},         {"version", which.version},
                              {"sentence", which.sentence}, {"files", std::move(listed)},
                              {"notes", contents.notes},    {"rows", contents.rows}};
  return manifest.dump(1) + "\n";
}

/// Whether two folders contain the same files, byte for byte.
bool holds_the_same(const fs::path& folder, const fs::path& wanted) {
  const auto count = [](const fs::path& f) {
    return std::distance(fs::directory_iterator(f), fs::directory_iterator());
  };
  if (count(folder) != count(wanted)) return false;
  for (const auto& entry : fs::directory_iterator(wanted)) {
    const fs::path other = folder / entry.path().filename();
    if (!fs::is_regular_file(other) || contents_of(other) != contents_of(entry)) return false;
  }
  return true;
}

bool is_vacant(const fs::path& folder) {
  return !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
}

/// Writes all files of a pack into a folder.
written_pack written_to(const fs::path& folder, const pack& which) {
  const pack_contents contents = which.contents();
  const std::map<std::string, std::string> rows = write_files(folder, which, contents);
  written_pack result;
  for (const auto& [name, list] : rows) {
    const std::string bytes = contents_of(folder / name);
    result.files.push_back({name, bytes.size(), sha256_of(bytes_of(bytes))});
  }
  const std::string manifest = manifest_of(which, contents, rows, result.files);
  io::write_text(folder / "manifest.json", manifest);
  result.manifest_sha256 = sha256_of(bytes_of(manifest));
  return result;
}

/// Writes them, reporting errors for the requested folder.
written_pack written_for(const std::string& asked, const io::replaced_folder& made,
                         const pack& which) {
  try {
    return written_to(made.path(), which);
  } catch (const io::file_error& wrong) {
    made.refuse_for(asked, wrong);
  }
}

}  // namespace

std::string sha256_of(io::byte_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available in the OpenSSL library");
  }
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

written_pack write_pack(const pack& which, const std::string& folder) {
  const fs::path target = folder;
  if (fs::exists(target) && !fs::is_directory(target)) {
    throw io::file_error(folder, "cannot be written: it is no folder");
  }
  io::replaced_folder made(target);
  written_pack result = written_for(folder, made, which);
  if (is_vacant(target)) {
    made.take_the_place_of_target();
  } else if (holds_the_same(target, made.path())) {
    result.state = written_pack::state::unchanged;
  } else {
    throw io::file_error(folder, "holds other files, which stay; name a new or an empty folder");
  }
  return result;
}

}  // namespace golden::packs
