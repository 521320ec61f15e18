// SPDX-License-Identifier: Apache-2.0
// What bounds a gather from memory: nanoseconds for each line when so many chains of random reads go on at once, in 80
// MB. Where more chains no longer help, the core has as many lines under way as it can.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "huge_memory.hpp"

namespace {

using namespace atl;

constexpr std::size_t words_per_line = 8, reads = 4'000'000;

/// `lines` form one circle: the first word of each names the next one's.
template <std::size_t chains>
double nanoseconds(const std::uint64_t* memory, std::size_t lines) {
  std::array<std::uint64_t, chains> at;
  for (std::size_t k = 0; k < chains; ++k) at[k] = lines / chains * k * words_per_line;
  const std::int64_t start = now_ns();
  for (std::size_t i = 0; i < reads / chains; ++i)
    for (std::uint64_t& place : at) place = *static_cast<const volatile std::uint64_t*>(memory + place);
  return static_cast<double>(now_ns() - start) / static_cast<double>(reads / chains * chains);
}

template <std::size_t... chains>
void report(const std::uint64_t* memory, std::size_t lines) {
  (fmt::print("{:2} chains {:6.1f} ns for each line\n", chains, nanoseconds<chains>(memory, lines)), ...);
}

}  // namespace

int main() {
  bench::HugeMemory pages;
  const std::size_t lines = 1'250'000;
  Buffer<std::uint64_t> memory(pages, lines * words_per_line);
  std::vector<std::uint64_t> order(lines);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::size_t i = lines; i > 1; --i) std::swap(order[i - 1], order[to_bounded(random_bits(1, i), i)]);
  for (std::size_t i = 0; i < lines; ++i) memory[order[i] * words_per_line] = order[(i + 1) % lines] * words_per_line;
  report<1, 4, 8, 16, 24, 32, 48>(memory.data(), lines);
  return 0;
}
