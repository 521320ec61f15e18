// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "atoll/base/validate.hpp"

namespace atl {

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array names{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, names[unit]);
}

std::uint64_t parse_bytes(std::string_view text, std::string_view what) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  int shift = -1;
  if (suffix.empty() || suffix == "B") {
    shift = 0;
  } else {
    static constexpr std::string_view letters = "KMGTPE";
    auto at = letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix.front()))));
    std::string_view rest = suffix.substr(1);
    if (at != std::string_view::npos && (rest.empty() || rest == "B" || rest == "iB"))
      shift = 10 * (static_cast<int>(at) + 1);
  }
  bool good =
      error == std::errc{} && shift >= 0 && std::isfinite(value) && value >= 0 && std::ldexp(value, shift) < 0x1.0p63;
  ATOLL_VALIDATE(good, ValueError, "{}='{}' is not a size. Write bytes, or a number with K, M, G or T: 512M, 4G", what,
                 text);
  return static_cast<std::uint64_t>(std::ldexp(value, shift));
}

}  // namespace atl
