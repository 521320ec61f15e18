// SPDX-License-Identifier: Apache-2.0
#include "registration.hpp"

#include <unistd.h>

#include <algorithm>

#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"

namespace atl::fabric::ofi {

Registrations::Loan Registrations::lend(const void* memory, std::size_t bytes, std::uint64_t access) {
  // Pages are pinned as a whole. Two transfers at once from one page have a registration each.
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory) / page * page;
  std::size_t whole = round_up<std::size_t>(reinterpret_cast<std::uintptr_t>(memory) + bytes - begin, page);
  auto* at = reinterpret_cast<std::byte*>(begin);
  Owned<fid_mr> handle = make_(at, whole, access, next_key_++);
  if (!handle) {
    if (!refused_)
      log(LogLevel::warning,
          "the network may not reach {} of private memory by itself: such transfers are made of messages, "
          "which is slower. Raise the limit of locked memory (ulimit -l), or transfer from and to the "
          "symmetric heap",
          format_bytes(bytes));
    refused_ = true;
    return nullptr;
  }
  std::erase_if(lent_, [](const auto& one) { return one.expired(); });
  Loan made(new Region{at, whole, access, std::move(handle)});
  lent_.push_back(made);
  return made;
}

Registrations::Loan Registrations::find(const void* memory, std::size_t bytes, std::uint64_t access) const {
  const auto* at = static_cast<const std::byte*>(memory);
  for (const auto& one : lent_)
    if (Loan region = one.lock();
        region && region->access == access && at >= region->begin &&
        bytes <= region->bytes - std::min<std::size_t>(region->bytes, static_cast<std::size_t>(at - region->begin)))
      return region;
  return nullptr;
}

}  // namespace atl::fabric::ofi
