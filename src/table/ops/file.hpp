// SPDX-License-Identifier: Apache-2.0
// A file that is read from several threads.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"

namespace atl::table {

class File {
 public:
  explicit File(const std::string& name) : handle_(::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (handle_ < 0) throw_errno(fmt::format("cannot open {}", name));
  }
  ~File() { ::close(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::int64_t size() const {
    struct ::stat found{};
    if (::fstat(handle_, &found) != 0) throw_errno("cannot look at a file");
    return found.st_size;
  }

  /// All of `size` bytes. ValueError where the file ends before.
  void read(std::byte* to, std::int64_t size, std::int64_t at) const {
    while (size > 0) {
      const ::ssize_t got = ::pread(handle_, to, static_cast<std::size_t>(size), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_errno("cannot read a file");
      ATOLL_VALIDATE(got > 0, ValueError, "the file has become shorter");
      to += got;
      at += got;
      size -= got;
    }
  }

 private:
  int handle_;
};

}  // namespace atl::table
