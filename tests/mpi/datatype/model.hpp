// SPDX-License-Identifier: Apache-2.0
// The standard's definition of a datatype, word for word: a list of (predefined type, displacement). The oracle.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "datatype/type.hpp"

namespace atl::mpi::datatype::test {

struct Model {
  struct One {
    const Predefined* element;
    Count at;
  };
  std::vector<One> map;
  Count lb = 0, ub = 0;
  bool fixed = false, any = false;

  Count extent() const { return ub - lb; }
  void add(const Model& part, Count at) {
    if (part.map.empty() && !part.fixed) return;
    for (One one : part.map) map.push_back({one.element, one.at + at});
    if (fixed && !part.fixed) return;
    bool first = !any || (part.fixed && !fixed);
    lb = first ? part.lb + at : std::min(lb, part.lb + at);
    ub = first ? part.ub + at : std::max(ub, part.ub + at);
    fixed = fixed || part.fixed, any = true;
  }
  void add_block(const Model& part, Count at, Count length) {
    for (Count i = 0; i < length; ++i) add(part, at + i * part.extent());
  }
  /// Offsets of all bytes of `count` elements, in packed order.
  std::vector<Count> bytes(Count count) const {
    std::vector<Count> all;
    for (Count i = 0; i < count; ++i)
      for (One one : map)
        for (Count b = 0; b < one.element->size; ++b) all.push_back(i * extent() + one.at + b);
    return all;
  }
};

inline Model model_of(const Predefined& one) {
  Model model;
  if (one.number == Number::pair) {
    const Predefined& value = *find_predefined(one.value);
    model.map = {{&value, 0}, {one.handle >= 0x230 ? &value : find_predefined(int_handle), one.index_at}};
    model.ub = one.extent;
  } else {
    model.map = {{&one, 0}};
    model.ub = one.size;
  }
  model.any = true;
  return model;
}

struct Made {
  TypePtr type;
  Model model;
};

/// A random datatype of up to `depth` constructors, some hundred elements at most, with its definition.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Made make(int depth) {
    if (depth == 0) {
      auto all = predefined();
      const Predefined& one = all[random(all.size())];
      return {named(one.handle), model_of(one)};
    }
    Made of = make(depth - 1);
    if (of.model.map.size() > 60) return of;
    Form form = random(2) != 0 ? Form::small : Form::large;
    Count count = number(4), length = number(4), extent = of.model.extent();
    Made made;
    Model& model = made.model;
    switch (random(8)) {
      case 0:
        made.type = make_contiguous(form, count, of.type);
        model.add_block(of.model, 0, count);
        break;
      case 1: {
        Count stride = number(6) - 1;
        made.type = make_vector(form, count, length, stride, of.type);
        for (Count i = 0; i < count; ++i) model.add_block(of.model, i * stride * extent, length);
        break;
      }
      case 2: {
        Count stride = number(90) - 30;
        made.type = make_hvector(form, count, length, stride, of.type);
        for (Count i = 0; i < count; ++i) model.add_block(of.model, i * stride, length);
        break;
      }
      case 3:
      case 4: {
        bool bytes = random(2) != 0, alike = random(2) != 0;
        std::vector<Count> lengths, places;
        Count stride = number(7);
        for (Count i = 0; i < count + 2; ++i) {
          lengths.push_back(alike ? length : number(3));
          places.push_back(random(3) != 0 ? stride * i : number(9));
          model.add_block(of.model, places.back() * (bytes ? 1 : extent), lengths.back());
        }
        if (alike && random(2) != 0)
          made.type = (bytes ? make_hindexed_block : make_indexed_block)(form, length, places, of.type);
        else made.type = (bytes ? make_hindexed : make_indexed)(form, lengths, places, of.type);
        break;
      }
      case 5: {
        Count lb = number(20) - 10;
        extent = number(60);
        made.type = make_resized(form, lb, extent, of.type);
        model = of.model;
        model.lb = lb, model.ub = lb + extent, model.fixed = model.any = true;
        break;
      }
      case 6: {
        Made other = make(depth - 1);
        std::vector<Count> lengths{length, number(3)}, places{number(20), number(50)};
        std::vector<TypePtr> types{of.type, other.type};
        made.type = make_struct(form, lengths, places, types);
        model.add_block(of.model, places[0], lengths[0]);
        model.add_block(other.model, places[1], lengths[1]);
        if (!model.fixed) model.ub = made.type->ub();  // padding has a test of its own
        break;
      }
      default: {
        Count dimensions = 1 + number(2);
        std::vector<Count> sizes, subsizes, starts;
        Count all = 1;
        for (Count d = 0; d < dimensions; ++d) {
          sizes.push_back(1 + number(4));
          subsizes.push_back(1 + number(sizes[d]));
          starts.push_back(number(sizes[d] - subsizes[d] + 1));
          all *= sizes[d];
        }
        Order order = random(2) != 0 ? Order::c : Order::fortran;
        made.type = make_subarray(form, sizes, subsizes, starts, order, of.type);
        // Every index of the array in its order; those inside are taken.
        for (Count i = 0; i < all; ++i) {
          Count rest = i;
          bool inside = true;
          for (Count k = 0; k < dimensions; ++k) {
            auto d = static_cast<std::size_t>(order == Order::c ? dimensions - 1 - k : k);
            Count index = rest % sizes[d];
            rest /= sizes[d];
            inside = inside && index >= starts[d] && index < starts[d] + subsizes[d];
          }
          if (inside) model.add(of.model, i * extent);
        }
        model.lb = 0, model.ub = all * extent, model.fixed = model.any = true;
      }
    }
    return made;
  }

  std::size_t random(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
  Count number(Count below) { return static_cast<Count>(random(static_cast<std::size_t>(std::max(below, Count{1})))); }

 private:
  std::mt19937 random_;
};

}  // namespace atl::mpi::datatype::test
