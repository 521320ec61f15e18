// SPDX-License-Identifier: Apache-2.0
// Private memory that the network reads or writes, on providers that must know it first (FI_MR_LOCAL).
//
// It is registered for one transfer, and given back with the last operation of it. There is no cache: private memory
// may be unmapped, and other memory mapped in its place, without a word to us; a registration kept would then send or
// overwrite the pages of before. Memory in repeated use lies in the segment (symmetric heap, arrays), which is
// registered once.
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
  /// The memory stays registered as long as there is one.
  using Loan = std::shared_ptr<const Region>;
  /// Registers whole pages. Null: the system or the network refuses.
  using Make = std::function<Owned<fid_mr>(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key)>;

  /// Keys from `first_key` on are its own.
  Registrations(Make make, std::uint64_t first_key) : make_(std::move(make)), next_key_(first_key) {}

  /// Null: the memory cannot be registered. The first time a warning says what to do.
  Loan lend(const void* memory, std::size_t bytes, std::uint64_t access);
  /// What is lent already and covers this. Null: nothing.
  Loan find(const void* memory, std::size_t bytes, std::uint64_t access) const;

 private:
  Make make_;
  std::uint64_t next_key_;
  std::vector<std::weak_ptr<const Region>> lent_;
  bool refused_ = false;
};

}  // namespace atl::fabric::ofi
