// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/shape.hpp"

#include <fmt/format.h>

#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

std::int64_t product(const std::int64_t* first, const std::int64_t* last) {
  if (std::find(first, last, 0) != last) return 0;
  std::int64_t result = 1;
  for (; first != last; ++first)
    ATOLL_VALIDATE(!__builtin_mul_overflow(result, *first, &result), ValueError,
                   "array is too big: the number of its elements does not fit 63 bits");
  return result;
}

}  // namespace

void Shape::throw_dimensions(std::size_t count) {
  raise<ValueError>(fmt::format("maximum supported dimension is {}, found {}", max_ndim, count));
}

void Shape::throw_negative() { raise<ValueError>("negative dimensions are not allowed"); }

std::int64_t Shape::size() const { return product(begin(), end()); }

std::int64_t Shape::row_size() const { return ndim_ == 0 ? 1 : product(begin() + 1, end()); }

Shape Shape::with_rows(std::int64_t rows) const {
  Shape result = *this;
  if (ndim_ == 0) result.push_back(rows);
  else result[0] = rows;
  return result;
}

std::string Shape::to_string() const {
  std::string text = "(";
  for (int axis = 0; axis < ndim_; ++axis)
    text += fmt::format("{}{}", (*this)[axis], ndim_ == 1 || axis + 1 < ndim_ ? "," : "");
  return text + ")";
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.ndim() >= b.ndim() ? a : b;
  const Shape& shorter = a.ndim() >= b.ndim() ? b : a;
  Shape result = longer;
  int shift = longer.ndim() - shorter.ndim();
  for (int axis = 0; axis < shorter.ndim(); ++axis) {
    std::int64_t mine = longer[axis + shift], other = shorter[axis];
    ATOLL_VALIDATE(mine == other || mine == 1 || other == 1, ValueError,
                   "operands could not be broadcast together with shapes {} {}", a.to_string(), b.to_string());
    result[axis + shift] = mine == 1 ? other : mine;
  }
  return result;
}

Distribution::Distribution(const Shape& shape, std::uint32_t npes, std::int64_t grain)
    : rows_(shape.rows()), npes_(npes) {
  std::int64_t row_size = std::max<std::int64_t>(1, shape.row_size());
  unit_rows_ = std::max<std::int64_t>(1, grain / row_size);
  std::int64_t units = (rows_ + unit_rows_ - 1) / unit_rows_;
  block_rows_ = std::max<std::int64_t>(1, (units + npes - 1) / npes) * unit_rows_;
}

Distribution Distribution::of_counts(std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> begins{0};
  for (std::int64_t count : counts) begins.push_back(begins.back() + count);
  Distribution result;
  result.rows_ = begins.back();
  result.npes_ = static_cast<std::uint32_t>(counts.size());
  result.begins_ = std::make_shared<const std::vector<std::int64_t>>(std::move(begins));
  return result;
}

std::uint32_t Distribution::search(std::int64_t row) const {
  return static_cast<std::uint32_t>(std::upper_bound(begins_->begin(), begins_->end(), row) - begins_->begin() - 1);
}

}  // namespace atl::array
