// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/whereabouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "atoll/array/engine.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {

// | offset | bytes | field   | valid when                                                             |
// |--------|-------|---------|------------------------------------------------------------------------|
// |   0    |   8   | version | always: 0 nothing was shown; odd: the text is being written            |
// |   8    |   8   | bytes   | version is even and the same after reading: of the text                |
// |  16    | 1000  | text    | likewise                                                               |
struct Whereabouts::Note {
  std::atomic<std::uint64_t> version;
  std::uint64_t bytes;
  char text[longest];
};

namespace {

constexpr std::int64_t look_ns = 20'000'000;
constexpr std::size_t most_told = 4;  // different things that PEs do

std::string sentence_of(const std::vector<std::uint32_t>& pes, const std::string& text) {
  std::string list;
  for (std::size_t i = 0; i < pes.size() && i < most_told; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", pes[i]);
  if (pes.size() > most_told) list += fmt::format(" and {} more", pes.size() - most_told);
  return fmt::format("PE{} {} {}", pes.size() == 1 ? "" : "s", list, text);
}

// By what they do, in the order of the first PE of each.
std::string sentences_of(const std::vector<std::optional<std::string>>& texts) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
  for (std::uint32_t pe = 0; pe < texts.size(); ++pe) {
    if (!texts[pe]) continue;
    auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == *texts[pe]; });
    if (found == groups.end()) found = groups.insert(groups.end(), {*texts[pe], {}});
    found->second.push_back(pe);
  }
  if (groups.size() < 2) return {};
  std::string all;
  for (std::size_t i = 0; i < groups.size() && i < most_told; ++i)
    all += (i == 0 ? "" : "; ") + sentence_of(groups[i].second, groups[i].first);
  return all;
}

}  // namespace

std::string divergence(const std::string& differences, const std::string& cause) {
  return fmt::format(
      "the PEs have diverged: {} (every PE of an SPMD script must call the same array operations with the same arguments in the "
      "same order{}{}). Call them on all PEs, and put only what prints or writes behind `if ak.pe() == 0`?",
      differences, cause.empty() ? "" : "; ", cause);
}

Whereabouts::Whereabouts(Engine& engine) : context_(engine.shared_context()), pe_(engine.pe()) {
  static_assert(sizeof(Note) == 1016 && offsetof(Note, text) == 16);
  engine.together([&] { note_ = new (context_->heap().allocate(sizeof(Note))) Note{}; });
  for (std::uint64_t place : engine.allgather_value(context_->offset_of(note_).value())) {
    pes_.push_back(engine.in_context(static_cast<std::uint32_t>(pes_.size())));
    places_.emplace_back(place);
  }
}

Whereabouts::~Whereabouts() {
  if (!frozen_ && !context_->abandoned()) context_->heap().release(note_);
}

void Whereabouts::show(std::string_view text) {
  if (frozen_) return;
  text = text.substr(0, longest);
  const std::uint64_t version = note_->version.load(std::memory_order_relaxed);
  note_->version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // the text is written after it. Partner: text_of()
  note_->bytes = text.size();
  std::memcpy(note_->text, text.data(), text.size());
  note_->version.store(version + 2, std::memory_order_release);  // partner: text_of()
}

// Nothing: the PE has shown none, or is writing it.
std::optional<std::string> Whereabouts::text_of(std::uint32_t pe) const {
  auto version = [&] { return context_->fetch<std::uint64_t>(pes_[pe], places_[pe]); };
  const std::uint64_t before = version();  // acquires; partner: show()
  if (before == 0 || before % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes(sizeof(Note));
  context_->get(bytes.data(), pes_[pe], places_[pe], bytes.size());
  std::atomic_thread_fence(std::memory_order_acquire);  // partner: the fence of show()
  if (version() != before) return std::nullopt;
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + offsetof(Note, bytes), sizeof(length));
  return std::string(reinterpret_cast<const char*>(bytes.data()) + offsetof(Note, text),
                     std::min<std::uint64_t>(length, longest));
}

std::string Whereabouts::differences(Deadline deadline) {
  std::vector<std::optional<std::string>> texts(pes_.size());
  try {
    for (;;) {
      bool all = true;
      for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
        all &= texts[pe].has_value() || (texts[pe] = text_of(pe)).has_value();
      if (all || deadline.passed()) break;
      (void)context_->wait([] { return false; }, Deadline::after_ns(look_ns));
    }
  } catch (const Error&) {
    // A PE has died meanwhile: what is known is told.
  }
  return sentences_of(texts);
}

std::uint64_t digest_of(std::span<const std::byte> call, std::string_view where) {
  std::uint64_t digest = 0xCBF29CE484222325ull;  // FNV-1a
  auto add = [&](std::uint8_t byte) { digest = (digest ^ byte) * 0x100000001B3ull; };
  for (std::byte byte : call) add(static_cast<std::uint8_t>(byte));
  for (char letter : where) add(static_cast<std::uint8_t>(letter));
  return digest;
}

std::string difference_between(Engine& engine, std::uint64_t digest, const std::string& where) {
  const std::vector<std::uint64_t> all = engine.allgather_value(digest);
  if (std::all_of(all.begin(), all.end(), [&](std::uint64_t one) { return one == all.front(); })) return {};
  std::vector<std::optional<std::string>> texts;
  for (const auto& bytes : engine.allgather_bytes(std::as_bytes(std::span(where))))
    texts.emplace_back(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::string differences = sentences_of(texts);
  if (differences.empty()) differences = fmt::format("all are {}, with different arguments", where);
  return divergence(differences, {});
}

}  // namespace atl::array
