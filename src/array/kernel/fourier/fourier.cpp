// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/fourier.hpp"

#include <utility>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "kernel/fourier/plan.hpp"

namespace atl::array {
namespace {

/// Backward is forward with the parts exchanged, before and after.
template <class Pointer>
Parts<Pointer> exchanged(Turn turn, Parts<Pointer> parts) {
  if (turn == Turn::backward) std::swap(parts.re, parts.im);
  return parts;
}

}  // namespace

Fourier::Fourier(std::size_t n, DType type, Turn turn, double factor)
    : plan_(std::make_unique<FourierPlan>(n)), type_(type), turn_(turn), factor_(factor) {
  ATOLL_EXPECT(n > 0 && is_float(type));
}
Fourier::~Fourier() = default;
Fourier::Fourier(Fourier&&) noexcept = default;

std::size_t Fourier::length() const { return plan_->length(); }
std::size_t Fourier::scratch_size() const { return 2 * fourier_lanes() * plan_->scratch_numbers(); }

void Fourier::rows(Parts<const void*> from, Parts<void*> to, std::size_t rows, double* scratch) const {
  transform_rows(*plan_, type_, factor_, exchanged(turn_, from), exchanged(turn_, to), rows, scratch);
}

void Fourier::columns(Parts<const void* const*> from, Parts<void* const*> to, std::size_t columns,
                      double* scratch) const {
  transform_columns(*plan_, type_, factor_, exchanged(turn_, from), exchanged(turn_, to), columns, scratch);
}

void Fourier::box(Parts<const void*> from, Parts<void*> to, std::size_t outer, std::size_t inner, std::size_t begin,
                  std::size_t end, double* scratch) const {
  if (inner == 1) return rows(from, to, outer, scratch);
  const std::size_t n = length(), element = size_of(type_);
  std::vector<const void*> re(n), im(n);
  std::vector<void*> to_re(n), to_im(n);
  for (std::size_t part = 0; part < outer; ++part) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t bytes = ((part * n + k) * inner + begin) * element;
      re[k] = static_cast<const std::byte*>(from.re) + bytes;
      if (from.im != nullptr) im[k] = static_cast<const std::byte*>(from.im) + bytes;
      to_re[k] = static_cast<std::byte*>(to.re) + bytes;
      to_im[k] = static_cast<std::byte*>(to.im) + bytes;
    }
    columns({re.data(), from.im == nullptr ? nullptr : im.data()}, {to_re.data(), to_im.data()}, end - begin, scratch);
  }
}

}  // namespace atl::array
