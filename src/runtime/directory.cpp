// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/directory.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime {
namespace {

constexpr PeId keeper{0};
constexpr std::uint64_t unused = 0, being_written = 1;
constexpr std::int64_t retry_ns = 50'000;  // publishing takes some microseconds, between hosts some more

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
  if (name.size() > longest_name || text.size() > longest_name) return false;
  struct Locked {
    explicit Locked(Directory& directory) : directory_(directory) { directory_.lock(); }
    ~Locked() {
      try {
        directory_.unlock();
      } catch (const std::exception& error) { log(LogLevel::debug, "publishing a name: {}", error.what()); }
    }
    Directory& directory_;
  } locked(*this);
  if (lookup(name)) return false;
  DirectoryEntry entry{};
  std::memcpy(entry.name, name.data(), name.size());
  std::memcpy(entry.text, text.data(), text.size());
  for (std::size_t i = 0; i < directory_entries; ++i) {
    HeapOffset at = entry_at(directory_, i);
    // An entry that is being written while this PE has the lock is of a PE that died.
    if (one_sided_.fetch<std::uint64_t>(keeper, at) > being_written) continue;
    one_sided_.set<std::uint64_t>(keeper, at, being_written);
    one_sided_.put(keeper, HeapOffset(at.value() + sizeof(entry.state)),
                   reinterpret_cast<std::byte*>(&entry) + sizeof(entry.state), sizeof(entry) - sizeof(entry.state));
    one_sided_.quiet();
    one_sided_.set<std::uint64_t>(keeper, at, static_cast<std::uint64_t>(now_ns()) << 1 | 2);
    one_sided_.quiet();
    return true;
  }
  return false;
}

void Directory::lock() {
  const HeapOffset word = entry_at(directory_, directory_entries);
  const std::uint64_t mine = one_sided_.pe().value() + 1;
  Patience patience(config::seconds(config::Variable::peer_timeout));
  std::uint64_t expected = 0;
  for (;;) {
    const std::uint64_t owner = one_sided_.compare_swap<std::uint64_t>(keeper, word, expected, mine);
    if (owner == expected) return;
    expected = 0;
    if (owner == 0) continue;
    const PeId pe(static_cast<std::uint32_t>(owner - 1));
    if (pe != one_sided_.pe() && one_sided_.job().has_died(pe)) {
      expected = owner;
      continue;
    }
    (void)progress_.wait([] { return false; }, Deadline::after_ns(retry_ns));
    patience.look();
    if (patience.is_over())
      raise<TimeoutError>(
          fmt::format("PE {} has been publishing a name for {} s. Is it stopped?", pe.value(), patience.seconds()));
  }
}

void Directory::unlock() { one_sided_.set<std::uint64_t>(keeper, entry_at(directory_, directory_entries), 0); }

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
