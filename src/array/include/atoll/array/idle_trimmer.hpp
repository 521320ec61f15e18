// SPDX-License-Identifier: Apache-2.0
// Gives the memory that the heap keeps for reuse back to the system when no operation has run for a while.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace atl::runtime {
class Context;
}

namespace atl::array {

/// A thread that looks at the number of operations every ATOLL_POOL_IDLE seconds and sleeps in between. The heap is
/// thread-safe, so an operation that begins meanwhile only finds less memory that was touched before.
class IdleTrimmer {
 public:
  IdleTrimmer(std::shared_ptr<runtime::Context> context, const std::atomic<std::uint64_t>& operations);
  ~IdleTrimmer();
  IdleTrimmer(const IdleTrimmer&) = delete;
  IdleTrimmer& operator=(const IdleTrimmer&) = delete;

 private:
  void watch(double seconds);

  std::shared_ptr<runtime::Context> context_;
  const std::atomic<std::uint64_t>& operations_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace atl::array
