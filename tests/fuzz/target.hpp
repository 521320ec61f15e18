// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a function of arbitrary bytes that must neither crash nor break what it checks. libFuzzer's programs
// have one each
// (`make fuzz`); test_fuzz has all of them and runs each over its inputs in corpus/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace atl::fuzz {

using Target = void (*)(std::span<const std::uint8_t> bytes);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

/// An input, taken apart from its front. Behind its end are zeros.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::uint32_t below(std::uint32_t limit) {
    const std::uint32_t low = byte();
    return (low | static_cast<std::uint32_t>(byte()) << 8) % limit;
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto first = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(first.size());
    return first;
  }
  std::span<const std::uint8_t> rest() const { return rest_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

 private:
  std::span<const std::uint8_t> rest_;
};

/// Ends the program when something that must hold does not.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

}  // namespace atl::fuzz

#ifdef ATOLL_FUZZER
#define ATOLL_FUZZ(name) \
  static void run_##name(std::span<const std::uint8_t> bytes); \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size); \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run_##name({data, size}); \
    return 0; \
  } \
  static void run_##name(std::span<const std::uint8_t> bytes)
#else
#define ATOLL_FUZZ(name) \
  static void run_##name(std::span<const std::uint8_t> bytes); \
  static const bool is_listed_##name = ::atl::fuzz::targets().emplace(#name, &run_##name).second; \
  static void run_##name(std::span<const std::uint8_t> bytes)
#endif
