// SPDX-License-Identifier: Apache-2.0
// Registration of private memory that the network reads or writes, for providers that require it (FI_MR_LOCAL).
//
// Memory is registered for one transfer and deregistered after its last operation. There is no cache: a program may
// unmap private memory and map other memory in its place without notice, and a cached registration would then access
// the old pages. Memory in repeated use is in the segment (symmetric heap, arrays), which is registered once.
#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "library.hpp"

namespace atl::fabric::ofi {

/// Not thread-safe.
class Registrations {
 public:
  struct Region {
    const std::byte* begin;
    std::size_t bytes;
    std::uint64_t access;
    Owned<fid_mr> handle;
  };
  /// The memory stays registered while a Loan exists.
  using Loan = std::shared_ptr<const Region>;
  /// Registers whole pages. Returns null when the system or the network refuses.
  using Make = std::function<Owned<fid_mr>(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key)>;

  /// May use all keys from `first_key` on.
  Registrations(Make make, std::uint64_t first_key) : make_(std::move(make)), next_key_(first_key) {}

  /// Returns null when the memory cannot be registered. The first failure logs a warning with advice.
  Loan lend(const void* memory, std::size_t bytes, std::uint64_t access);
  /// An existing registration that covers the memory, or null.
  Loan find(const void* memory, std::size_t bytes, std::uint64_t access) const;

 private:
  Make make_;
  std::uint64_t next_key_;
  std::vector<std::weak_ptr<const Region>> lent_;
  bool refused_ = false;
};

}  // namespace atl::fabric::ofi
