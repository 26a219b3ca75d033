// SPDX-License-Identifier: Apache-2.0
// golden/io/npy.cpp: the .npy format: a Python dictionary describing one array, then its data.
#include "golden/io/npy.h"

#include <algorithm>
#include <array>

#include "golden/io/npy_header.h"

namespace golden::io {
namespace {

constexpr std::array<std::uint8_t, 6> magic{0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr std::size_t version_end = magic.size() + 2;
constexpr std::size_t longest_npy_header = 1'000'000;
constexpr std::size_t alignment = 64;  // of the data, as NumPy writes it

struct descr_row {
  std::string_view descr;
  dtype type;
};

constexpr std::array descr_table{
    descr_row{"|b1", dtype::boolean}, descr_row{"|u1", dtype::u8},  descr_row{"|i1", dtype::i8},
    descr_row{"<u2", dtype::u16},     descr_row{"<i2", dtype::i16}, descr_row{"<u4", dtype::u32},
    descr_row{"<i4", dtype::i32},     descr_row{"<u8", dtype::u64}, descr_row{"<i8", dtype::i64},
    descr_row{"<f2", dtype::f16},     descr_row{"<f4", dtype::f32}, descr_row{"<f8", dtype::f64},
};

std::string descr_names() {
  std::string names;
  for (const descr_row& row : descr_table) names += " " + std::string(row.descr);
  return names;
}

// Why a type is unsupported, and how to convert it in Python.
std::string refusal(const std::string& descr) {
  if (descr.ends_with('O')) {
    return "the array holds Python objects, that is pickles, which are never loaded; save numbers "
           "instead";
  }
  if (descr.starts_with('>')) {
    return "the numbers are big-endian; save x.astype(x.dtype.newbyteorder('<')) instead";
  }
  if (descr.find('V') != std::string::npos) {
    return "the type " + printable(descr) +
           " has no meaning by itself (BF16 looks like this); save float32 numbers, "
           "or BF16 as .safetensors";
  }
  return "unknown type " + printable(descr) + "; expected one of" + descr_names();
}

dtype type_of(const npy_value<std::string>& descr, const std::string& source) {
  for (const descr_row& row : descr_table) {
    if (row.descr == descr.value) return row.type;
  }
  throw file_error({source, descr.byte}, "x", refusal(descr.value));
}

struct text_range {
  std::size_t begin, length;
};

// Position of the dictionary: after 2 bytes of length in version 1, after 4 in versions 2 and 3.
text_range header_range(byte_view file, const std::string& source) {
  if (file.size() < version_end || !std::equal(magic.begin(), magic.end(), file.begin())) {
    throw file_error({source, 0},
                     "is not a .npy file: expected the bytes \\x93NUMPY and a version");
  }
  const unsigned major = file[magic.size()];
  const unsigned minor = file[magic.size() + 1];
  if (major < 1 || major > 3 || minor != 0) {
    throw file_error({source, magic.size()}, "is of .npy version " + std::to_string(major) + "." +
                                                 std::to_string(minor) +
                                                 "; expected 1.0, 2.0 or 3.0");
  }
  const std::size_t begin = version_end + (major == 1 ? 2 : 4);
  if (file.size() < begin)
    throw file_error({source, version_end},
                     "is truncated: the length of the .npy header is missing");
  std::size_t length = 0;
  for (std::size_t i = begin; i-- > version_end;) length = length * 256 + file[i];
  if (length > longest_npy_header || length > file.size() - begin) {
    throw file_error({source, version_end},
                     "the .npy header claims " + std::to_string(length) + " bytes; the file has " +
                         std::to_string(file.size() - begin) +
                         " after its length, and at most 1000000 are expected");
  }
  return {begin, length};
}

std::string dictionary_text(const tensor_plan& array, std::string_view descr) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t extent : array.shape) {
    text += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
  }
  if (array.shape.size() > 1) text.resize(text.size() - 2);
  return text + "), }";
}

std::vector<std::uint8_t> npy_prefix(std::string text) {
  // Spaces and a newline pad the header to a multiple of 64 bytes. 64 axes of 20 digits stay far
  // below 64 KiB, so the two length bytes of version 1 always suffice.
  const std::size_t begin = version_end + 2;
  const std::size_t end = (begin + text.size() + 1 + alignment - 1) / alignment * alignment;
  text.resize(end - begin - 1, ' ');
  text += '\n';
  std::vector<std::uint8_t> bytes(end);
  const auto version = std::copy(magic.begin(), magic.end(), bytes.begin());
  version[0] = 1;
  version[2] = static_cast<std::uint8_t>(text.size() % 256);
  version[3] = static_cast<std::uint8_t>(text.size() / 256);
  std::copy(text.begin(), text.end(), version + 4);
  return bytes;
}

}  // namespace

tensor_list parse_npy(byte_view file, const std::string& source) {
  const auto [begin, length] = header_range(file, source);
  const byte_view text = file.subspan(begin, length);
  const npy_header header =
      parse_npy_header({reinterpret_cast<const char*>(text.data()), text.size()}, {source, begin});
  const dtype type = type_of(header.descr, source);
  const std::vector<std::uint64_t>& shape = header.shape.value;
  if (header.order.value == memory_order::column_major && shape.size() > 1) {
    throw file_error({source, header.order.byte}, "x",
                     "is stored in Fortran order; save numpy.ascontiguousarray(x) instead");
  }
  tensor_list list;
  list.tensors.push_back(
      {"x", type, shape, file.subspan(begin + length), {source, header.shape.byte}});
  expect_matching_bytes(list.tensors.front());
  return list;
}

file_frame npy_frame(std::span<const tensor_plan> plans, const metadata&, const std::string& path) {
  if (plans.size() != 1) {
    throw file_error(path, "a .npy file holds exactly one tensor, not " +
                               std::to_string(plans.size()) + "; write .safetensors instead");
  }
  const tensor_plan& array = plans.front();
  if (array.shape.size() > 64)
    throw file_error(path, array.name, "has more than the 64 axes that NumPy takes");
  const auto row =
      std::find_if(descr_table.begin(), descr_table.end(),
                   [&](const descr_row& candidate) { return candidate.type == array.type; });
  if (row == descr_table.end()) {
    throw file_error(path, array.name,
                     "NumPy has no type for " + std::string(name_of(array.type)) +
                         "; write .safetensors instead");
  }
  return {npy_prefix(dictionary_text(array, row->descr)), {0}};
}

}  // namespace golden::io
