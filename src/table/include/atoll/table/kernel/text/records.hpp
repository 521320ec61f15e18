// SPDX-License-Identifier: Apache-2.0
// Where records of a string file with quotes begin, looked for in many ranges of it at once.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace atl::table {

/// Where in a record a range of bytes begins or ends.
enum class RecordState : std::uint8_t { field_start, plain, quoted, quote_in_quoted };
inline constexpr std::size_t record_states = 4;

/// What a range of bytes would be if it began in a state: how it ends, and where in it the first record begins that
/// begins in it (behind a line's end outside quotes); -1: nowhere.
struct RecordScan {
  RecordState end{};
  std::int64_t first = -1;
};

/// A quote opens where a field starts; inside, two of them are one; a line may end inside. `delimiter` separates
/// fields. Any range may be looked at before it is known how it begins: the ends compose.
std::array<RecordScan, record_states> scan_records(std::string_view bytes, char quote, char delimiter);

}  // namespace atl::table
