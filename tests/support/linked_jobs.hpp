// SPDX-License-Identifier: Apache-2.0
// Jobs of several nodes without a network: one job per node, all in this process, whose PEs reach one another through
// paths that copy memory.
#pragma once

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "atoll/fabric/endpoint.hpp"

namespace atl::testing {

/// The job of each node.
using LinkedJobs = std::vector<std::shared_ptr<fabric::Job>>;

class CopyPath : public fabric::RemotePath {
 public:
  CopyPath(std::vector<fabric::Job*> jobs, std::uint32_t node) : jobs_(std::move(jobs)), node_(node) {}

  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override {
    std::byte* target = at(pe, to);
    if ((bytes == 8 || bytes == 4) && reinterpret_cast<std::uintptr_t>(target) % bytes == 0) {
      std::uint64_t value = 0;
      std::memcpy(&value, from, bytes);
      fabric::apply_atomic(fabric::AtomicOp::set, static_cast<unsigned>(bytes), target, value, 0);
    } else if (bytes != 0) {
      std::memcpy(target, from, bytes);
    }
    ring(pe);
  }
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override { put(pe, to, from, bytes); }
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  fabric::AtomicOp how) override {
    put(pe, to, from, bytes);
    update(how, 8, pe, signal, value);
  }
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) override {
    std::byte* source = at(pe, from);
    if ((bytes == 8 || bytes == 4) && reinterpret_cast<std::uintptr_t>(source) % bytes == 0) {
      std::uint64_t value = fabric::apply_atomic(fabric::AtomicOp::fetch, static_cast<unsigned>(bytes), source, 0, 0);
      std::memcpy(to, &value, bytes);
    } else if (bytes % 8 == 0 && reinterpret_cast<std::uintptr_t>(source) % 8 == 0) {
      // Word by word: others may be storing to them.
      for (std::size_t at = 0; at < bytes; at += 8) {
        auto* word = reinterpret_cast<std::uint64_t*>(source + at);
        std::uint64_t value = std::atomic_ref(*word).load(std::memory_order_relaxed);
        std::memcpy(static_cast<std::byte*>(to) + at, &value, 8);
      }
    } else if (bytes != 0) {
      std::memcpy(to, source, bytes);
    }
  }
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) override { get(to, pe, from, bytes); }
  std::uint64_t atomic(fabric::AtomicOp op, unsigned width, PeId pe, HeapOffset where, std::uint64_t operand,
                       std::uint64_t expected) override {
    std::uint64_t old = fabric::apply_atomic(op, width, at(pe, where), operand, expected);
    ring(pe);
    return old;
  }
  void update(fabric::AtomicOp op, unsigned width, PeId pe, HeapOffset where, std::uint64_t operand) override {
    (void)atomic(op, width, pe, where, operand, 0);
  }
  std::size_t longest_message() const override { return fabric::message_bytes; }
  Status try_send(PeId pe, fabric::MessageLabel label, const fabric::MessageParts& parts) override {
    return fabric::push_message(job_of(pe), pe, label, parts);
  }
  // One after the other, as in a network: the receiver of a post may post in turn, and such a chain must not be a
  // stack.
  void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) override {
    static thread_local std::deque<std::function<void()>> waiting;
    static thread_local bool delivering = false;
    waiting.push_back([&job = job_of(pe), pe, self, kind, bytes = std::vector(payload.begin(), payload.end())] {
      job.hear_post(pe, self, kind, bytes);
    });
    if (delivering) return;
    for (delivering = true; !waiting.empty(); waiting.pop_front()) waiting.front()();
    delivering = false;
  }
  void ring(PeId pe) override { fabric::ring_bell(job_of(pe).record(pe)); }
  void fence() override {}
  void quiet() override { (void)order_.fetch_add(0, std::memory_order_seq_cst); }  // a fence that sanitizers know
  bool has_left(PeId pe) override {
    return job_of(pe).record(pe).state.load(std::memory_order_acquire) ==
           static_cast<std::uint32_t>(fabric::PeState::finalized);
  }
  bool progress(const fabric::Inbox::Taker*) override { return false; }
  void tell(const fabric::News& news) noexcept override {
    for (std::uint32_t node = 0; node < jobs_.size(); ++node)
      if (node != node_) jobs_[node]->hear(news);
  }

 private:
  fabric::Job& job_of(PeId pe) const { return *jobs_[jobs_[node_]->node_of(pe)]; }
  std::byte* at(PeId pe, HeapOffset offset) const { return job_of(pe).segment(pe) + offset.value(); }

  std::vector<fabric::Job*> jobs_;
  std::uint32_t node_;
  std::atomic<int> order_{0};
};

/// `options.node_of_pe` gives the node of each PE.
inline LinkedJobs link_jobs(fabric::JobOptions options) {
  LinkedJobs jobs;
  std::vector<fabric::Job*> plain;
  std::uint32_t nodes = 0;
  for (std::uint32_t node : options.node_of_pe) nodes = std::max(nodes, node + 1);
  for (options.node = 0; options.node < nodes; ++options.node) {
    jobs.push_back(fabric::Job::create_loop(options));
    plain.push_back(jobs.back().get());
  }
  for (std::uint32_t node = 0; node < nodes; ++node) jobs[node]->connect(std::make_unique<CopyPath>(plain, node));
  return jobs;
}

}  // namespace atl::testing
