// SPDX-License-Identifier: Apache-2.0
#include "core/guest.hpp"

#include <fmt/format.h>

#include <charconv>

#include "atoll/bootstrap/guests.hpp"

namespace atl::mpi {

std::string note_for(const Guest& guest) {
  return fmt::format("{}:{}:{}", guest.root.value(), guest.bits, guest.number);
}

std::optional<Guest> guest_of_another() {
  std::string text = runtime::note_for_guest();
  if (text.empty()) return std::nullopt;
  std::uint64_t words[3] = {};
  const char* at = text.data();
  for (std::uint64_t& word : words) {
    at = std::from_chars(at, text.data() + text.size(), word).ptr;
    if (at != text.data() + text.size()) ++at;
  }
  return Guest{PeId(static_cast<std::uint32_t>(words[0])), words[1], static_cast<int>(words[2])};
}

}  // namespace atl::mpi
