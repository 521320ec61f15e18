// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/directory.hpp"

#include <cstring>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/one_sided.hpp"

namespace atl::runtime {
namespace {

constexpr PeId keeper{0};
constexpr std::uint64_t unused = 0, being_written = 1;

HeapOffset entry_at(HeapOffset directory, std::size_t index) {
  return HeapOffset(directory.value() + index * sizeof(DirectoryEntry));
}

// Nothing: none, or it changes just now.
std::optional<DirectoryEntry> read(OneSided& one_sided, HeapOffset at) {
  DirectoryEntry entry;
  entry.state = one_sided.fetch<std::uint64_t>(keeper, at);
  if (entry.state <= being_written) return std::nullopt;
  one_sided.get(reinterpret_cast<std::byte*>(&entry) + sizeof(entry.state), keeper,
              HeapOffset(at.value() + sizeof(entry.state)), sizeof(entry) - sizeof(entry.state));
  if (one_sided.fetch<std::uint64_t>(keeper, at) != entry.state) return std::nullopt;
  return entry;
}

}  // namespace

bool Directory::publish(std::string_view name, std::string_view text) {
  if (name.size() > longest_name || text.size() > longest_name || lookup(name)) return false;
  DirectoryEntry entry{};
  std::memcpy(entry.name, name.data(), name.size());
  std::memcpy(entry.text, text.data(), text.size());
  for (std::size_t i = 0; i < directory_entries; ++i) {
    HeapOffset at = entry_at(directory_, i);
    if (one_sided_.compare_swap<std::uint64_t>(keeper, at, unused, being_written) != unused) continue;
    one_sided_.put(keeper, HeapOffset(at.value() + sizeof(entry.state)),
        reinterpret_cast<std::byte*>(&entry) + sizeof(entry.state), sizeof(entry) - sizeof(entry.state));
    one_sided_.quiet();
    one_sided_.set<std::uint64_t>(keeper, at, static_cast<std::uint64_t>(now_ns()) << 1 | 2);
    one_sided_.quiet();
    return true;
  }
  return false;
}

std::optional<std::string> Directory::lookup(std::string_view name) {
  for (std::size_t i = 0; i < directory_entries; ++i)
    if (auto entry = read(one_sided_, entry_at(directory_, i)); entry && name == entry->name) return entry->text;
  return std::nullopt;
}

bool Directory::unpublish(std::string_view name, std::string_view text) {
  for (std::size_t i = 0; i < directory_entries; ++i) {
    HeapOffset at = entry_at(directory_, i);
    auto entry = read(one_sided_, at);
    if (entry && name == entry->name && text == entry->text)
      return one_sided_.compare_swap<std::uint64_t>(keeper, at, entry->state, unused) == entry->state;
  }
  return false;
}

}  // namespace atl::runtime
