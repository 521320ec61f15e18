// SPDX-License-Identifier: Apache-2.0
#include "win/foreign.hpp"

#include <sys/uio.h>

#include <array>

#include "datatype/cursor.hpp"

namespace atl::mpi::win {
namespace {

constexpr std::size_t runs_per_call = 512;

using Call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

bool move(Call call, pid_t pid, std::uint64_t address, const datatype::Region& region, std::byte* packed) {
  std::array<iovec, runs_per_call> remote;
  datatype::Cursor cursor(region);
  for (datatype::Count left = region.size(); left > 0;) {
    std::size_t runs = 0, bytes = 0;
    while (runs < runs_per_call && left > 0) {
      auto length = static_cast<std::size_t>(std::min(cursor.here().bytes, left));
      auto at = address + static_cast<std::uint64_t>(cursor.here().offset);
      remote[runs++] = {reinterpret_cast<void*>(at), length};
      bytes += length;
      left -= static_cast<datatype::Count>(length);
      cursor.advance(static_cast<datatype::Count>(length));
    }
    // The kernel transfers at most 2 GiB per call and returns the number of bytes.
    std::size_t first = 0;
    while (bytes > 0) {
      iovec local{packed, bytes};
      ssize_t moved = call(pid, &local, 1, remote.data() + first, runs - first, 0);
      if (moved <= 0) return false;
      packed += moved;
      bytes -= static_cast<std::size_t>(moved);
      for (auto rest = static_cast<std::size_t>(moved); rest > 0;) {
        iovec& run = remote[first];
        std::size_t part = std::min(rest, run.iov_len);
        run.iov_base = static_cast<std::byte*>(run.iov_base) + part;
        run.iov_len -= part;
        rest -= part;
        if (run.iov_len == 0) ++first;
      }
    }
  }
  return true;
}

}  // namespace

bool read_foreign(pid_t pid, std::uint64_t address, const datatype::Region& region, void* packed) {
  return move(::process_vm_readv, pid, address, region, static_cast<std::byte*>(packed));
}

bool write_foreign(pid_t pid, std::uint64_t address, const datatype::Region& region, const void* packed) {
  return move(::process_vm_writev, pid, address, region, static_cast<std::byte*>(const_cast<void*>(packed)));
}

}  // namespace atl::mpi::win
