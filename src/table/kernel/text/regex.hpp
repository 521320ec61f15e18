// SPDX-License-Identifier: Apache-2.0
// Regular expressions with Python's syntax, by PCRE2 and its compiler to machine code.
//
// Not RE2: Python's `re` and pandas look ahead and behind, refer back, and know Unicode's letters in \w, \b and \d,
// which RE2 does not; and Debian's RE2 can only be linked as a shared library, which wheels may not ask for. What PCRE2
// takes in return, time that grows without bounds for some patterns, is bounded: a search that goes astray raises.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/table/kernel/text/builder.hpp"

namespace atl::table {

class Regex {
 public:
  /// Python's re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE and re.ASCII.
  enum Flags : std::int64_t { ignore_case = 2, multi_line = 8, dot_all = 16, verbose = 64, ascii = 256 };

  /// Throws ValueError with the place in the pattern when it is none.
  Regex(const std::string& pattern, std::int64_t flags);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  /// What a search needs while it runs; one for each thread.
  class Search;

  std::size_t groups() const { return groups_; }
  void split(std::string_view text, std::int64_t most, std::vector<std::string_view>& parts) const;
  /// All matches; of each the groups instead (null where one took no part), or all of it when there are none.
  void find_all(std::string_view text, bool groups, std::vector<std::string_view>& parts) const;

 private:
  friend class Search;
  void* code_ = nullptr;
  std::size_t groups_ = 0;
};

/// A search over strings, in the thread that made it. Not thread-safe.
class Regex::Search {
 public:
  explicit Search(const Regex& regex);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Whether there is a match from `begin` on; `after_empty`: and no empty one there.
  bool find(std::string_view text, std::size_t begin, bool after_empty = false);
  /// Of the match; {npos, npos} of a group that took no part.
  std::pair<std::size_t, std::size_t> span(std::size_t group) const;
  std::string_view group(std::string_view text, std::size_t group) const;
  /// Calls visit() for matches that do not overlap, as re.finditer finds them, until it returns false.
  template <class Visit>
  void for_each(std::string_view text, Visit&& visit) {
    std::size_t at = 0;
    bool after_empty = false;
    while (find(text, at, after_empty) && visit()) {
      const auto [begin, end] = span(0);
      at = end;
      after_empty = begin == end;
    }
  }

 private:
  const Regex& regex_;
  void* match_;
  void* context_;
  void* stack_;
};

}  // namespace atl::table
