// SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include <cstring>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

constexpr PeId keeper{0};
constexpr std::uint64_t unused = 0, being_written = 1;

HeapOffset entry_at(HeapOffset directory, std::size_t index) {
  return HeapOffset(directory.value() + index * sizeof(DirectoryEntry));
}

// Nothing: none, or it changes just now.
std::optional<DirectoryEntry> read(Context& context, HeapOffset at) {
  DirectoryEntry entry;
  entry.state = context.fetch<std::uint64_t>(keeper, at);
  if (entry.state <= being_written) return std::nullopt;
  context.get(reinterpret_cast<std::byte*>(&entry) + sizeof(entry.state), keeper,
              HeapOffset(at.value() + sizeof(entry.state)), sizeof(entry) - sizeof(entry.state));
  if (context.fetch<std::uint64_t>(keeper, at) != entry.state) return std::nullopt;
  return entry;
}

}  // namespace

bool Context::publish(std::string_view name, std::string_view text) {
  if (name.size() > longest_name || text.size() > longest_name || lookup(name)) return false;
  DirectoryEntry entry{};
  std::memcpy(entry.name, name.data(), name.size());
  std::memcpy(entry.text, text.data(), text.size());
  for (std::size_t i = 0; i < directory_entries; ++i) {
    HeapOffset at = entry_at(directory_, i);
    if (compare_swap<std::uint64_t>(keeper, at, unused, being_written) != unused) continue;
    put(keeper, HeapOffset(at.value() + sizeof(entry.state)),
        reinterpret_cast<std::byte*>(&entry) + sizeof(entry.state), sizeof(entry) - sizeof(entry.state));
    quiet();
    set<std::uint64_t>(keeper, at, static_cast<std::uint64_t>(now_ns()) << 1 | 2);
    quiet();
    return true;
  }
  return false;
}

std::optional<std::string> Context::lookup(std::string_view name) {
  for (std::size_t i = 0; i < directory_entries; ++i)
    if (auto entry = read(*this, entry_at(directory_, i)); entry && name == entry->name) return entry->text;
  return std::nullopt;
}

bool Context::unpublish(std::string_view name, std::string_view text) {
  for (std::size_t i = 0; i < directory_entries; ++i) {
    HeapOffset at = entry_at(directory_, i);
    auto entry = read(*this, at);
    if (entry && name == entry->name && text == entry->text)
      return compare_swap<std::uint64_t>(keeper, at, entry->state, unused) == entry->state;
  }
  return false;
}

}  // namespace atl::runtime
