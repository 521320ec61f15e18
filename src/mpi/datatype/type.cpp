// SPDX-License-Identifier: Apache-2.0
#include "datatype/type.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "datatype/checked.hpp"

namespace atl::mpi::datatype {

Type::Type(NodePtr description, const Bounds& bounds, Count align, Combiner combiner, Contents contents)
    : description_(std::move(description)),
      bounds_(bounds),
      align_(align),
      combiner_(combiner),
      contents_(std::move(contents)) {}

void Type::commit() const {
  std::call_once(once_, [this] { layout_ = simplify(description_); });
}

void Type::validate_count(Count count) const {
  if (count <= 0) return;
  (void)checked_multiply(size(), count);
  const Count last = checked_multiply(extent(), count - 1);
  (void)checked_add(last, true_lb());
  (void)checked_add(last, description_->true_ub);
}

std::pair<Count, Count> Type::span(Count count) const {
  if (count <= 0 || size() == 0) return {0, 0};
  validate_count(count);
  const Count last = (count - 1) * extent();
  return {true_lb() + std::min(last, Count{0}), description_->true_ub + std::max(last, Count{0})};
}

TypePtr make_named(const Predefined& one) {
  Count align = one.number == Number::complex ? one.size / 2 : one.size;
  Bounds bounds{0, one.size};
  if (one.number == Number::pair) {
    bounds.ub = one.extent;
    align = find_predefined(one.value)->size;
  }
  auto type = std::make_shared<Type>(make_leaf(one), bounds, align > 16 ? 16 : align, Combiner::named, Contents{});
  type->element_ = &one;
  type->commit();
  return type;
}

const TypePtr& named(std::uintptr_t handle) {
  static const auto all = [] {
    std::unordered_map<std::uintptr_t, TypePtr> map;
    for (const Predefined& one : predefined()) map[one.handle] = make_named(one);
    return map;
  }();
  static const TypePtr none;
  auto found = all.find(handle);
  return found == all.end() ? none : found->second;
}

TypePtr make_dup(const TypePtr& type) {
  auto copy = std::make_shared<Type>(type->description_, type->bounds_, type->align_, Combiner::dup,
                                     Contents{{}, {}, {}, {type}});
  copy->element_ = type->element_;
  if (type->committed()) copy->commit();
  return copy;
}

TypePtr make_value_index(const Predefined& value, const Predefined& index) {
  const auto round_up = [](Count number, Count to) { return (number + to - 1) / to * to; };
  const Count align = std::max(named(value.handle)->align(), named(index.handle)->align());
  const Count index_at = round_up(value.size, named(index.handle)->align());
  auto type = std::make_shared<Type>(make_pieces({{0, 1, 0, make_leaf(value)}, {index_at, 1, 0, make_leaf(index)}}),
                                     Bounds{0, round_up(index_at + index.size, align)}, align, Combiner::value_index,
                                     Contents{{}, {}, {}, {named(value.handle), named(index.handle)}});
  type->commit();
  return type;
}

TypePtr make_parametrized(Combiner combiner, std::vector<int> parameters, const TypePtr& type) {
  auto copy = std::make_shared<Type>(type->description_, type->bounds_, type->align_, combiner,
                                     Contents{std::move(parameters), {}, {}, {}});
  copy->element_ = type->element_;
  copy->commit();
  return copy;
}

}  // namespace atl::mpi::datatype
