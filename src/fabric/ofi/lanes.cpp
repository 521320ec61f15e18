// SPDX-License-Identifier: Apache-2.0
#include "lanes.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/units.hpp"

namespace atl::fabric::ofi {
namespace {

constexpr std::size_t part_multiple = 4096;
// Looks by which something came on the first path, per look at the others.
constexpr unsigned first_alone = 8;
constexpr std::size_t unnumbered = SIZE_MAX;

// What a thread is to every job of its process: threads are numbered in the order in which they come.
struct ThisThread {
  std::size_t number = unnumbered;
  bool strays = false;  // parts of its puts may be under way by other endpoints

  /// All that it does goes by the first path, as most often.
  bool keeps_to_first() const { return number == 0 && !strays; }
};
// Initial-exec: an address, and no call.
thread_local constinit ThisThread current_thread __attribute__((tls_model("initial-exec")));

ThisThread& this_thread() {
  static std::atomic<std::size_t> next{0};
  if (current_thread.number == unnumbered) [[unlikely]]
    current_thread.number = next.fetch_add(1, std::memory_order_relaxed);
  return current_thread;
}

}  // namespace

Lanes::Lanes(std::vector<std::unique_ptr<Path>> paths, std::size_t interfaces)
    : paths_(std::move(paths)), interfaces_(interfaces) {
  this_thread().number = 0;  // the main thread: it sends messages sooner or later
}

Lanes::~Lanes() {
  while (!paths_.empty()) paths_.pop_back();  // the first, which speaks for the process, goes last
}

// What handlers do belongs to the first, on which they were called.
std::size_t Lanes::own() {
  std::size_t number = this_thread().number;
  if (number == 0) return 0;
  number %= paths_.size();
  if (number == 0 || first().is_held_here()) return 0;
  if (!several_.load(std::memory_order_relaxed)) several_.store(true, std::memory_order_relaxed);
  return number;
}

Path& Lanes::for_messages() { return current_thread.keeps_to_first() ? first() : turn_to_first(); }

// Not inlined: it is the exception.
[[gnu::noinline]] Path& Lanes::turn_to_first() {
  if (first().is_held_here()) return first();
  settle();
  if (std::size_t before = own(); before != 0) {
    paths_[before]->quiet();
    this_thread().number = 0;
  }
  return first();
}

// Parts that other endpoints carry must not be overtaken.
void Lanes::settle() {
  if (!this_thread().strays || first().is_held_here()) return;
  this_thread().strays = false;
  for (std::size_t i = 0; i < interfaces_; ++i) paths_[i]->quiet();
}

// The thread's own, behind all that it has started.
Path& Lanes::in_order() {
  if (current_thread.keeps_to_first()) [[likely]]
    return first();
  settle();
  return own_path();
}

// Calls start(path, begin, bytes) for each part; the last goes by the thread's own endpoint.
template <class Start>
void Lanes::divide(std::size_t bytes, Start&& start) {
  several_.store(true, std::memory_order_relaxed);
  std::size_t parts = std::min(interfaces_, bytes / least_part), part = round_up(bytes / parts, part_multiple);
  std::size_t mine = own(), begin = 0;
  for (std::size_t i = 1; i < parts; ++i, begin += part) start(*paths_[(mine + i) % interfaces_], begin, part);
  start(*paths_[mine], begin, bytes - begin);
}

void Lanes::put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if (!divides(bytes)) return own_path().put(pe, to, from, bytes);
  put_nbi(pe, to, from, bytes);
  settle();
}

void Lanes::put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if (!divides(bytes)) return own_path().put_nbi(pe, to, from, bytes);
  this_thread().strays = true;
  divide(bytes, [&](Path& path, std::size_t begin, std::size_t part) {
    path.put_nbi(pe, HeapOffset(to.value() + begin), static_cast<const std::byte*>(from) + begin, part);
  });
}

void Lanes::put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                       std::uint64_t value, AtomicOp how) {
  in_order().put_signal(pe, to, from, bytes, signal, value, how);
}

void Lanes::deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                    std::uint64_t value) {
  in_order().deliver(pe, to, from, bytes, signal, value);
}

void Lanes::get(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  if (!divides(bytes)) return in_order().get(to, pe, from, bytes);
  get_nbi(to, pe, from, bytes);
  settle();
}

void Lanes::get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  if (!divides(bytes)) return in_order().get_nbi(to, pe, from, bytes);
  in_order().quiet();  // what this thread has put there is read, too
  this_thread().strays = true;
  divide(bytes, [&](Path& path, std::size_t begin, std::size_t part) {
    path.get_nbi(static_cast<std::byte*>(to) + begin, pe, HeapOffset(from.value() + begin), part);
  });
}

std::uint64_t Lanes::atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                            std::uint64_t expected) {
  return in_order().atomic(op, width, pe, at, operand, expected);
}

void Lanes::update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) {
  in_order().update(op, width, pe, at, operand);
}

void Lanes::queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes, QueuedCompletion* completion) {
  if (!divides(bytes)) return own_path().queue_put(pe, to, from, bytes, completion);
  this_thread().strays = true;
  divide(bytes, [&](Path& path, std::size_t begin, std::size_t part) {
    path.queue_put(pe, HeapOffset(to.value() + begin), static_cast<const std::byte*>(from) + begin, part, completion);
  });
}

void Lanes::queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                             std::uint64_t value, AtomicOp how) {
  own_path().queue_put_signal(pe, to, from, bytes, signal, value, how);
}

// Unlike get_nbi(), in no order with puts that other endpoints carry.
void Lanes::queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes, QueuedCompletion* completion) {
  if (!divides(bytes)) return own_path().queue_get(to, pe, from, bytes, completion);
  this_thread().strays = true;
  divide(bytes, [&](Path& path, std::size_t begin, std::size_t part) {
    path.queue_get(static_cast<std::byte*>(to) + begin, pe, HeapOffset(from.value() + begin), part, completion);
  });
}

void Lanes::queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) {
  own_path().queue_update(op, width, pe, at, operand);
}

void Lanes::queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                         std::uint64_t expected, void* old) {
  own_path().queue_atomic(op, width, pe, at, operand, expected, old);
}

Status Lanes::try_send(PeId pe, MessageLabel label, const MessageParts& parts) {
  return for_messages().try_send(pe, label, parts);
}

void Lanes::post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) {
  for_messages().post(self, pe, kind, payload);
}

void Lanes::ring(PeId pe) { in_order().ring(pe); }

void Lanes::fence() {
  if (several_.load(std::memory_order_relaxed)) quiet();
  else first().fence();
}

void Lanes::quiet() {
  this_thread().strays = false;
  first().quiet();
  if (!several_.load(std::memory_order_relaxed)) return;
  for (std::size_t i = 1; i < paths_.size(); ++i) paths_[i]->quiet();
}

// What has come by the first is answered first, but for every so many looks.
bool Lanes::progress(const Inbox::Taker* taker) {
  bool any = first().progress(taker);
  if (any) {
    unsigned looks = looks_.load(std::memory_order_relaxed) + 1;  // not exact when threads look at once
    looks_.store(looks, std::memory_order_relaxed);
    if (looks % first_alone != 0) return true;
  }
  for (std::size_t i = 1; i < paths_.size(); ++i)
    if (paths_[i]->is_used() && paths_[i]->progress(nullptr)) any = true;
  return any;
}

// First of the endpoint that this thread holds: another thread may hold one of the others and wait for that.
void Lanes::abandon() noexcept {
  for (auto& path : paths_)
    if (path->is_held_here()) path->abandon();
  for (auto& path : paths_) path->abandon();
}

void Lanes::stop_polling() {
  first().stop_polling();
  for (std::size_t i = 1; i < paths_.size(); ++i)
    if (paths_[i]->is_used()) paths_[i]->stop_polling();
}

}  // namespace atl::fabric::ofi
