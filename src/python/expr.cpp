// SPDX-License-Identifier: Apache-2.0
// The handle on a lazy array: what it knows, how it becomes a value, and how it changes in place.
#include "expr.hpp"

#include "checks.hpp"

#include <nanobind/stl/optional.h>
#include <optional>

#include "atoll/base/validate.hpp"

namespace atl::python {
namespace {

using array::DriverOnly;
using array::make_stored;
using array::Slice;
using Release = nb::call_guard<WithoutGil>;

std::vector<Slice> to_slices(const std::vector<std::array<std::int64_t, 3>>& triples) {
  std::vector<Slice> slices;
  for (const auto& [start, step, count] : triples) slices.push_back({start, step, count});
  return slices;
}

std::vector<Slice> whole(const Shape& shape) {
  std::vector<Slice> slices;
  for (std::int64_t extent : shape) slices.push_back({0, 1, extent});
  return slices;
}

constexpr std::int64_t large = 1 << 20;  // elements; smaller ones are computed whole, once
constexpr std::int64_t small_share = 64;

std::int64_t count_of(const std::vector<Slice>& slices) {
  std::int64_t count = 1;
  for (const Slice& slice : slices) count *= slice.count;
  return count;
}

/// A few elements of a large expression, as the expression of these elements of its operands: printing the ends of 10^9
/// elements computes six. Null when that could round differently: a sequence of floats that starts elsewhere.
array::NodePtr part_of(Session& session, const array::NodePtr& node, const std::vector<Slice>& slices) {
  using Kind = array::Node::Kind;
  Shape shape;
  for (const Slice& slice : slices) shape.push_back(slice.count);
  switch (node->kind) {
    case Kind::stored: return make_stored(session.call<&array::get_slice>(node->array, slices));
    case Kind::constant: return array::make_constant(node->dtype, shape, node->bits);
    case Kind::iota: {
      if (array::is_float(node->dtype)) return nullptr;
      // Modulo 2^64, as the sequence itself.
      const auto start = static_cast<std::uint64_t>(slices[0].start), step = static_cast<std::uint64_t>(slices[0].step);
      return array::make_iota(node->dtype, slices[0].count, node->start_bits + start * node->step_bits,
                              step * node->step_bits);
    }
    case Kind::transposed: return nullptr;
    case Kind::apply:
    case Kind::broadcast: break;
  }
  std::vector<array::NodePtr> parts;
  for (std::size_t i = 0; i < node->input_count; ++i) {
    const Shape& own = node->inputs[i]->shape;
    std::vector<Slice> mine(slices.end() - own.ndim(), slices.end());
    for (int axis = 0; axis < own.ndim(); ++axis)
      if (own[axis] == 1) mine[static_cast<std::size_t>(axis)] = {0, 1, 1};
    parts.push_back(part_of(session, node->inputs[i], mine));
    if (parts.back() == nullptr) return nullptr;
  }
  if (node->kind == Kind::broadcast) return array::make_broadcast(parts[0], shape);
  return array::make_broadcast(array::make_apply(node->op, node->compute, node->dtype, parts), shape);
}

Expr get_slice(const Expr& x, const std::vector<std::array<std::int64_t, 3>>& triples) {
  std::vector<Slice> slices = to_slices(triples);
  require_slices(slices, x.node->shape);
  if (!x.node->stored() && x.node->shape.size() >= large && count_of(slices) <= x.node->shape.size() / small_share) {
    const auto lock = x.session->hold();
    if (array::NodePtr part = part_of(*x.session, x.node, slices)) return {x.session, std::move(part)};
  }
  return stored(x, x.session->call<&array::get_slice>(x.value(), slices));
}

nb::object item(Expr& self) {
  std::uint64_t bits = 0;
  {
    WithoutGil release;
    bits = self.session->call<&array::item_bits>(self.value());
  }
  return scalar_object(bits, self.node->dtype);
}

nb::object item_at(Expr& self, std::int64_t position) {
  std::uint64_t bits = 0;
  {
    WithoutGil release;
    bits = self.session->call<&array::element_bits>(self.value(), position);
  }
  return scalar_object(bits, self.node->dtype);
}

nb::object to_numpy(Expr& self, std::optional<bool> copy) {
  array::Engine& engine = self.session->engine();
  if (!copy.has_value() && engine.npes() == 1) {
    // To be read only: later changes in place see a second owner and leave this memory as it is.
    Array array;
    {
      WithoutGil release;
      array = self.value();
    }
    return numpy_view(array->bytes(), array->shape, array->dtype, array->storage.owner);
  }
  if (copy.has_value() && !*copy) {
    ATOLL_VALIDATE(engine.npes() == 1, ValueError, "the array is spread over {} PEs: NumPy can only have a copy",
                   engine.npes());
    Array array;
    {
      // NumPy will write here: other holders of these values keep them, elsewhere.
      WithoutGil release;
      array = self.value()->storage.exported ? self.value() : self.own();
    }
    array->storage.exported = true;
    return numpy_view(array->bytes(), array->shape, array->dtype, array->storage.owner);
  }
  nb::object result = numpy_empty(self.node->shape, self.node->dtype);
  auto view = nb::cast<nb::ndarray<nb::device::cpu>>(result);
  void* data = view.data();
  WithoutGil release;
  self.session->call<&array::to_buffer>(self.value(), DriverOnly<void*>{data});
  return result;
}

nb::object local(Expr& self) {
  Array array;
  {
    WithoutGil release;
    array = self.value();
    if (!array->storage.exported && array->storage.owner.use_count() > 1) array = self.own();
    self.session->spread(array);
  }
  array->storage.exported = true;
  Shape shape = array->shape.ndim() == 0 ? array->shape : array->shape.with_rows(array->local_rows());
  return numpy_view(array->bytes(), shape, array->dtype, array->storage.owner);
}

void require_assignable(const Expr& to, const Array& value) {
  ATOLL_VALIDATE(value->dtype == to.node->dtype, TypeError, "cannot assign {} to elements of {}",
                 array::name_of(value->dtype), array::name_of(to.node->dtype));
}

void assign(Expr& self, const Expr& value) {
  ATOLL_VALIDATE(value.session == self.session, ValueError,
                 "the arrays belong to different sessions. Copy one of them: ak.array(x.to_ndarray())");
  ATOLL_VALIDATE(value.node->shape == self.node->shape && value.node->dtype == self.node->dtype, ValueError,
                 "cannot assign {} {} to {} {} in place", array::name_of(value.node->dtype),
                 value.node->shape.to_string(), array::name_of(self.node->dtype), self.node->shape.to_string());
  if (self.node->stored() && self.node->array->storage.exported) {
    // NumPy looks at this memory: the new values must appear in it.
    const Array computed = value.value();
    self.session->call<&array::assign_slice>(self.own(), whole(self.node->shape), computed);
    return;
  }
  self.node = value.node;
}

}  // namespace

const Array& Expr::own() {
  const Array& array = session->value(node);
  const bool alone = node.use_count() == 1 && array.use_count() == 1;
  if (array->storage.exported) {
    if (!alone) {
      // Everybody else keeps the old values, in a copy; the memory that NumPy shares stays ours.
      Array mine = array;
      node->array = session->call<&array::copy>(mine);
      node = make_stored(std::move(mine));
    }
  } else if (!alone || array->storage.owner.use_count() > 1) {
    node = make_stored(session->call<&array::copy>(Array(array)));
  }
  return node->array;
}

namespace {

void bind_class(nb::module_& m) {
  nb::class_<Expr>(m, "Expr")
      .def_prop_ro("dtype", [](Expr& e) { return static_cast<int>(e.node->dtype); })
      .def_prop_ro("shape", [](Expr& e) { return from_shape(e.node->shape); })
      .def_prop_ro("ndim", [](Expr& e) { return e.node->shape.ndim(); })
      .def_prop_ro("size", [](Expr& e) { return e.node->shape.size(); })
      .def_prop_ro("session", [](Expr& e) { return e.session; })
      .def_prop_ro("ready", [](Expr& e) { return e.node->stored(); })
      .def(
          "evaluate", [](Expr& e) { e.value(); }, Release())
      .def("alias", [](Expr& e) { return Expr{e.session, e.node}; })
      .def("item", &item)
      .def("item_at", &item_at, nb::arg("position"))
      .def("to_numpy", &to_numpy, nb::arg("copy").none())
      .def("local", &local)
      .def("local_range",
           [](Expr& e) {
             array::Engine& engine = e.session->engine();
             const array::Distribution d(e.node->shape, engine.npes(), engine.grain());
             return std::pair(d.begin(engine.pe()), d.end(engine.pe()));
           })
      .def("assign", &assign, Release())
      .def(
          "assign_slice",
          [](Expr& e, const std::vector<std::array<std::int64_t, 3>>& slices, const Expr& value) {
            const std::vector<Slice> chosen = to_slices(slices);
            require_slices(chosen, e.node->shape);
            const Array computed = value.value_in(e.session);
            require_assignable(e, computed);
            Shape extents;
            for (const Slice& slice : chosen) extents.push_back(slice.count);
            ATOLL_VALIDATE(array::broadcast(computed->shape, extents) == extents, ValueError,
                           "could not broadcast input array from shape {} into shape {}", computed->shape.to_string(),
                           extents.to_string());
            e.session->call<&array::assign_slice>(e.own(), chosen, computed);
          },
          Release())
      .def(
          "assign_mask",
          [](Expr& e, const Expr& mask, const Expr& value) {
            const Array where = mask.value_in(e.session), computed = value.value_in(e.session);
            require_type(where, DType::b1, "a mask");
            require_assignable(e, computed);
            e.session->call<&array::assign_mask>(e.own(), where, computed);
          },
          Release())
      .def(
          "assign_index",
          [](Expr& e, const Expr& indices, const Expr& value, bool add) {
            const Array where = indices.value_in(e.session), computed = value.value_in(e.session);
            require_type(where, DType::i64, "an index");
            require_assignable(e, computed);
            ATOLL_VALIDATE(e.node->shape.ndim() > 0, IndexError, "an array without dimensions has no rows");
            Shape all = where->shape;
            for (std::int64_t extent : e.node->shape.inner()) all.push_back(extent);
            const bool fits = computed->shape == all || computed->shape.size() == 1 ||
                              computed->shape.size() == e.node->shape.row_size();
            ATOLL_VALIDATE(fits, ValueError, "shape mismatch: values of shape {} for {} rows of shape {}",
                           computed->shape.to_string(), where->shape.size(), e.node->shape.to_string());
            e.session->call<&array::assign_index>(e.own(), where, computed,
                                                  add ? array::AssignMode::add : array::AssignMode::set);
          },
          Release());
}

void bind_transfers(nb::module_& m) {
  m.def(
      "from_numpy",
      [](SessionPtr session, ReadOnlyArray values, bool copy) {
        const DType dtype = dtype_of_ndarray(values);
        const Shape shape = shape_of_ndarray(values);
        if (!copy && session->engine().npes() == 1) {
          ATOLL_VALIDATE(readable_past_end(values.data(), values.nbytes()), ValueError,
                         "this memory cannot be shared: copy it");
          void* data = const_cast<void*>(values.data());
          return Expr{session, make_stored(session->engine().wrap(dtype, shape, data, hold(nb::cast(values))))};
        }
        WithoutGil release;
        return Expr{session, make_stored(session->call<&array::from_buffer>(dtype, shape,
                                                                            DriverOnly<const void*>{values.data()}))};
      },
      nb::arg("session"), nb::arg("values"), nb::arg("copy"));
  m.def("from_local", [](SessionPtr session, ReadOnlyArray rows) {
    const DType dtype = dtype_of_ndarray(rows);
    const Shape shape = shape_of_ndarray(rows);
    WithoutGil release;
    return Expr{session,
                make_stored(session->call<&array::from_local>(dtype, shape, DriverOnly<const void*>{rows.data()}))};
  });
  m.def(
      "read_bytes",
      [](Expr& e, std::int64_t begin, nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> to) {
        WithoutGil release;
        const std::int64_t end = begin + static_cast<std::int64_t>(to.size());
        e.session->call<&array::read_bytes>(e.value(), begin, end, DriverOnly<void*>{to.data()});
      },
      nb::arg("x"), nb::arg("begin"), nb::arg("to"));
  m.def(
      "write_bytes",
      [](Expr& e, std::int64_t begin,
         nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> values) {
        WithoutGil release;
        const std::int64_t end = begin + static_cast<std::int64_t>(values.size());
        e.session->call<&array::write_bytes>(e.own(), begin, end, DriverOnly<const void*>{values.data()});
      },
      nb::arg("x"), nb::arg("begin"), nb::arg("values"));
  m.def("get_slice", &get_slice, Release());
}

}  // namespace

void bind_expr(nb::module_& m) {
  bind_class(m);
  bind_transfers(m);
}

}  // namespace atl::python
