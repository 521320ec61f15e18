// SPDX-License-Identifier: Apache-2.0
// Where records of separated values and lines of JSON begin, for ranges that are scanned by themselves.
#include "atoll/table/kernel/text/records.hpp"
#include "target.hpp"

ATOLL_FUZZ(records) {
  using atl::table::RecordScan;
  atl::fuzz::Input input(bytes);
  const std::size_t at = input.below(256);
  const char quote = input.byte() % 2 ? '\'' : '"', delimiter = ',';
  const std::string_view text = input.text();
  const auto whole = atl::table::scan_records(text, quote, delimiter);
  const auto first = atl::table::scan_records(text.substr(0, std::min(at, text.size())), quote, delimiter);
  const auto second = atl::table::scan_records(text.substr(std::min(at, text.size())), quote, delimiter);
  for (std::size_t state = 0; state < atl::table::record_states; ++state) {
    const RecordScan& after = second[static_cast<std::size_t>(first[state].end)];
    atl::fuzz::expect(whole[state].end == after.end, "two parts end as the whole does");
    atl::fuzz::expect(whole[state].first <= static_cast<std::int64_t>(text.size()),
                      "a record begins inside the text, or behind it");
  }
}
