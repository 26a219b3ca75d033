// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor_file.cpp: a tensor file of any supported format, chosen by its extension.
#include "golden/io/tensor_file.h"

#include "golden/io/file_kind.h"
#include "golden/io/model_folder.h"
#include "golden/io/pickle.h"
#include "golden/io/tensor_writer.h"

namespace golden::io {
namespace {

// Pickle signatures are checked last: the header length of a safetensors file may begin with the
// same bytes.
tensor_list parsed(const file_kind& kind, byte_view file, const std::string& path) {
  try {
    return kind.parse(file, path);
  } catch (const file_error&) {
    refuse_pickle(path, file);
    throw;
  }
}

}  // namespace

tensor_file::tensor_file(std::string path, std::shared_ptr<const void> owner,
                         tensor_list contents) {
  const auto made =
      std::make_shared<state>(state{std::move(path), std::move(owner), std::move(contents), {}});
  for (const tensor& t : made->contents.tensors) made->by_name.emplace(t.name, &t);
  state_ = made;
}

const tensor* tensor_file::find(std::string_view name) const {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : found->second;
}

const tensor& tensor_file::at(std::string_view name) const {
  if (const tensor* found = find(name)) return *found;
  for (const foreign_tensor& candidate : foreign()) {
    if (candidate.name == name) refuse_foreign(candidate, path());
  }
  throw file_error(path(), name, "is missing; the file holds" + first_names(*this));
}

std::string first_names(const tensor_file& file) {
  constexpr std::size_t most = 400;
  std::string names;
  for (const tensor& t : file.tensors()) {
    if (names.size() > most) return names + " ...";
    names += " " + printable(t.name);
  }
  return names.empty() ? " no tensor" : names;
}

void refuse_foreign(const foreign_tensor& tensor, const std::string& path) {
  throw file_error(path, tensor.name,
                   "is " + tensor.type +
                       ", an unsupported type of llama.cpp; expected F32, F16, BF16, MXFP4, "
                       "NVFP4, Q4_0, Q4_1 or Q8_0: convert the model again with one of them");
}

tensor_file load(const std::string& path) {
  if (is_model_of_files(path)) return load_model(path);
  const file_kind& kind = kind_of(path);
  auto file = std::make_shared<const mapped_file>(path);
  tensor_list contents = parsed(kind, file->bytes(), path);
  return {path, std::move(file), std::move(contents)};
}

void save(const std::string& path, std::span<const tensor> tensors, const metadata& notes) {
  std::vector<tensor_plan> plans;
  for (const tensor& source : tensors) {
    tensor described = source;
    described.source = path;
    expect_matching_bytes(described);
    plans.push_back({source.name, source.type, source.shape});
  }
  tensor_writer writer(path, std::move(plans), notes);
  for (const tensor& source : tensors) writer.append(source.bytes);
  writer.finish();
}

}  // namespace golden::io
