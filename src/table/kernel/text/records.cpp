// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/records.hpp"

namespace atl::table {
namespace {

constexpr std::size_t none = std::string_view::npos;

RecordScan scan(std::string_view bytes, char quote, char delimiter, RecordState state) {
  const bool begins_field = state == RecordState::field_start;
  RecordScan result{state, -1};
  auto starts_field = [&](std::size_t at) {
    if (at == 0) return begins_field;
    return bytes[at - 1] == delimiter || bytes[at - 1] == '\n' || bytes[at - 1] == '\r';
  };
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (state == RecordState::quoted) {
      at = bytes.find(quote, at);
      if (at == none) break;
      ++at;
      state = RecordState::quote_in_quoted;
    } else if (state == RecordState::quote_in_quoted && bytes[at] == quote) {
      ++at;
      state = RecordState::quoted;
    } else {
      std::size_t opening = bytes.find(quote, at);
      while (opening != none && !starts_field(opening)) opening = bytes.find(quote, opening + 1);
      if (result.first < 0) {
        const std::size_t line = bytes.find('\n', at);
        if (line < opening) result.first = static_cast<std::int64_t>(line) + 1;  // none is larger than anything
      }
      if (opening == none) {
        state = starts_field(bytes.size()) ? RecordState::field_start : RecordState::plain;
        break;
      }
      at = opening + 1;
      state = RecordState::quoted;
    }
  }
  result.end = state;
  return result;
}

}  // namespace

std::array<RecordScan, record_states> scan_records(std::string_view bytes, char quote, char delimiter) {
  std::array<RecordScan, record_states> scans;
  for (std::size_t i = 0; i < record_states; ++i) {
    // Outside quotes, the byte before the range matters only for a quote in the range's first byte.
    const bool alike =
        i > 0 && static_cast<RecordState>(i) != RecordState::quoted && !bytes.empty() && bytes[0] != quote;
    scans[i] = alike ? scans[0] : scan(bytes, quote, delimiter, static_cast<RecordState>(i));
  }
  return scans;
}

}  // namespace atl::table
