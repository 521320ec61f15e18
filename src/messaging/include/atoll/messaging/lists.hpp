// SPDX-License-Identifier: Apache-2.0
// The two lists of matching: receives that wait for a message and messages that wait for a receive. Both are binned
// by source and tag, so that thousands of entries cost no search; entries with wildcards are kept in order beside.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "atoll/messaging/matching.hpp"

namespace atl::runtime::matching {

/// Doubly linked and part of its entry: no list allocates.
template <class T>
struct Link {
  Link* previous = this;
  Link* next = this;
  T* entry = nullptr;

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  bool linked() const { return next != this; }
  void unlink() {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }
};

template <class T>
class List {
 public:
  bool empty() const { return !head_.linked(); }
  T* front() const { return head_.next->entry; }  // null when empty
  void append(Link<T>& link) {
    link.previous = head_.previous;
    link.next = &head_;
    head_.previous->next = &link;
    head_.previous = &link;
  }
  /// The first entry for which `wanted` holds, or null.
  template <class Wanted>
  T* find(Wanted&& wanted) const {
    for (Link<T>*at = head_.next, *next = nullptr; at != &head_; at = next) {
      next = at->next;  // `wanted` may unlink what it looks at
      if (wanted(*at->entry)) return at->entry;
    }
    return nullptr;
  }

 private:
  Link<T> head_;
};

inline constexpr std::size_t bin_count = 256;
inline std::size_t bin_of(PeId source, std::uint64_t tag) {
  // Tags count up from anything; the multiplication spreads their bits to the top.
  std::uint64_t mixed = (tag ^ (std::uint64_t{source.value()} << 40)) * 0x9E3779B97F4A7C15ull;
  return mixed >> 56;
}

/// T has `pattern`, `order` and `link`.
template <class T>
class PostedList {
 public:
  void append(T& receive) {
    receive.order = ++order_;
    bool exact = receive.pattern.source && receive.pattern.ignore == 0;
    (exact ? bins_[bin_of(*receive.pattern.source, receive.pattern.tag)] : wild_).append(receive.link);
    count_.store(count() + 1, std::memory_order_relaxed);
  }
  void remove(T& receive) {
    receive.link.unlink();
    count_.store(count() - 1, std::memory_order_relaxed);
  }
  /// The receive posted first of those that accept the message, taken out; null: none.
  T* take(PeId source, std::uint64_t tag) {
    T* found = find(source, tag, [](const T&) { return true; });
    if (found != nullptr) remove(*found);
    return found;
  }
  /// The first that fits the message and is `wanted`, left where it is; null: none.
  template <class Wanted>
  T* find(PeId source, std::uint64_t tag, Wanted&& wanted) const {
    auto accepts = [&](const T& receive) { return receive.pattern.fits(source, tag) && wanted(receive); };
    T* exact = bins_[bin_of(source, tag)].find(accepts);
    T* wild = wild_.find(accepts);
    return exact == nullptr || (wild != nullptr && wild->order < exact->order) ? wild : exact;
  }
  /// Whether a receive waits that a message of this PE might match.
  bool awaits(PeId source) const {
    auto from = [&](const T& receive) { return !receive.pattern.source || *receive.pattern.source == source; };
    if (wild_.find(from) != nullptr) return true;
    for (const List<T>& bin : bins_)
      if (bin.find(from) != nullptr) return true;
    return false;
  }
  /// Also without the lock: what it was at some time.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::array<List<T>, bin_count> bins_;
  List<T> wild_;
  std::uint64_t order_ = 0;
  std::atomic<std::size_t> count_{0};
};

/// T has `envelope`, `in_bin` and `in_order`.
template <class T>
class UnexpectedList {
 public:
  void append(T& message) {
    bins_[bin_of(message.envelope.source, message.envelope.tag)].append(message.in_bin);
    all_.append(message.in_order);
    ++count_;
  }
  void remove(T& message) {
    message.in_bin.unlink();
    message.in_order.unlink();
    --count_;
  }
  /// The message that arrived first of those that fit; null: none.
  T* find(const Pattern& pattern) const {
    auto fits = [&](const T& message) { return pattern.fits(message.envelope.source, message.envelope.tag); };
    if (pattern.source && pattern.ignore == 0) return bins_[bin_of(*pattern.source, pattern.tag)].find(fits);
    return all_.find(fits);
  }
  /// Those that fit, in the order in which they arrived, until `visit` returns false. It may remove what it is shown.
  template <class Visit>
  void visit(const Pattern& pattern, Visit&& visit) const {
    auto ends = [&](T& message) {
      return pattern.fits(message.envelope.source, message.envelope.tag) && !visit(message);
    };
    if (pattern.source && pattern.ignore == 0) (void)bins_[bin_of(*pattern.source, pattern.tag)].find(ends);
    else (void)all_.find(ends);
  }
  std::size_t count() const { return count_; }

 private:
  std::array<List<T>, bin_count> bins_;
  List<T> all_;
  std::size_t count_ = 0;
};

}  // namespace atl::runtime::matching
