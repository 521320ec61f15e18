// SPDX-License-Identifier: Apache-2.0
// The place of a PE in its job, and its one-sided operations on the memory of all PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "atoll/base/assertion.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/options.hpp"
#include "atoll/runtime/team.hpp"

namespace atl::runtime {

using fabric::AtomicInteger;
using fabric::AtomicType;

/// Thread-safe. Semantics as in fabric::Endpoint. The _nbi forms may complete later, at the latest in quiet().
class OneSided {
 public:
  OneSided(std::shared_ptr<fabric::Job> job, PeId pe, unsigned threads);
  OneSided(const OneSided&) = delete;
  OneSided& operator=(const OneSided&) = delete;

  PeId pe() const { return pe_; }
  /// PEs of world().
  std::uint32_t npes() const { return npes_; }
  const NodeInfo& node() const { return node_; }
  const Team& world() const { return world_; }
  fabric::Job& job() const { return *job_; }
  const std::shared_ptr<fabric::Job>& shared_job() const { return job_; }
  /// The endpoint behind the calls below. A thread that counts its own traffic makes an endpoint of its own.
  fabric::Endpoint& endpoint() { return endpoint_; }
  std::unique_ptr<fabric::Endpoint> make_endpoint() const;

  /// The peer's memory in this process, null for a PE of another node. Throws IndexError outside its segment. A store
  /// through it wakes no PE: call notify(pe) after storing a value that the peer may wait for.
  template <class T = std::byte>
  T* peer_pointer(PeId pe, HeapOffset at, std::size_t count = 1) const {
    return reinterpret_cast<T*>(endpoint_.address(pe, at, count * sizeof(T)));
  }
  template <class T = std::byte>
  T* local_pointer(HeapOffset at) const {
    return reinterpret_cast<T*>(segment_ + at.value());
  }
  /// Offset of an address in this PE's own segment.
  HeapOffset offset_of(const void* pointer) const {
    auto* at = static_cast<const std::byte*>(pointer);
    ATOLL_EXPECT(at >= segment_ && at < segment_ + endpoint_.segment_bytes());
    return HeapOffset(static_cast<std::uint64_t>(at - segment_));
  }
  /// Wakes the peer if it sleeps. One load, or a message to another node.
  void notify(PeId pe) { endpoint_.ring(pe); }

  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) { endpoint_.put(pe, to, from, bytes); }
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) { endpoint_.get(to, pe, from, bytes); }
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) { endpoint_.put_nbi(pe, to, from, bytes); }
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) { endpoint_.get_nbi(to, pe, from, bytes); }
  template <class T>
  void put_value(PeId pe, HeapOffset to, T value) {
    endpoint_.put_value(pe, to, value);
  }
  template <class T>
  T get_value(PeId pe, HeapOffset from) {
    return endpoint_.get_value<T>(pe, from);
  }
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  fabric::AtomicOp how = fabric::AtomicOp::set) {
    endpoint_.put_signal(pe, to, from, bytes, signal, value, how);
  }
  void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value) {
    endpoint_.deliver(pe, to, from, bytes, signal, value);
  }
  template <AtomicType T>
  T fetch(PeId pe, HeapOffset at) {
    return endpoint_.fetch<T>(pe, at);
  }
  template <AtomicType T>
  void set(PeId pe, HeapOffset at, T value) {
    endpoint_.set<T>(pe, at, value);
  }
  template <AtomicType T>
  T swap(PeId pe, HeapOffset at, T value) {
    return endpoint_.swap<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_add(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_add<T>(pe, at, value);
  }
  template <AtomicInteger T>
  void add(PeId pe, HeapOffset at, T value) {
    endpoint_.add<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_and(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_and<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_or(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_or<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T fetch_xor(PeId pe, HeapOffset at, T value) {
    return endpoint_.fetch_xor<T>(pe, at, value);
  }
  template <AtomicInteger T>
  T compare_swap(PeId pe, HeapOffset at, T expected, T value) {
    return endpoint_.compare_swap<T>(pe, at, expected, value);
  }
  void fence() { endpoint_.fence(); }
  void quiet() { endpoint_.quiet(); }
  void quiet_far() { endpoint_.quiet_far(); }

 private:
  std::shared_ptr<fabric::Job> job_;
  PeId pe_;
  std::uint32_t npes_;
  std::byte* segment_;
  fabric::Endpoint endpoint_;
  NodeInfo node_;
  Team world_;
};

}  // namespace atl::runtime
