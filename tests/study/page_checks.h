// SPDX-License-Identifier: Apache-2.0
// tests/study/page_checks.h: whether a page is well-formed, and needs nothing outside itself.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

/// The page without the one script that every page has, which tests in a browser check.
inline std::string without_script(std::string page) {
  const std::size_t begin = page.find("<script>//<![CDATA["), end = page.find("//]]></script>");
  if (begin == std::string::npos || end == std::string::npos) return page;
  return page.erase(begin, page.find('>', end + 6) + 1 - begin);
}

/// Checks that tags nest and that attributes are quoted.
///   returns  the first error, or nothing
inline std::string complaint_of(const std::string& with_script) {
  const std::string page = without_script(with_script);
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "unfinished tag";
    const std::string tag = page.substr(at + 1, end - at - 1);
    if (tag.starts_with("!") || tag.ends_with("/")) continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "odd quotes in " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (!tag.starts_with("/")) {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return "unexpected " + name + " in " + (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

/// Ways to reach for something outside the page.
///   returns  the first found, or nothing
inline std::string outside_of(const std::string& with_script) {
  const std::string page = without_script(with_script);
  for (const char* outside : {"http", "src=", "url(", "@import", "<script", "<link"}) {
    if (page.find(outside) != std::string::npos) return outside;
  }
  return "";
}
