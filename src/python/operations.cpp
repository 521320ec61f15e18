// SPDX-License-Identifier: Apache-2.0
// Creation, lazy elementwise operations, and the operations that evaluate.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <set>

#include "atoll/base/validate.hpp"
#include "checks.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

using array::make_stored;
using array::Op;
using array::Reduction;
using array::Scan;
using array::to_bits;
using Release = nb::call_guard<WithoutGil>;

Reduction to_reduction(const std::string& name) {
  for (Reduction kind : {Reduction::sum, Reduction::prod, Reduction::min, Reduction::max, Reduction::argmin,
                         Reduction::argmax, Reduction::any, Reduction::all, Reduction::count_nonzero})
    if (array::name_of(kind) == name) return kind;
  raise<ValueError>(fmt::format("unknown reduction '{}'", name));
}

Scan to_scan(const std::string& name) {
  static constexpr std::array names{"cumsum", "cumprod", "cummax", "cummin"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<Scan>(i);
  raise<ValueError>(fmt::format("unknown scan '{}'", name));
}

array::RandomKind to_random_kind(const std::string& name) {
  static constexpr std::array names{"bits", "integers", "uniform", "normal", "exponential", "zipf"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<array::RandomKind>(i);
  raise<ValueError>(fmt::format("unknown random kind '{}'", name));
}

array::Law to_law(const std::string& name) {
  static constexpr std::array names{"beta",
                                    "binomial",
                                    "cauchy",
                                    "chi_square",
                                    "f",
                                    "gamma",
                                    "geometric",
                                    "gumbel",
                                    "hypergeometric",
                                    "laplace",
                                    "log_series",
                                    "logistic",
                                    "negative_binomial",
                                    "noncentral_chi_square",
                                    "noncentral_f",
                                    "pareto",
                                    "poisson",
                                    "power",
                                    "rayleigh",
                                    "student",
                                    "triangular",
                                    "von_mises",
                                    "wald",
                                    "weibull"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<array::Law>(i);
  raise<ValueError>(fmt::format("unknown law '{}'", name));
}

constexpr std::int64_t large_matrix = 1 << 14;  // elements; copies of smaller ones cost nothing

/// Whether a transpose may wait until its elements are needed in another order than the matrix's: reductions do
/// without. The matrix keeps its values meanwhile, by a copy if it is changed, which is not so where NumPy can write to
/// it.
bool may_stay_transposed(const Expr& x, const std::vector<int>& axes) {
  if (axes != std::vector<int>{1, 0} || x.node->shape.size() < large_matrix) return false;
  if (x.node->kind == array::Node::Kind::transposed) return true;
  return x.session->engine().npes() == 1 && !x.value()->storage.exported;
}

constexpr int max_axes = 64;

/// One float64 for each value, or nothing.
Array weights_of(const Expr* weights, const Expr& x, const Array& values) {
  if (weights == nullptr) return {};
  const Array found = require_type(weights->value_in(x.session), DType::f64, "weights");
  ATOLL_VALIDATE(found->shape == values->shape, ValueError, "weights of shape {} for values of shape {}",
                 found->shape.to_string(), values->shape.to_string());
  return found;
}

/// A chain that has grown long is evaluated before it grows further.
void bound_cost(Session& session, std::span<NodePtr> operands) {
  std::uint32_t cost = 0;
  for (const NodePtr& operand : operands) cost += operand->cost;
  if (cost < array::max_cost) return;
  WithoutGil release;
  for (const NodePtr& operand : operands)
    if (operand->cost > 0) session.value(operand);
}

Expr apply(int op_code, int compute_code, int result_code, nb::sequence operands) {
  ATOLL_VALIDATE(op_code >= 0 && op_code < 256, ValueError, "unknown operation {}", op_code);
  const Op op = static_cast<Op>(op_code);
  const DType compute = to_dtype(compute_code);
  const array::OpInfo& info = array::info(op);
  const std::size_t count = nb::len(operands);
  ATOLL_VALIDATE(count == info.arity, TypeError, "{} takes {} operands, {} given", info.name, info.arity, count);
  ATOLL_VALIDATE(array::has_loop(op, compute), TypeError, "ufunc '{}' not supported for dtype {}", info.name,
                 array::name_of(compute));
  std::array<NodePtr, 3> nodes;
  SessionPtr session;
  for (std::size_t i = 0; i < count; ++i) {
    const Expr& operand = nb::cast<const Expr&>(operands[i]);
    ATOLL_VALIDATE(session == nullptr || session == operand.session, ValueError,
                   "the operands belong to different sessions. Copy one of them: ak.array(x.to_ndarray())");
    session = operand.session;
    DType wanted = compute;
    if (op == Op::where && i == 0) wanted = DType::b1;
    if (op == Op::ldexp && i == 1) wanted = DType::i32;
    nodes[i] = op == Op::cast ? operand.node : array::make_cast(operand.node, wanted);
  }
  (void)session->engine();  // throws when there is none any more
  bound_cost(*session, std::span(nodes.data(), count));
  if (op == Op::cast) return {session, array::make_cast(nodes[0], compute)};
  const DType natural = array::result_type(op, compute);
  NodePtr node = array::make_apply(op, compute, natural, std::span(nodes.data(), count));
  return {session, array::make_cast(node, to_dtype(result_code))};
}

void bind_creation(nb::module_& m) {
  m.def("scalar", [](SessionPtr s, nb::handle value, int dtype) {
    return Expr{s, array::make_constant(to_dtype(dtype), Shape{}, scalar_bits(value, to_dtype(dtype)))};
  });
  m.def("full", [](SessionPtr s, const std::vector<std::int64_t>& shape, int dtype, nb::handle value) {
    return Expr{s, array::make_constant(to_dtype(dtype), to_shape(shape), scalar_bits(value, to_dtype(dtype)))};
  });
  m.def(
      "empty",
      [](SessionPtr s, const std::vector<std::int64_t>& shape, int dtype) {
        return Expr{s, make_stored(s->call<&array::empty>(to_dtype(dtype), to_shape(shape)))};
      },
      Release());
  m.def("arange", [](SessionPtr s, nb::handle start, nb::handle step, std::int64_t count, int dtype) {
    ATOLL_VALIDATE(count >= 0, ValueError, "negative dimensions are not allowed");
    const DType type = to_dtype(dtype);
    return Expr{s, array::make_iota(type, count, scalar_bits(start, type), scalar_bits(step, type))};
  });
  m.def("random", [](SessionPtr s, const std::string& kind, const std::vector<std::int64_t>& shape, int dtype,
                     std::uint64_t key, std::uint64_t counter, nb::handle a, nb::handle b) {
    const array::RandomKind what = to_random_kind(kind);
    const DType type = to_dtype(dtype);
    std::uint64_t first, second;
    if (what == array::RandomKind::integers) {
      // `b` may be one past the largest value: the span is taken in Python's integers.
      nb::int_ span(nb::borrow(b) - nb::borrow(a));
      const std::uint64_t low = scalar_bits(a, type == DType::b1 ? DType::u8 : type);
      // Sign-extended, as the kernel's arithmetic is in 64 bits.
      first = array::is_signed(type) ? static_cast<std::uint64_t>(nb::cast<std::int64_t>(nb::borrow(a))) : low;
      second = PyLong_AsUnsignedLongLongMask(span.ptr());
    } else {
      first = scalar_bits(a, DType::f64);
      second = scalar_bits(b, DType::f64);
    }
    const Shape extents = to_shape(shape);
    WithoutGil release;
    return Expr{s, make_stored(s->call<&array::random_array>(what, type, extents, key, counter, first, second))};
  });

  m.def(
      "random_law",
      [](SessionPtr s, const std::string& name, const std::vector<std::int64_t>& shape, int dtype, std::uint64_t key,
         std::uint64_t counter, const std::vector<double>& parameters, const std::vector<const Expr*>& arrays) {
        const array::Law law = to_law(name);
        const Shape extents = to_shape(shape);
        std::vector<Array> values;
        for (const Expr* one : arrays) values.push_back(one == nullptr ? Array() : one->value_in(s));
        for (const Array& one : values)
          ATOLL_VALIDATE(one == nullptr || (one->dtype == DType::f64 && one->shape == extents), ValueError,
                         "parameters must be float64 arrays of the result's shape");
        ATOLL_VALIDATE(parameters.size() == values.size() && values.size() <= 3, ValueError,
                       "at most 3 parameters, {} given", values.size());
        return Expr{s, make_stored(s->call<&array::random_law>(law, to_dtype(dtype), extents, key, counter, parameters,
                                                               values))};
      },
      Release());
}

void bind_elementwise(nb::module_& m) {
  m.def("apply", &apply);
  m.def("cast", [](const Expr& x, int dtype) { return Expr{x.session, array::make_cast(x.node, to_dtype(dtype))}; });
  m.def("broadcast_to", [](const Expr& x, const std::vector<std::int64_t>& shape) {
    return Expr{x.session, array::make_broadcast(x.node, to_shape(shape))};
  });
}

void bind_shape(nb::module_& m) {
  m.def(
      "reshape",
      [](const Expr& x, const std::vector<std::int64_t>& shape) {
        return stored(x, x.session->call<&array::reshape>(x.value(), to_shape(shape)));
      },
      Release());
  m.def(
      "reinterpret",
      [](const Expr& x, int dtype, const std::vector<std::int64_t>& shape) {
        const Shape extents = to_shape(shape);
        const Array array = x.value();
        const DType type = to_dtype(dtype);
        ATOLL_VALIDATE(extents.size() * static_cast<std::int64_t>(size_of(type)) ==
                           array->shape.size() * static_cast<std::int64_t>(size_of(array->dtype)),
                       ValueError, "cannot take the bytes of shape {} as shape {}", array->shape.to_string(),
                       extents.to_string());
        return stored(x, x.session->call<&array::reinterpret>(array, type, extents));
      },
      Release());
  m.def(
      "transpose",
      [](const Expr& x, const std::vector<int>& axes) {
        require_permutation(axes, x.node->shape.ndim());
        if (may_stay_transposed(x, axes)) return Expr{x.session, array::make_transposed(x.node)};
        return stored(x, x.session->call<&array::transpose>(x.value(), axes));
      },
      Release());
  m.def(
      "concatenate",
      [](const std::vector<Expr>& parts, int axis) {
        ATOLL_VALIDATE(!parts.empty(), ValueError, "need at least one array to concatenate");
        ATOLL_VALIDATE(axis >= 0 && axis < parts[0].node->shape.ndim(), IndexError,
                       "axis {} is out of bounds for array of dimension {}", axis, parts[0].node->shape.ndim());
        auto others = [axis](Shape shape) {
          shape[axis] = 0;
          return shape;
        };
        std::vector<Array> arrays;
        for (const Expr& part : parts) {
          ATOLL_VALIDATE(part.session == parts[0].session, ValueError, "the arrays belong to different sessions");
          arrays.push_back(part.value());
          ATOLL_VALIDATE(
              arrays.back()->dtype == arrays[0]->dtype && arrays.back()->shape.ndim() == arrays[0]->shape.ndim() &&
                  others(arrays.back()->shape) == others(arrays[0]->shape),
              ValueError, "all the input array dimensions except for the concatenation axis must match exactly");
        }
        return stored(parts[0], parts[0].session->call<&array::concatenate>(arrays, axis));
      },
      Release(), nb::arg("parts"), nb::arg("axis") = 0);
  m.def(
      "roll",
      [](const Expr& x, int axis, std::int64_t shift) {
        const Shape& shape = x.node->shape;
        ATOLL_VALIDATE(axis > 0 && axis < shape.ndim(), IndexError,
                       "axis {} is out of bounds for rolling within rows of dimension {}", axis, shape.ndim());
        ATOLL_VALIDATE(shift >= 0 && shift < shape[axis], ValueError,
                       "cannot roll by {} along an axis of {} elements (the shift is from 0 to the length less 1). "
                       "Take it modulo the length?",
                       shift, shape[axis]);
        return stored(x, x.session->call<&array::roll>(x.value(), axis, shift));
      },
      Release(), nb::arg("x"), nb::arg("axis"), nb::arg("shift"));
}

void bind_reductions(nb::module_& m) {
  m.def(
      "reduce_all",
      [](const std::string& name, const Expr& x, int dtype, bool keep) {
        const Reduction kind = to_reduction(name);
        NodePtr node = array::make_cast(x.node, to_dtype(dtype));
        // A cast in between is a node of its own: what is worth keeping is under it.
        const bool keep_below = keep && node != x.node;
        array::ReductionValue value;
        {
          WithoutGil release;
          if (keep_below) x.value();
          value = x.session->reduce(node, kind, keep && !keep_below ? Session::Keep::yes : Session::Keep::no);
        }
        const bool place = kind == Reduction::argmin || kind == Reduction::argmax;
        if (value.empty && (kind == Reduction::min || kind == Reduction::max))
          raise<ValueError>(fmt::format("zero-size array to reduction operation {} which has no identity",
                                        kind == Reduction::min ? "minimum" : "maximum"));
        if (value.empty && place) raise<ValueError>(fmt::format("attempt to get {} of an empty sequence", name));
        if (place) return scalar_object(value.position, DType::i64);
        return scalar_object(value.bits, array::result_type(kind, node->dtype));
      },
      nb::arg("kind"), nb::arg("x"), nb::arg("dtype"), nb::arg("keep"));
  m.def(
      "reduce_axes",
      [](const std::string& name, const Expr& x, const std::vector<int>& axes, int dtype, bool keep) {
        const Reduction kind = to_reduction(name);
        std::uint32_t set = 0;
        for (int axis : axes) {
          ATOLL_VALIDATE(axis >= 0 && axis < x.node->shape.ndim(), IndexError,
                         "axis {} is out of bounds for array of dimension {}", axis, x.node->shape.ndim());
          set |= 1u << axis;
          ATOLL_VALIDATE(x.node->shape[axis] > 0 || kind < Reduction::min || kind > Reduction::argmax, ValueError,
                         "zero-size array to reduction operation {} which has no identity", name);
        }
        if (keep && x.node->kind != array::Node::Kind::transposed) x.value();
        return stored(x, x.session->reduce_axes(array::make_cast(x.node, to_dtype(dtype)), kind, set));
      },
      Release(), nb::arg("kind"), nb::arg("x"), nb::arg("axes"), nb::arg("dtype"), nb::arg("keep") = true);
  m.def(
      "scan",
      [](const std::string& name, const Expr& x, int axis, int dtype) {
        ATOLL_VALIDATE(axis >= 0 && axis < std::max(1, x.node->shape.ndim()), IndexError,
                       "axis {} is out of bounds for array of dimension {}", axis, x.node->shape.ndim());
        const Array array = x.session->value(array::make_cast(x.node, to_dtype(dtype)));
        return stored(x, x.session->call<&array::scan_along>(array, to_scan(name), axis));
      },
      Release());
}

void bind_selection(nb::module_& m) {
  m.def(
      "compress",
      [](const Expr& x, const Expr& mask) {
        const Array chosen = require_type(mask.value_in(x.session), DType::b1, "a mask");
        return stored(x, x.session->call<&array::compress_rows>(x.value(), chosen));
      },
      Release());
  m.def(
      "flatnonzero",
      [](const Expr& mask) {
        return stored(mask, mask.session->call<&array::find_true>(require_type(mask.value(), DType::b1, "a mask")));
      },
      Release());
  m.def(
      "take",
      [](const Expr& x, const Expr& indices) {
        const Array rows = require_type(indices.value_in(x.session), DType::i64, "an index");
        return stored(x, x.session->call<&array::take>(require_axes(x.value(), 1, max_axes, "an array"), rows));
      },
      Release());
  m.def(
      "searchsorted",
      [](const Expr& table, const Expr& values, const std::string& side) {
        ATOLL_VALIDATE(side == "left" || side == "right", ValueError,
                       "search side must be 'left' or 'right' (got '{}')", side);
        const Array sorted = table.value_in(values.session), wanted = values.value();
        require_column(sorted, wanted->dtype, "a sorted array");
        return stored(values, values.session->call<&array::search_sorted>(
                                  sorted, wanted, side == "left" ? array::Side::left : array::Side::right));
      },
      Release());
  m.def(
      "isin",
      [](const Expr& x, const Expr& test) {
        const Array tested = x.value(), in = test.value_in(x.session);
        return stored(x, x.session->call<&array::is_in>(tested, require_same_type(in, tested, "the test elements")));
      },
      Release());
  m.def(
      "histogram",
      [](const Expr& x, double low, double high, std::int64_t bins) {
        return stored(x, x.session->call<&array::histogram_between>(x.value(), low, high, bins));
      },
      Release());
  m.def(
      "histogram_edges",
      [](const Expr& x, const Expr& edges, const Expr* weights) {
        const Array values = x.value(), at = require_column(edges.value_in(x.session), DType::f64, "edges");
        return stored(x, x.session->call<&array::histogram_at>(values, at, weights_of(weights, x, values)));
      },
      Release(), nb::arg("x"), nb::arg("edges"), nb::arg("weights").none());
  m.def(
      "bincount",
      [](const Expr& x, std::int64_t minlength, const Expr* weights) {
        const Array values = require_axes(x.value(), 1, 1, "an array to count");
        ATOLL_VALIDATE(!array::is_float(values->dtype) && minlength >= 0, ValueError,
                       "bins are numbered by integers, and `minlength` must not be negative");
        return stored(x, x.session->call<&array::count_bins>(values, minlength, weights_of(weights, x, values)));
      },
      Release(), nb::arg("x"), nb::arg("minlength"), nb::arg("weights").none());
}

void bind_matrices(nb::module_& m) {
  m.def(
      "multiply_matrices",
      [](const Expr& a, const Expr& b) {
        const array::NodePtr &x = a.node, &y = b.node_in(a.session);
        ATOLL_VALIDATE(
            x->dtype == y->dtype && x->shape.ndim() == 2 && y->shape.ndim() == 2 && x->shape[1] == y->shape[0],
            ValueError, "matrices of shapes {} and {} have no product", x->shape.to_string(), y->shape.to_string());
        return stored(a, a.session->multiply(x, y));
      },
      Release());
  m.def(
      "multiply_stacks",
      [](const Expr& a, const Expr& b) {
        const Array x = a.value(), y = b.value_in(a.session);
        ATOLL_VALIDATE(x->dtype == y->dtype && x->shape.ndim() == 3 && y->shape.ndim() == 3 &&
                           x->shape[0] == y->shape[0] && x->shape[2] == y->shape[1],
                       ValueError, "stacks of matrices of shapes {} and {} have no products", x->shape.to_string(),
                       y->shape.to_string());
        return stored(a, a.session->call<&array::multiply_stacks>(x, y));
      },
      Release());
  m.def(
      "fourier",
      [](const Expr& re, const Expr* im, const std::vector<int>& axes, bool backward, double factor) {
        const Array x = re.value(), y = im == nullptr ? Array() : im->value_in(re.session);
        ATOLL_VALIDATE(array::is_float(x->dtype) && x->shape.size() > 0, ValueError,
                       "a transform needs floats, at least one");
        ATOLL_VALIDATE(y == nullptr || (y->dtype == x->dtype && y->shape == x->shape), ValueError,
                       "the parts must be alike");
        for (int axis : axes)
          ATOLL_VALIDATE(axis >= 0 && axis < x->shape.ndim(), ValueError, "no axis {} in {}", axis,
                         x->shape.to_string());
        ATOLL_VALIDATE(std::set<int>(axes.begin(), axes.end()).size() == axes.size(), ValueError,
                       "an axis is transformed once");
        std::vector<Array> found = re.session->call<&array::fourier>(x, y, axes, backward, factor);
        return std::make_pair(stored(re, found[0]), stored(re, found[1]));
      },
      Release(), nb::arg("re"), nb::arg("im").none(), nb::arg("axes"), nb::arg("backward"), nb::arg("factor"));
}

void bind_sorting(nb::module_& m) {
  m.def("sort", [](const Expr& x) { return stored(x, x.session->call<&array::sort_array>(x.value())); }, Release());
  m.def(
      "argsort", [](const Expr& x) { return stored(x, x.session->call<&array::argsort_array>(x.value())); }, Release());
  m.def(
      "coargsort",
      [](const std::vector<Expr>& keys) {
        ATOLL_VALIDATE(!keys.empty(), ValueError, "coargsort needs at least one key");
        std::vector<Array> arrays;
        for (const Expr& key : keys) {
          ATOLL_VALIDATE(key.session == keys[0].session, ValueError, "the keys belong to different sessions");
          arrays.push_back(key.value());
          ATOLL_VALIDATE(arrays.back()->shape.ndim() == 1 && arrays.back()->shape == arrays[0]->shape, ValueError,
                         "coargsort needs 1-dimensional keys of one length, got {} and {}",
                         arrays[0]->shape.to_string(), arrays.back()->shape.to_string());
        }
        return stored(keys[0], keys[0].session->call<&array::coargsort_arrays>(arrays));
      },
      Release());
  m.def(
      "run_starts",
      [](const Expr& x) {
        ATOLL_VALIDATE(x.value()->shape.ndim() == 1, ValueError, "runs are of 1-dimensional arrays, got shape {}",
                       x.value()->shape.to_string());
        return stored(x, x.session->call<&array::run_starts>(x.value()));
      },
      Release());
  m.def("unique", [](const Expr& x, bool index, bool inverse, bool counts) {
    std::vector<Array> outputs;
    {
      WithoutGil release;
      outputs = x.session->call<&array::unique_array>(
          x.value(),
          static_cast<std::uint8_t>((index ? array::unique_index : 0) | (inverse ? array::unique_inverse : 0) |
                                    (counts ? array::unique_counts : 0)));
    }
    auto optional = [&](std::size_t i) { return outputs[i] == nullptr ? nb::none() : nb::cast(stored(x, outputs[i])); };
    return nb::make_tuple(stored(x, outputs[0]), optional(1), optional(2), optional(3));
  });
}

}  // namespace

void bind_operations(nb::module_& m) {
  bind_creation(m);
  bind_elementwise(m);
  bind_shape(m);
  bind_reductions(m);
  bind_selection(m);
  bind_matrices(m);
  bind_sorting(m);
}

}  // namespace atl::python
