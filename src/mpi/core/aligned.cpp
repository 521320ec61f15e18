// SPDX-License-Identifier: Apache-2.0
#include "core/aligned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string>

#include "atoll/base/raise.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

constexpr std::size_t heap_alignment = 64;  // alignment of every block of the heap

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::size_t alignment_of(const Info::Entries& hints) {
  auto hint = std::ranges::find(hints, "mpi_minimum_memory_alignment", &Info::Entries::value_type::first);
  if (hint == hints.end()) return 1;
  const std::string_view text = trimmed(hint->second);
  std::size_t alignment = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), alignment);
  ATOLL_MPI_REQUIRE(
      error == std::errc() && end == text.data() + text.size() && std::has_single_bit(alignment), MPI_ERR_INFO_VALUE,
      "mpi_minimum_memory_alignment is '{}' (an alignment is a power of two, in bytes). Say 4096, for example?",
      hint->second);
  return alignment;
}

AlignedBlock allocate_aligned(std::size_t bytes, std::size_t alignment) {
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  const std::size_t more = alignment > heap_alignment ? alignment - heap_alignment : 0;
  if (wanted + more < wanted)
    raise<MemoryError>(
        fmt::format("{} bytes at a multiple of {} are more than a process can address", bytes, alignment));
  void* block = library().memory().heap().allocate(wanted + more);
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  return {block, static_cast<std::byte*>(block) + ((at + alignment - 1) / alignment * alignment - at)};
}

}  // namespace atl::mpi
