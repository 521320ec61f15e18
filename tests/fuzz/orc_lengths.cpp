// SPDX-License-Identifier: Apache-2.0
// A stream of lengths of an ORC file.
#include "atoll/base/error.hpp"
#include "atoll/table/kernel/orc/lengths.hpp"
#include "target.hpp"

ATOLL_FUZZ(orc_lengths) {
  using namespace atl::table;
  atl::fuzz::Input input(bytes);
  const OrcRuns runs = input.byte() % 2 ? OrcRuns::v2 : OrcRuns::v1;
  const std::uint64_t count = std::uint64_t{1} << input.byte() % 64;
  try {
    atl::fuzz::expect(sum_orc_lengths(std::as_bytes(input.rest()), runs, count) <= most_of_orc,
                      "a sum is at most the largest that is told");
  } catch (const atl::ValueError&) {}
}
