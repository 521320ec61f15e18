// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"

namespace atl::runtime {
namespace {

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._";
static_assert(digits.size() == 64);

[[noreturn]] void throw_garbled() {
  raise<SetupError>("an entry in the launcher's table cannot be read. Do all PEs run the same version of Atoll?");
}

}  // namespace

std::string encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (have += 8; have >= 6; have -= 6) text += digits[bits >> (have - 6) & 63];
  }
  if (have != 0) text += digits[bits << (6 - have) & 63];
  return text;
}

std::string decode(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (char digit : text) {
    std::size_t value = digits.find(digit);
    if (value == std::string_view::npos) throw_garbled();
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 255);
  }
  return bytes;
}

std::string join_values(const std::vector<std::string>& values) {
  std::string joined;
  for (const std::string& value : values) {
    auto size = static_cast<std::uint32_t>(value.size());
    joined.append(reinterpret_cast<const char*>(&size), sizeof(size));
    joined += value;
  }
  return joined;
}

std::vector<std::string> split_values(std::string_view joined) {
  std::vector<std::string> values;
  while (!joined.empty()) {
    std::uint32_t size = 0;
    if (joined.size() < sizeof(size)) throw_garbled();
    std::memcpy(&size, joined.data(), sizeof(size));
    joined.remove_prefix(sizeof(size));
    if (joined.size() < size) throw_garbled();
    values.emplace_back(joined.substr(0, size));
    joined.remove_prefix(size);
  }
  return values;
}

std::string TableBootstrap::name_of(std::uint32_t rank, std::uint32_t round, std::string_view key,
                                    std::size_t piece) const {
  return fmt::format("{}-{}-{}-{}", rank, round, key, piece);
}

void TableBootstrap::publish(std::string_view key, std::string_view value) {
  ATOLL_EXPECT(key.size() <= longest_key && value.size() <= longest_value);
  pending_.insert_or_assign(std::string(key), std::string(value));
}

// A launcher's table takes no key twice, so the round is part of it.
void TableBootstrap::exchange(Deadline deadline) {
  for (auto& [key, value] : pending_) {
    std::string text = encode(value);
    std::size_t piece_bytes = value_bytes_ - 8;  // room for the number of pieces in the first
    std::size_t pieces = std::max<std::size_t>(1, (text.size() + piece_bytes - 1) / piece_bytes);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      std::string part = text.substr(piece * piece_bytes, piece_bytes);
      put(name_of(rank_, round_, key, piece),
          piece == 0 ? fmt::format("{}:{}", pieces, part) : fmt::format(":{}", part));
    }
    published_.insert_or_assign(key, round_);
  }
  pending_.clear();
  fence(deadline);
  ++round_;
}

std::string TableBootstrap::lookup(std::uint32_t rank, std::string_view key) {
  // Others publish a key in the same round as we do, as a rule; else the latest counts.
  std::vector<std::uint32_t> rounds;
  if (auto ours = published_.find(key); ours != published_.end()) rounds.push_back(ours->second);
  for (std::uint32_t round = round_; round-- > 0;) rounds.push_back(round);
  std::optional<std::string> first;
  std::uint32_t found = 0;
  for (std::uint32_t round : rounds) {
    found = round;
    first = get(name_of(rank, round, key, 0));
    if (first) break;
  }
  ATOLL_VALIDATE(first.has_value(), SetupError,
                 "process {} has told the launcher nothing under '{}'. Do all PEs run the same program?", rank, key);
  std::size_t colon = first->find(':');
  std::size_t pieces = 0;
  auto [end, error] = std::from_chars(first->data(), first->data() + std::min(colon, first->size()), pieces);
  if (colon == std::string::npos || error != std::errc{} || end != first->data() + colon) throw_garbled();
  std::string text = first->substr(colon + 1);
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    auto more = get(name_of(rank, found, key, piece));
    if (!more || more->empty()) throw_garbled();
    text += more->substr(1);
  }
  return decode(text);
}

std::vector<std::string> TableBootstrap::allgather(std::string_view key, std::string_view mine, Deadline deadline) {
  // known[i] is of the process i before this one.
  std::vector<std::string> known{std::string(mine)};
  for (std::uint32_t step = 1, round = 0; step < size_; step *= 2, ++round) {
    std::string name = fmt::format("{}.{}", key, round);
    std::size_t wanted = std::min(step, size_ - step);
    known.resize(std::min<std::size_t>(known.size(), step));
    publish(name, join_values({known.begin(), known.begin() + static_cast<std::ptrdiff_t>(wanted)}));
    exchange(deadline);
    auto more = split_values(lookup((rank_ + size_ - step) % size_, name));
    if (more.size() != wanted) throw_garbled();
    known.insert(known.end(), more.begin(), more.end());
  }
  std::vector<std::string> all(size_);
  for (std::uint32_t before = 0; before < size_; ++before)
    all[(rank_ + size_ - before) % size_] = std::move(known[before]);
  return all;
}

}  // namespace atl::runtime
