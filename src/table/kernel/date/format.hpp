// SPDX-License-Identifier: Apache-2.0
// Formats of strftime and strptime, taken apart once.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl::table {

inline constexpr std::array<std::string_view, 7> weekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                             "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 12> months = {"January",   "February", "March",    "April",
                                                            "May",       "June",     "July",     "August",
                                                            "September", "October",  "November", "December"};

/// Text as it is, or a directive: a letter, 0 for text; the number of digits of %f; without padding (%-d), with a colon
/// (%:z).
struct FormatPiece {
  char letter = 0;
  int digits = 0;
  bool bare = false, colon = false;
  std::string text;
};

/// The pieces of a format, those that stand for several (%F, %T, %c …) as these. Throws ValueError for a letter not
/// among `known`.
std::vector<FormatPiece> take_apart(std::string_view format, std::string_view known);

}  // namespace atl::table
