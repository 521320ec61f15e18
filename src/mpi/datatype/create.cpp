// SPDX-License-Identifier: Apache-2.0
// Constructors of indexed, struct, vector and contiguous types.
#include <algorithm>

#include "datatype/checked.hpp"
#include "datatype/type.hpp"

namespace atl::mpi::datatype {
namespace {

/// Accumulates the bounds of a type from its parts.
class Cover {
 public:
  /// Adds `count` elements of `type`, one every `stride` bytes from `offset` on.
  void add_part(const Type& type, Count offset, Count count, Count stride) {
    if (count == 0) return;
    Count last = checked_add(offset, checked_multiply(count - 1, stride));
    const Bounds& bounds = type.bounds();
    if (type.elements() == 0 && !bounds.lb_fixed && !bounds.ub_fixed) return;
    extend_low(checked_add(std::min(offset, last), bounds.lb), bounds.lb_fixed);
    extend_high(checked_add(std::max(offset, last), bounds.ub), bounds.ub_fixed);
    align_ = std::max(align_, type.align());
  }
  Count align() const { return align_; }
  Bounds bounds() const { return bounds_; }
  /// The bounds padded to the alignment, as a compiler pads a struct.
  Bounds padded() const {
    Bounds bounds = bounds_;
    if (!bounds.ub_fixed && align_ > 1) {
      Count over = (bounds.ub - bounds.lb) % align_;
      if (over != 0) bounds.ub = checked_add(bounds.ub, align_ - over);
    }
    return bounds;
  }

 private:
  void extend_low(Count low, bool fixed) {
    if (low_ && (bounds_.lb_fixed && !fixed)) return;
    if (!low_ || (fixed && !bounds_.lb_fixed) || low < bounds_.lb) bounds_.lb = low;
    bounds_.lb_fixed = bounds_.lb_fixed || fixed;
    low_ = true;
  }
  void extend_high(Count high, bool fixed) {
    if (high_ && (bounds_.ub_fixed && !fixed)) return;
    if (!high_ || (fixed && !bounds_.ub_fixed) || high > bounds_.ub) bounds_.ub = high;
    bounds_.ub_fixed = bounds_.ub_fixed || fixed;
    high_ = true;
  }
  Bounds bounds_;
  bool low_ = false, high_ = false;
  Count align_ = 1;
};

/// Arguments of a constructor, sorted into the arrays in which MPI_Type_get_contents returns them.
class Arguments {
 public:
  explicit Arguments(Form form) : form_(form) {}
  Arguments& counts(std::span<const Count> values) {
    for (Count value : values) {
      if (form_ == Form::small) contents_.integers.push_back(static_cast<int>(value));
      else contents_.large_counts.push_back(value);
    }
    return *this;
  }
  Arguments& count(Count value) { return counts({&value, 1}); }
  Arguments& addresses(std::span<const Count> values) {
    auto& to = form_ == Form::small ? contents_.addresses : contents_.large_counts;
    to.insert(to.end(), values.begin(), values.end());
    return *this;
  }
  Arguments& address(Count value) { return addresses({&value, 1}); }
  Contents of(std::span<const TypePtr> types) {
    contents_.types.assign(types.begin(), types.end());
    return std::move(contents_);
  }
  Contents of(const TypePtr& type) { return of(std::span(&type, 1)); }

 private:
  Form form_;
  Contents contents_;
};

TypePtr rows(Count count, Count length, Count stride, const TypePtr& type, Combiner combiner, Contents contents) {
  Cover cover;
  if (count > 0 && length > 0) {
    // The first and the last block determine the bounds.
    Count last = checked_multiply(count - 1, stride);
    for (Count at : {Count{0}, last}) cover.add_part(*type, at, length, type->extent());
  }
  NodePtr block = make_repeat(length, type->extent(), type->description());
  return std::make_shared<Type>(make_repeat(count, stride, block), cover.bounds(), type->align(), combiner,
                                std::move(contents));
}

TypePtr list(std::span<const Count> lengths, Count length, std::span<const Count> displacements, Count unit,
             const TypePtr& type, Combiner combiner, Contents contents) {
  Cover cover;
  std::vector<Entry> entries(displacements.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].offset = checked_multiply(displacements[i], unit);
    entries[i].count = lengths.empty() ? length : lengths[i];
    cover.add_part(*type, entries[i].offset, entries[i].count, type->extent());
  }
  NodePtr node = make_blocks(std::move(entries), type->extent(), type->description());
  return std::make_shared<Type>(std::move(node), cover.bounds(), type->align(), combiner, std::move(contents));
}

Count length_of(std::span<const Count> list) { return static_cast<Count>(list.size()); }

}  // namespace

TypePtr make_contiguous(Form form, Count count, const TypePtr& type) {
  Cover cover;
  cover.add_part(*type, 0, count, type->extent());
  return std::make_shared<Type>(make_repeat(count, type->extent(), type->description()), cover.bounds(), type->align(),
                                Combiner::contiguous, Arguments(form).count(count).of(type));
}

TypePtr make_vector(Form form, Count count, Count length, Count stride, const TypePtr& type) {
  return rows(count, length, checked_multiply(stride, type->extent()), type, Combiner::vector,
              Arguments(form).count(count).count(length).count(stride).of(type));
}

TypePtr make_hvector(Form form, Count count, Count length, Count stride, const TypePtr& type) {
  return rows(count, length, stride, type, Combiner::hvector,
              Arguments(form).count(count).count(length).address(stride).of(type));
}

TypePtr make_indexed(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                     const TypePtr& type) {
  return list(lengths, 0, displacements, type->extent(), type, Combiner::indexed,
              Arguments(form).count(length_of(lengths)).counts(lengths).counts(displacements).of(type));
}

TypePtr make_hindexed(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                      const TypePtr& type) {
  return list(lengths, 0, displacements, 1, type, Combiner::hindexed,
              Arguments(form).count(length_of(lengths)).counts(lengths).addresses(displacements).of(type));
}

TypePtr make_indexed_block(Form form, Count length, std::span<const Count> displacements, const TypePtr& type) {
  return list({}, length, displacements, type->extent(), type, Combiner::indexed_block,
              Arguments(form).count(length_of(displacements)).count(length).counts(displacements).of(type));
}

TypePtr make_hindexed_block(Form form, Count length, std::span<const Count> displacements, const TypePtr& type) {
  return list({}, length, displacements, 1, type, Combiner::hindexed_block,
              Arguments(form).count(length_of(displacements)).count(length).addresses(displacements).of(type));
}

TypePtr make_struct(Form form, std::span<const Count> lengths, std::span<const Count> displacements,
                    std::span<const TypePtr> types) {
  Cover cover;
  std::vector<Entry> entries(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Type& type = *types[i];
    entries[i].offset = displacements[i];
    entries[i].child = make_repeat(lengths[i], type.extent(), type.description());
    cover.add_part(type, displacements[i], lengths[i], type.extent());
  }
  return std::make_shared<Type>(
      make_pieces(std::move(entries)), cover.padded(), cover.align(), Combiner::structure,
      Arguments(form).count(length_of(lengths)).counts(lengths).addresses(displacements).of(types));
}

TypePtr make_resized(Form form, Count lb, Count extent, const TypePtr& type) {
  return std::make_shared<Type>(type->description(), Bounds{lb, checked_add(lb, extent), true, true}, type->align(),
                                Combiner::resized, Arguments(form).address(lb).address(extent).of(type));
}

}  // namespace atl::mpi::datatype
