// SPDX-License-Identifier: Apache-2.0
// A datatype: its constructor arguments, bounds, description and, once committed, its layout. Handles, names and
// attributes belong to mpi/type. Immutable except for the commit; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "datatype/node.hpp"
#include "datatype/pack.hpp"

namespace atl::mpi::datatype {

class Type;
using TypePtr = std::shared_ptr<const Type>;

/// Combiners, by their number in the ABI.
enum class Combiner : int {
  named = 101,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index
};
enum class Order : int { c = 12, fortran = 15 };
enum class Distribution : int { none = 16, block = 17, cyclic = 18 };
inline constexpr Count default_argument = 19;

/// Whether the constructor was called with int or large counts, which MPI_Type_get_envelope reports.
enum class Form : std::uint8_t { small, large };

/// The arguments of a constructor, as MPI_Type_get_contents_c gives them back.
struct Contents {
  std::vector<int> integers;
  std::vector<Count> addresses, large_counts;
  std::vector<TypePtr> types;
};

struct Bounds {
  Count lb = 0, ub = 0;
  // Bounds that the user set explicitly are inherited by all types built from this one.
  bool lb_fixed = false, ub_fixed = false;
};

class Type {
 public:
  Type(NodePtr description, const Bounds& bounds, Count align, Combiner combiner, Contents contents);

  Count size() const { return description_->size; }
  Count lb() const { return bounds_.lb; }
  Count ub() const { return bounds_.ub; }
  Count extent() const { return bounds_.ub - bounds_.lb; }
  Count true_lb() const { return description_->true_lb; }
  Count true_extent() const { return description_->true_ub - description_->true_lb; }
  const Bounds& bounds() const { return bounds_; }
  /// The strictest alignment of its elements.
  Count align() const { return align_; }
  /// Number of predefined elements, and the hash of their sequence.
  Count elements() const { return description_->elements; }
  const Signature& signature() const { return description_->signature; }
  Count external_size() const { return description_->external; }

  Combiner combiner() const { return combiner_; }
  const Contents& contents() const { return contents_; }
  /// The predefined type that this type is or, for f90 and duplicated types, equals; else null.
  const Predefined* element() const { return element_; }
  const NodePtr& description() const { return description_; }

  /// Thread-safe and idempotent.
  void commit() const;
  bool committed() const { return layout_ != nullptr; }
  /// Requires a committed type. Throws OverflowError when `count` elements exceed 2^63 bytes in size or span.
  Region region(Count count) const {
    const Count of_one = description_->size | extent();
    if (static_cast<std::uint64_t>(of_one | count) >> 31 != 0) [[unlikely]]
      validate_count(count);
    return {layout_.get(), extent(), count};
  }
  /// Throws OverflowError when region(count) would.
  void validate_count(Count count) const;
  /// The bytes from the first to the last of `count` elements, relative to the buffer; {0, 0} when they have no bytes.
  std::pair<Count, Count> span(Count count) const;
  const NodePtr& layout() const { return layout_; }

 private:
  friend TypePtr make_named(const Predefined& predefined);
  friend TypePtr make_dup(const TypePtr& type);
  friend TypePtr make_parametrized(Combiner combiner, std::vector<int> parameters, const TypePtr& type);

  NodePtr description_;
  Bounds bounds_;
  Count align_;
  Combiner combiner_;
  Contents contents_;
  const Predefined* element_ = nullptr;
  mutable std::once_flag once_;
  mutable NodePtr layout_;
};

/// The committed predefined type with this constant, or null.
const TypePtr& named(std::uintptr_t handle);

// Constructors. Counts and lengths must not be negative, and lists must have equal lengths. They throw OverflowError
// when a size or bound exceeds 2^63.
TypePtr make_dup(const TypePtr& type);
TypePtr make_contiguous(Form form, Count count, const TypePtr& type);
TypePtr make_vector(Form form, Count count, Count length, Count stride, const TypePtr& type);
TypePtr make_hvector(Form form, Count count, Count length, Count stride, const TypePtr& type);
TypePtr make_indexed(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                     const TypePtr& type);
TypePtr make_hindexed(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                      const TypePtr& type);
TypePtr make_indexed_block(Form form, Count length, std::span<const Count> displacements, const TypePtr& type);
TypePtr make_hindexed_block(Form form, Count length, std::span<const Count> displacements, const TypePtr& type);
TypePtr make_struct(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                    std::span<const TypePtr> types);
TypePtr make_resized(Form form, Count lb, Count extent, const TypePtr& type);
TypePtr make_subarray(Form form, std::span<const Count> sizes, std::span<const Count> subsizes,
                      std::span<const Count> starts, Order order, const TypePtr& type);
struct DarrayGrid {
  int size, rank;
  std::span<const Count> sizes;
  std::span<const int> distributions, arguments, processes;
  Order order;
};
TypePtr make_darray(Form form, const DarrayGrid& grid, const TypePtr& type);
/// A committed struct of a value and its index with the compiler's layout. Both types are predefined.
TypePtr make_value_index(const Predefined& value, const Predefined& index);
/// A predefined type that was selected by parameters, such as f90_real(p, r).
TypePtr make_parametrized(Combiner combiner, std::vector<int> parameters, const TypePtr& type);

}  // namespace atl::mpi::datatype
