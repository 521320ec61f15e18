// SPDX-License-Identifier: Apache-2.0
#include "check/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <set>

#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "core/handler.hpp"
#include "core/library.hpp"

namespace atl::mpi::check {
namespace {

// A deadlock is reported after this many reports of the same wait, because earlier reports may be outdated.
constexpr std::uint32_t certain_after = 3;
// At most this many ranks are named, so that the line stays readable.
constexpr std::size_t most_named = 16;

struct Waiting {
  std::uint64_t wait = 0;
  std::uint32_t reports = 0;
  Need need;
};
struct Detector {
  std::mutex mutex;
  std::map<std::uint32_t, Waiting> waiting;  // by PE
};
Detector& detector() {
  static auto& one = *new Detector;
  return one;
}

std::atomic<bool> told{false};
runtime::HandlerId report{};

// The ranks that can never continue: those left after repeatedly removing ranks of which each clause has a free rank.
std::set<std::uint32_t> stuck(const std::map<std::uint32_t, Waiting>& waiting) {
  std::set<std::uint32_t> left;
  for (const auto& [pe, one] : waiting)
    if (one.reports >= certain_after) left.insert(pe);
  auto hopeless = [&](const std::vector<PeId>& clause) {
    return std::ranges::all_of(clause, [&](PeId pe) { return left.contains(pe.value()); });
  };
  auto may_go_on = [&](std::uint32_t pe) { return std::ranges::none_of(waiting.at(pe).need.clauses, hopeless); };
  while (std::erase_if(left, may_go_on) != 0) {}
  return left;
}

// Describes the deadlocked ranks, then the other waiting ranks, which usually wait for them.
std::string text_of(const std::set<std::uint32_t>& stuck, const std::map<std::uint32_t, Waiting>& waiting) {
  std::string text;
  std::size_t named = 0;
  auto add = [&](std::uint32_t pe, const char* how) {
    if (named++ < most_named)
      text += fmt::format("{}rank {} {} {}", text.empty() ? "" : "; ", pe, how, waiting.at(pe).need.text);
  };
  for (std::uint32_t pe : stuck) add(pe, "is in");
  for (const auto& [pe, one] : waiting)
    if (!stuck.contains(pe)) add(pe, "waits, too, in");
  return named <= most_named ? text : text + fmt::format("; and {} more", named - most_named);
}

void look() {
  std::string text;
  {
    std::lock_guard lock(detector().mutex);
    std::set<std::uint32_t> found = stuck(detector().waiting);
    if (found.empty()) return;
    text = text_of(found, detector().waiting);
  }
  end_job(Call{"check"}, "deadlock: " + text, 1);
}

// | bytes   | what                                                        |
// |---------|-------------------------------------------------------------|
// |   8     | number of the wait; 0: the rank no longer waits             |
// |   4     | number of clauses                                           |
// | 4 + 4 n | for each clause: number of PEs, and these PEs               |
// | rest    | text                                                        |
class Writer {
 public:
  template <class T>
  void put(T value) {
    const auto* at = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), at, at + sizeof(value));
  }
  std::vector<std::byte> bytes;
};
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    if (bytes_.size() < sizeof(value)) return value;
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_ = bytes_.subspan(sizeof(value));
    return value;
  }
  /// A count of following numbers of 4 bytes or more, limited to the bytes that are left.
  std::uint32_t take_count() {
    const auto count = take<std::uint32_t>();
    return static_cast<std::uint32_t>(std::min<std::size_t>(count, bytes_.size() / sizeof(count)));
  }
  std::string rest() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  std::span<const std::byte> bytes_;
};

void hear(runtime::Context&, PeId from, std::span<const std::byte> payload) {
  Reader reader(payload);
  auto wait = reader.take<std::uint64_t>();
  {
    std::lock_guard lock(detector().mutex);
    if (wait == 0) {
      detector().waiting.erase(from.value());
      return;
    }
    Waiting& one = detector().waiting[from.value()];
    one.reports = one.wait == wait ? one.reports + 1 : 1;
    one.wait = wait;
    one.need.clauses.resize(reader.take_count());
    for (auto& clause : one.need.clauses) {
      clause.clear();
      for (auto left = reader.take_count(); left > 0; --left) clause.emplace_back(reader.take<std::uint32_t>());
    }
    one.need.text = reader.rest();
  }
  look();
}

[[maybe_unused]] const bool added = (add_service([] { report = library().messenger().register_handler(hear); }), true);

PeId chief() { return library().one_sided().world().pe_of(0); }

// Limits of a report. A rank that waits for more PEs is reported with the first ones, each of which it needs.
constexpr std::size_t longest_report = 960, longest_text = 320;

}  // namespace

void tell_waiting(std::uint64_t wait, const Need& need) {
  Writer writer;
  writer.put(wait);
  std::vector<const std::vector<PeId>*> clauses;
  std::size_t bytes = 12;
  for (const auto& clause : need.clauses) {
    bytes += 4 + 4 * clause.size();
    if (bytes + longest_text > longest_report) break;
    clauses.push_back(&clause);
  }
  writer.put(static_cast<std::uint32_t>(clauses.size()));
  for (const auto* clause : clauses) {
    writer.put(static_cast<std::uint32_t>(clause->size()));
    for (PeId pe : *clause) writer.put(pe.value());
  }
  std::string text = need.text.substr(0, longest_text);
  for (char letter : text) writer.put(letter);
  told.store(true);
  library().messenger().send(chief(), report, writer.bytes);
}

void tell_going_on() noexcept {
  if (!told.exchange(false)) return;
  std::uint64_t none = 0;
  try {
    library().messenger().send(chief(), report, std::as_bytes(std::span(&none, 1)));
  } catch (const std::exception&) {  // rank 0 has failed
  }
}

}  // namespace atl::mpi::check
