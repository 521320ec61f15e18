// SPDX-License-Identifier: Apache-2.0
// Shapes of up to eight dimensions, broadcasting, and which PE holds which rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace atl::array {

inline constexpr int max_ndim = 8;

/// Extents of an array, outermost first. No dimensions: a scalar, size 1.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const std::int64_t> extents) {
    if (extents.size() > max_ndim) [[unlikely]]
      throw_dimensions(extents.size());
    for (std::int64_t extent : extents) push_back(extent);
  }

  /// Throws ValueError for a negative extent, and for more than `max_ndim` extents.
  void push_back(std::int64_t extent) {
    if (extent < 0) [[unlikely]]
      throw_negative();
    if (ndim_ == max_ndim) [[unlikely]]
      throw_dimensions(max_ndim + 1);
    extents_[static_cast<std::size_t>(ndim_++)] = extent;
  }

  int ndim() const { return ndim_; }
  std::int64_t operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return extents_[static_cast<std::size_t>(axis)]; }
  const std::int64_t* begin() const { return extents_.data(); }
  const std::int64_t* end() const { return extents_.data() + ndim_; }

  /// Product of the extents. Throws ValueError when it does not fit an int64.
  std::int64_t size() const;
  /// Extent of axis 0, or 1 for a scalar: what is spread over the PEs.
  std::int64_t rows() const { return ndim_ == 0 ? 1 : extents_[0]; }
  /// Elements of one row: the product of the extents past axis 0.
  std::int64_t row_size() const;
  /// The shape without axis 0.
  Shape inner() const { return ndim_ == 0 ? Shape{} : Shape(std::span(extents_.data() + 1, ndim_ - 1)); }
  /// The same inner shape with other rows.
  Shape with_rows(std::int64_t rows) const;
  /// NumPy's text: "(3,4)".
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.ndim_ == b.ndim_ && std::equal(a.begin(), a.end(), b.begin());
  }

  template <class Archive>
  void fields(Archive& archive) {
    archive(ndim_, extents_);
  }

 private:
  [[noreturn]] static void throw_dimensions(std::size_t count);
  [[noreturn]] static void throw_negative();

  int ndim_ = 0;
  std::array<std::int64_t, max_ndim> extents_{};
};

/// NumPy's broadcasting of two shapes. Throws ValueError in NumPy's words.
Shape broadcast(const Shape& a, const Shape& b);

/// Rows in equal contiguous blocks, one per PE; the last blocks may be short or empty. Borders fall on multiples
/// of a unit of rows that does not depend on the number of PEs, so that reductions can follow the same order on any
/// number. Or blocks of any sizes, as data brings them about: the bytes of each PE's texts. Such arrays are parts of
/// columns, not what the operations of this layer are given.
class Distribution {
 public:
  Distribution() = default;
  /// `grain`: elements that stay together (ATOLL_GRAIN).
  Distribution(const Shape& shape, std::uint32_t npes, std::int64_t grain);
  /// Blocks of these sizes.
  static Distribution of_counts(std::span<const std::int64_t> counts);

  std::int64_t rows() const { return rows_; }
  std::int64_t unit_rows() const { return unit_rows_; }
  std::int64_t block_rows() const { return block_rows_; }
  std::uint32_t npes() const { return npes_; }

  std::int64_t begin(std::uint32_t pe) const {
    if (begins_ != nullptr) return (*begins_)[pe];
    return std::min(rows_, static_cast<std::int64_t>(pe) * block_rows_);
  }
  std::int64_t end(std::uint32_t pe) const { return begin(pe + 1); }
  std::int64_t count(std::uint32_t pe) const { return end(pe) - begin(pe); }
  std::uint32_t owner(std::int64_t row) const {
    if (begins_ != nullptr) return search(row);
    return static_cast<std::uint32_t>(row / block_rows_);
  }

  friend bool operator==(const Distribution& a, const Distribution& b) {
    if (a.begins_ != nullptr || b.begins_ != nullptr)
      return a.begins_ != nullptr && b.begins_ != nullptr && *a.begins_ == *b.begins_;
    return a.rows_ == b.rows_ && a.unit_rows_ == b.unit_rows_ && a.block_rows_ == b.block_rows_ && a.npes_ == b.npes_;
  }

 private:
  std::int64_t rows_ = 0;
  std::int64_t unit_rows_ = 1;
  std::int64_t block_rows_ = 1;
  std::uint32_t npes_ = 1;
  std::shared_ptr<const std::vector<std::int64_t>> begins_;  // null: equal blocks

  std::uint32_t search(std::int64_t row) const;
};

}  // namespace atl::array
