// SPDX-License-Identifier: Apache-2.0
// Queue of active messages that arrived over the network, in order of arrival, until their handlers have run. Single
// producer (the thread that owns the RemotePath), single consumer (the thread that makes the PE's progress), wait-free.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "atoll/fabric/layout.hpp"
#include "atoll/fabric/message.hpp"

namespace atl::fabric {

class Inbox {
 public:
  static constexpr std::size_t most = 256;

  /// Owns the memory of a message, and returns it on destruction, in any thread.
  class Payload {
   public:
    using GiveBack = void (*)(void* owner, std::byte* data);
    Payload() = default;
    Payload(std::byte* data, std::size_t bytes, GiveBack give_back, void* owner)
        : data_(data), bytes_(bytes), give_back_(give_back), owner_(owner) {}
    Payload(Payload&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          bytes_(other.bytes_),
          give_back_(other.give_back_),
          owner_(other.owner_) {}
    Payload& operator=(Payload&& other) noexcept {
      std::swap(data_, other.data_);
      std::swap(bytes_, other.bytes_);
      std::swap(give_back_, other.give_back_);
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~Payload() { reset(); }
    void reset() {
      if (data_ != nullptr) give_back_(owner_, std::exchange(data_, nullptr));
    }
    std::span<const std::byte> bytes() const { return {data_, bytes_}; }

   private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    GiveBack give_back_ = nullptr;
    void* owner_ = nullptr;
  };

  struct Message {
    MessageLabel label;
    std::span<const std::byte> payload;
  };
  /// Receives messages directly on arrival instead of through the queue, when the queue is empty and the consumer
  /// polls.
  struct Taker {
    void* object;
    void (*take)(void* object, const Message& message);
  };

  // For the producer. push() requires !is_full().
  bool is_full() const {
    // Acquire: the consumer has released the entry. Partner: pop().
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire) == most;
  }
  /// Appends a copy of a message of up to message_bytes.
  void push(MessageLabel label, std::span<const std::byte> payload) {
    std::byte* room = rooms_[tail_.load(std::memory_order_relaxed) % most].data();
    if (!payload.empty()) std::memcpy(room, payload.data(), payload.size());
    push(at(tail_), {label, {room, payload.size()}});
  }
  void push(MessageLabel label, Payload payload) {
    Entry& entry = at(tail_);
    entry.kept = std::move(payload);
    push(entry, {label, entry.kept.bytes()});
  }

  // For the consumer.
  bool is_empty() const {
    // Acquire, to read the message. Partner: push().
    return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_relaxed);
  }
  /// The oldest message, which can be read in place. Requires !is_empty().
  const Message& front() const { return entries_[head_.load(std::memory_order_relaxed) % most].message; }
  void pop() {
    at(head_).kept.reset();
    // Release: reading is complete. Partner: is_full().
    head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  struct alignas(cache_line) Entry {
    Message message;
    Payload kept;
  };
  static_assert(sizeof(Entry) == cache_line);

  Entry& at(const std::atomic<std::uint64_t>& number) {
    return entries_[number.load(std::memory_order_relaxed) % most];
  }
  void push(Entry& entry, const Message& message) {
    entry.message = message;
    // Release publishes the message. Partner: is_empty().
    tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  alignas(cache_line) std::atomic<std::uint64_t> tail_{0};
  alignas(cache_line) std::atomic<std::uint64_t> head_{0};
  std::array<Entry, most> entries_;
  std::array<std::array<std::byte, message_bytes>, most> rooms_;
};

}  // namespace atl::fabric
