// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/csv/values.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

namespace atl::table {
namespace {

std::string_view number_in(std::string_view text) {
  auto space = [](char byte) { return byte == ' ' || byte == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> read_int(std::string_view text) {
  text = number_in(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> read_float(std::string_view text) {
  text = number_in(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(text).c_str(), nullptr);  // 0, or infinite
  return value;
}

}  // namespace atl::table
