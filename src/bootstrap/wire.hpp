// SPDX-License-Identifier: Apache-2.0
// A connected stream socket, read and written whole lines or counts at a time, each until a deadline.
#pragma once

#include <string>
#include <string_view>

#include "atoll/base/clock.hpp"

namespace atl::runtime {

class Wire {
 public:
  /// `whose`: for messages, "the launcher". Owns the descriptor.
  Wire(int descriptor, std::string whose);
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;
  ~Wire();

  // All throw TimeoutError, or SetupError when the other side is gone.
  void write(std::string_view bytes, Deadline deadline);
  /// Without its end.
  std::string read_line(Deadline deadline);
  std::string read_exactly(std::size_t bytes, Deadline deadline);

  int descriptor() const { return descriptor_; }
  const std::string& whose() const { return whose_; }
  bool has_input() const { return !buffer_.empty(); }

 private:
  void fill(Deadline deadline);

  int descriptor_;
  std::string whose_;
  std::string buffer_;
};

}  // namespace atl::runtime
