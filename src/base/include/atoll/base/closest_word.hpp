// SPDX-License-Identifier: Apache-2.0
// Finds the word that a misspelt word most likely means, for "did you mean" in errors.
#pragma once

#include <span>
#include <string_view>

namespace atl {

/// The candidate with the fewest typing mistakes (letters changed, inserted, left out, or exchanged with their
/// neighbour) from `word`: at most a third of its letters, not counting its first `prefix` letters, and at least one.
/// Empty: none. Cost: O(candidates · letters²).
std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates,
                              std::size_t prefix = 0);

}  // namespace atl
