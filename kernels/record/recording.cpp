// SPDX-License-Identifier: Apache-2.0
// kernels/record/recording.cpp: committed words with the bits of a device.
#include "recording.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include "hexadecimal.h"

namespace mx::kernels {
namespace {

/// Line number -> the d of its word.
std::map<std::size_t, std::uint32_t> by_line(const golden::words::word_file& words,
                                             const std::vector<std::uint32_t>& results) {
  std::map<std::size_t, std::uint32_t> found;
  std::size_t next = 0;
  for (const golden::words::word_section& section : words.sections) {
    for (const golden::words::dot_word& word : section.words) {
      if (next < results.size()) found[word.line] = results[next];
      ++next;
    }
  }
  if (next != results.size()) throw std::invalid_argument("as many results as words are needed");
  return found;
}

std::string with_last_field(const std::string& line, std::uint32_t d) {
  const std::size_t begin = line.rfind(' ') + 1;
  return line.substr(0, begin) + hexadecimal(d, static_cast<int>(line.size() - begin));
}

std::string head_of(const std::string& model, const device_facts& facts) {
  return "# " + model + ": words of a dot product, and what a device gave for them.\n# device " +
         facts.name + ", compute capability " + facts.compute_capability + "\n# driver " +
         facts.driver + ", runtime " + facts.runtime + "\n# date " + facts.date +
         "\n# Written by kernels/record; format: golden/vectors/README.md.\n";
}

}  // namespace

std::string recorded_text(const std::string& text, const golden::words::word_file& words,
                          const std::vector<std::uint32_t>& results, const device_facts& facts) {
  const std::map<std::size_t, std::uint32_t> found = by_line(words, results);
  std::string recorded = head_of(words.model, facts), line;
  std::istringstream lines(text);
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const auto word = found.find(number);
    if (line.starts_with('#')) continue;
    if (line.starts_with("evidence ")) line = "evidence recorded on " + facts.name;
    recorded += (word == found.end() ? line : with_last_field(line, word->second)) + "\n";
  }
  return recorded;
}

std::string folder_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain) {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

}  // namespace mx::kernels
