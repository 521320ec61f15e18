// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace atl::gasnet {
namespace {

constexpr std::string_view units = "BKMGTP";

std::uint64_t bytes_of(char unit) {
  const auto power = units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit))));
  return power == std::string_view::npos ? 0 : std::uint64_t{1} << (10 * power);
}

}  // namespace

char* environment(const char* name) { return std::getenv(name); }

const char* environment(const char* name, const char* otherwise) {
  const char* text = environment(name);
  return text == nullptr ? otherwise : text;
}

int environment_choice(const char* name, int otherwise) {
  const char* text = environment(name);
  if (text == nullptr || *text == 0) return otherwise;
  return std::strchr("yY1tT", *text) != nullptr ? 1 : 0;
}

std::int64_t environment_number(const char* name, std::int64_t otherwise, std::uint64_t unit) {
  const char* text = environment(name);
  return text == nullptr || *text == 0 ? otherwise : parse_number(text, unit);
}

double environment_fraction(const char* name, double otherwise) {
  const char* text = environment(name);
  if (text == nullptr || *text == 0) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  return *end == '/' ? value / std::strtod(end + 1, nullptr) : value;
}

void set_environment(const char* name, const char* value) { (void)::setenv(name, value, 1); }
void unset_environment(const char* name) { (void)::unsetenv(name); }
int tells_environment() { return environment_choice("GASNET_VERBOSEENV", 0); }

char* format_number(std::int64_t value, char* into, std::size_t bytes, int is_size) {
  if (bytes == 0) return into;
  std::string text;
  const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (is_size == 0) {
    text = fmt::format("{}", value);
  } else {
    // The largest unit of which the value is a whole multiple.
    std::size_t power = 0;
    while (power + 1 < 5 && magnitude != 0 && magnitude % (std::uint64_t{1} << (10 * (power + 1))) == 0) ++power;
    text = fmt::format("{}{} {}", value < 0 ? "-" : "", magnitude >> (10 * power),
                       power == 0 ? "B" : fmt::format("{}B", units[power]));
  }
  text.resize(std::min(text.size(), bytes - 1));
  std::memcpy(into, text.c_str(), text.size() + 1);
  return into;
}

std::int64_t parse_number(const char* text, std::uint64_t unit) {
  while (std::isspace(static_cast<unsigned char>(*text)) != 0) ++text;
  char* end = nullptr;
  const std::int64_t whole = std::strtoll(text, &end, std::strncmp(text, "0x", 2) == 0 ? 16 : 10);
  if (unit == 0) return whole;
  // A size may be a fraction of its unit.
  const bool is_whole = *end != '.' && *end != '/';
  double fraction = static_cast<double>(whole);
  if (!is_whole) {
    fraction = std::strtod(text, &end);
    if (*end == '/') fraction /= std::strtod(end + 1, &end);
  }
  while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
  const std::uint64_t named = *end == 0 ? 0 : bytes_of(*end);
  const std::uint64_t by = named == 0 ? unit : named;
  return is_whole ? whole * static_cast<std::int64_t>(by)
                  : static_cast<std::int64_t>(std::llround(fraction * static_cast<double>(by)));
}

}  // namespace atl::gasnet
