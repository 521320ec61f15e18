// SPDX-License-Identifier: Apache-2.0
// What all connections of an endpoint use: receives that are posted, memory that others may reach, and completions.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace atl::fabric::ofi::tcp {

struct Receive {
  std::byte* buffer;
  std::size_t bytes;
  void* context;
};

class Regions {
 public:
  struct Region {
    std::uint64_t key;
    std::byte* begin;
    std::size_t bytes;
    std::uint64_t access;  ///< of libfabric
  };

  void add(const Region& region) { regions_.push_back(region); }
  void remove(std::uint64_t key) {
    std::erase_if(regions_, [&](const Region& one) { return one.key == key; });
  }
  bool contains(std::uint64_t key) const { return find(key) != nullptr; }
  /// Null: those bytes are not to be reached so.
  std::byte* at(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes, std::uint64_t access) const {
    const Region* region = find(key);
    bool inside = region != nullptr && (region->access & access) != 0 && offset <= region->bytes &&
                  bytes <= region->bytes - offset;
    return inside ? region->begin + offset : nullptr;
  }

 private:
  const Region* find(std::uint64_t key) const {
    auto at = std::find_if(regions_.begin(), regions_.end(), [&](const Region& one) { return one.key == key; });
    return at == regions_.end() ? nullptr : &*at;
  }

  std::vector<Region> regions_;  // a handful
};

/// In the order in which they are to be read; failures after what succeeded.
class Completions {
 public:
  void add(void* context, std::uint64_t flags, std::size_t bytes = 0, std::uint64_t data = 0) {
    done_.push_back({context, flags, bytes, nullptr, data});
  }
  /// An operation has failed; without a context, the connection to PE `data` has.
  void add_failure(void* context, int error, std::uint64_t data = 0) {
    fi_cq_err_entry entry{};
    entry.op_context = context;
    entry.err = error;
    entry.data = data;
    failed_.push_back(entry);
  }
  bool is_empty() const { return next_ == done_.size() && failed_.empty(); }
  bool has_failures() const { return !failed_.empty(); }
  std::size_t take(fi_cq_data_entry* to, std::size_t most) {
    std::size_t count = std::min(most, done_.size() - next_);
    std::copy_n(done_.begin() + static_cast<std::ptrdiff_t>(next_), count, to);
    next_ += count;
    if (next_ == done_.size()) done_.clear(), next_ = 0;
    return count;
  }
  fi_cq_err_entry take_failure() {
    fi_cq_err_entry first = failed_.front();
    failed_.pop_front();
    return first;
  }

 private:
  std::vector<fi_cq_data_entry> done_;
  std::size_t next_ = 0;
  std::deque<fi_cq_err_entry> failed_;
};

struct Resources {
  std::deque<Receive> receives;
  Regions regions;
  Completions completions;
};

}  // namespace atl::fabric::ofi::tcp
