// SPDX-License-Identifier: Apache-2.0
// Private to reductions and scans: has floating-point arithmetic of this thread left the range of its type?
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace atl::array {

/// Looks at the processor's sticky flags for overflow and for underflow that lost bits, which cost the loops nothing
/// (comparing each product would triple their instructions). What it watches must be behind a call that the compiler
/// does not see through. May nest; flags that were set before are set again at the end.
class RangeWatch {
 public:
  RangeWatch() : before_(flags()) {
    if (before_ != 0) [[unlikely]]
      clear();
  }
  ~RangeWatch() {
    if (before_ != 0) [[unlikely]]
      raise(before_);
  }
  RangeWatch(const RangeWatch&) = delete;
  RangeWatch& operator=(const RangeWatch&) = delete;
  /// Never false when a result was rounded to infinity or lost bits below the least normal number.
  bool left() const { return flags() != 0; }

 private:
#if defined(__SSE2__)
  static constexpr unsigned watched = _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_UNDERFLOW;
  static unsigned flags() { return _mm_getcsr() & watched; }
  static void clear() { _mm_setcsr(_mm_getcsr() & ~watched); }
  static void raise(unsigned flags) { _mm_setcsr(_mm_getcsr() | flags); }
#else
  static constexpr int watched = FE_OVERFLOW | FE_UNDERFLOW;
  static int flags() { return std::fetestexcept(watched); }
  static void clear() { std::feclearexcept(watched); }
  static void raise(int flags) { std::feraiseexcept(flags); }
#endif
  decltype(flags()) before_;
};

}  // namespace atl::array
