// SPDX-License-Identifier: Apache-2.0
#include "flow/exchange.hpp"

#include <cstring>
#include <exception>

#include "atoll/fabric/job.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/failure.hpp"
#include "core/library.hpp"
#include "flow/departure.hpp"
#include "mpi-ext.h"

namespace atl::mpi {
namespace {

void (*departures)(std::uint64_t bits) = [](std::uint64_t) {};

}  // namespace

void tell_departures_by(void (*tell)(std::uint64_t bits)) { departures = tell; }
void depart(std::uint64_t bits) { departures(bits); }

void run(Flow flow) {
  bool done = false;
  std::exception_ptr error;
  library().progress().wait([&] {
    // A failed step stays failed when ready() is called again.
    if (error) return true;
    try {
      done = flow.advance();
    } catch (...) { error = std::current_exception(); }
    return done || error != nullptr;
  });
  if (error) std::rethrow_exception(error);
}

Exchange::~Exchange() {
  if (!is_active()) return;
  for (std::size_t i = done_; i < pending_.size(); ++i) (void)library().matcher().cancel(pending_[i].request);
}

void Exchange::send(PeId to, std::uint64_t tag, const void* data, std::size_t bytes) {
  auto request = library().matcher().send(to, tag, {static_cast<const std::byte*>(data), bytes});
  if (!request.empty()) pending_.push_back({request, to, tag});
}

void Exchange::receive(PeId from, std::uint64_t tag, void* into, std::size_t bytes) {
  pending_.push_back(
      {library().matcher().receive({.source = from, .tag = tag}, {static_cast<std::byte*>(into), bytes}), from, tag});
}

bool Exchange::ready() {
  for (; done_ < pending_.size(); ++done_) {
    auto outcome = library().matcher().test(pending_[done_].request);
    if (!outcome) return false;
    if (outcome->status == Status::peer_lost || outcome->status == Status::revoked) [[unlikely]] {
      const Pending lost = pending_[done_++];
      if (outcome->status == Status::revoked) fail(MPIX_ERR_REVOKED, "the communicator has been revoked");
      depart(lost.tag);
      fabric::Job& job = library().job();
      fail(MPIX_ERR_PROC_FAILED, "{} {}", job.describe(lost.peer),
           job.has_died(lost.peer) ? "has died" : "has left a collective operation because another has died");
    }
    ATOLL_MPI_REQUIRE(outcome->status != Status::try_again, MPI_ERR_NO_MEM,
                      "no memory for pieces of a long message: raise ATOLL_HEAP_SIZE");
    ATOLL_MPI_REQUIRE(outcome->status == Status::ok, MPI_ERR_TRUNCATE,
                      "a message of {} bytes is longer than its receive", outcome->envelope.bytes);
  }
  pending_.clear();
  done_ = 0;
  return true;
}

Flow broadcast_bytes(Circle circle, void* data, std::size_t bytes, int root) {
  int size = circle.size();
  int place = (circle.rank - root + size) % size;
  auto member = [&](int at) { return circle.pe((at + root) % size); };
  int bit = 1;
  Exchange exchange;
  for (; bit < size; bit <<= 1)
    if (place & bit) {
      exchange.receive(member(place - bit), circle.tag, data, bytes);
      co_await exchange;
      break;
    }
  for (bit >>= 1; bit > 0; bit >>= 1)
    if (place + bit < size) exchange.send(member(place + bit), circle.tag, data, bytes);
  co_await exchange;
}

Flow allgather_bytes(Circle circle, const void* mine, std::size_t bytes, void* all) {
  auto* blocks = static_cast<std::byte*>(all);
  std::memcpy(blocks + static_cast<std::size_t>(circle.rank) * bytes, mine, bytes);
  Exchange exchange;
  if (circle.rank == 0) {
    for (int member = 1; member < circle.size(); ++member)
      exchange.receive(circle.pe(member), circle.tag, blocks + static_cast<std::size_t>(member) * bytes, bytes);
  } else {
    exchange.send(circle.pe(0), circle.tag, mine, bytes);
  }
  co_await exchange;
  co_await broadcast_bytes(circle, all, bytes * static_cast<std::size_t>(circle.size()));
}

Flow barrier_of(Circle circle) {
  Exchange exchange;
  std::byte nothing{};
  for (int step = 1; step < circle.size(); step <<= 1) {
    exchange.send(circle.pe((circle.rank + step) % circle.size()), circle.tag, &nothing, 0);
    exchange.receive(circle.pe((circle.rank - step + circle.size()) % circle.size()), circle.tag, &nothing, 0);
    co_await exchange;
  }
}

}  // namespace atl::mpi
