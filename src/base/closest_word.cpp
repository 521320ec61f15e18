// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/closest_word.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace atl {
namespace {

// Damerau-Levenshtein distance in which no letter is touched twice (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    two_ago = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates, std::size_t prefix) {
  std::size_t letters = word.size() - std::min(prefix, word.size());
  std::size_t limit = std::max<std::size_t>(1, letters / 3) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    std::size_t mistakes = distance(word, candidate);
    if (mistakes >= limit) continue;
    limit = mistakes;
    found = candidate;
  }
  return found;
}

}  // namespace atl
