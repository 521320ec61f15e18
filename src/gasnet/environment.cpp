// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "library.hpp"

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

std::uint64_t segment_limit(std::uint64_t memory, std::uint64_t processes) {
  const std::string text = environment("GASNET_MAX_SEGSIZE", "");
  const std::string size = text.substr(0, text.find('/'));
  if (size.empty()) return 0;
  char* end = nullptr;
  const double share = std::strtod(size.c_str(), &end);
  const bool is_share = *end == 0 && share > 0 && share < 1;
  const double bytes =
      is_share ? share * static_cast<double>(memory) : static_cast<double>(parse_number(size.c_str(), 1 << 20));
  const bool of_host = text.size() > size.size() + 1 && std::toupper(text[size.size() + 1]) == 'H';
  return static_cast<std::uint64_t>(std::max(bytes, 0.0)) / (of_host ? processes : 1);
}

void set_environment(const char* name, const char* value) { (void)::setenv(name, value, 1); }
void unset_environment(const char* name) { (void)::unsetenv(name); }
void share_processors(std::size_t ranks) {
  if (ranks > 1) (void)::setenv("CHPL_RT_OVERSUBSCRIBED", "yes", 0);
}
int tells_environment() { return environment_choice("GASNET_VERBOSEENV", 0); }

void tell_environment(const char* name, const char* value, int is_default) {
  const Library* here = library_if_open();
  if (tells_environment() == 0 || (here != nullptr && here->rank() != 0)) return;
  const char* shown = value == nullptr ? "*not set*" : *value == 0 ? "*empty*" : value;
  std::fputs(fmt::format("ENV parameter: {} = {}{}\n", name, shown, is_default != 0 ? "   (default)" : "").c_str(),
             stderr);
}

void tell_environment(const char* name, std::int64_t value, int is_default, int is_size) {
  char text[64];
  tell_environment(name, format_number(value, text, sizeof(text), is_size), is_default);
}

void tell_environment(const char* name, double value, int is_default) {
  tell_environment(name, fmt::format("{}", value).c_str(), is_default);
}

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
