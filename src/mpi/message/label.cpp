// SPDX-License-Identifier: Apache-2.0
#include "message/label.hpp"

#include <fmt/format.h>

#include <string>

namespace atl::mpi {
namespace {

using datatype::Node;
using datatype::Predefined;

constexpr int hash_at = 16;
constexpr std::uint64_t handle_mask = (1u << hash_at) - 1, known = std::uint64_t{1} << 63;

const Predefined* element_of(std::uint64_t label) { return datatype::find_predefined(label & handle_mask); }

bool hold_the_same(const Predefined& one, const Predefined& other) {
  return one.number == other.number && one.size == other.size;
}

bool same_hash(std::uint64_t one, std::uint64_t other) { return ((one ^ other) & ~known) >> hash_at == 0; }

std::string text_of(std::uint64_t label, std::uint64_t bytes) {
  const Predefined* element = element_of(label);
  if (element == nullptr || element->size == 0) return fmt::format("{} bytes of several types", bytes);
  return fmt::format("{} x {} ({} bytes)", bytes / element->size, element->name, bytes);
}

}  // namespace

std::uint64_t label_of(const datatype::Type& type, datatype::Count count) {
  const Predefined* element =
      only_element(*type.description(), [](const Node&) -> const Predefined* { return nullptr; });
  const std::uint64_t hash = count == 0 ? 0 : type.signature().repeated(count).hash;
  return known | (hash << hash_at & ~known) | (element == nullptr ? 0 : element->handle);
}

void check_label(const Comm& comm, const runtime::Envelope& message, std::uint64_t expected, std::size_t room) {
  if (message.label == 0 || expected == 0 || message.label == expected || message.bytes == 0) [[likely]]
    return;
  if (message.bytes == room && same_hash(message.label, expected)) return;
  const Predefined *sent = element_of(message.label), *wanted = element_of(expected);
  for (const Predefined* one : {sent, wanted})
    if (one != nullptr && one->handle == datatype::packed_handle) return;
  const bool fits = sent != nullptr && wanted != nullptr ? hold_the_same(*sent, *wanted) : message.bytes != room;
  if (fits) return;
  fail_with(
      MPI_ERR_TYPE,
      fmt::format("check: rank {} has sent {} with tag {}, and rank {} receives it as {}", comm.rank_of(message.source),
                  text_of(message.label, message.bytes), message.tag & tag_mask, comm.rank(), text_of(expected, room)),
      const_cast<Comm*>(&comm));
}

}  // namespace atl::mpi
