// SPDX-License-Identifier: Apache-2.0
// The module atoll.bench._limit: hand-written loops as contenders of `atoll bench`.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <mutex>

#include "atoll/array/kernel/simd_level.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "limit/elementwise.hpp"
#include "limit/group.hpp"
#include "limit/join.hpp"
#include "limit/movement.hpp"

namespace atl::limit {
namespace {

namespace nb = nanobind;

/// The arrays of one call. Loops take them as they are: outputs are written through the same NumPy arrays.
struct Arguments {
  ThreadPool& threads;
  std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> arrays;
  std::vector<double> parameters;

  std::size_t n() const { return arrays.at(0).size(); }
  bool is_float() const { return arrays.at(0).dtype() == nb::dtype<double>(); }
  template <class T>
  T* at(std::size_t i) const {
    ATOLL_VALIDATE(i < arrays.size(), ValueError, "this loop needs more than {} arrays", arrays.size());
    ATOLL_VALIDATE(arrays[i].dtype() == nb::dtype<T>(), TypeError,
                   "array {} has another dtype than this loop is written for", i);
    ATOLL_VALIDATE(reinterpret_cast<std::uintptr_t>(arrays[i].data()) % 64 == 0, ValueError,
                   "array {} does not start at a multiple of 64 bytes", i);
    return static_cast<T*>(arrays[i].data());
  }
};

using Loop = double (*)(const Arguments&);

const std::map<std::string, Loop>& loops() {
  static const std::map<std::string, Loop> table{
      {"triad",
       [](const Arguments& a) {
         triad(a.threads, a.at<double>(0), a.at<double>(1), a.parameters.at(0), a.at<double>(2), a.n());
         return a.at<double>(2)[0];
       }},
      {"expression",
       [](const Arguments& a) {
         expression(a.threads, a.at<double>(0), a.at<double>(1), a.at<double>(2), a.at<double>(3), a.at<double>(4),
                    a.at<double>(5), a.at<double>(6), a.n());
         return a.at<double>(6)[0];
       }},
      {"expression_sum",
       [](const Arguments& a) {
         return expression_sum(a.threads, a.at<double>(0), a.at<double>(1), a.at<double>(2), a.at<double>(3),
                               a.at<double>(4), a.at<double>(5), a.n());
       }},
      {"sum",
       [](const Arguments& a) {
         return a.is_float() ? sum(a.threads, a.at<double>(0), a.n())
                             : static_cast<double>(sum(a.threads, a.at<std::int64_t>(0), a.n()));
       }},
      {"min", [](const Arguments& a) { return min(a.threads, a.at<double>(0), a.n()); }},
      {"argmax", [](const Arguments& a) { return static_cast<double>(argmax(a.threads, a.at<double>(0), a.n())); }},
      {"cumsum",
       [](const Arguments& a) {
         if (!a.is_float()) {
           cumsum(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.n());
           return static_cast<double>(a.at<std::int64_t>(1)[a.n() - 1]);
         }
         cumsum(a.threads, a.at<double>(0), a.at<double>(1), a.n());
         return a.at<double>(1)[a.n() - 1];
       }},
      {"gather",
       [](const Arguments& a) {
         gather(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.at<std::int64_t>(2), a.n());
         return static_cast<double>(a.at<std::int64_t>(2)[0]);
       }},
      {"scatter",
       [](const Arguments& a) {
         scatter(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.at<std::int64_t>(2), a.n());
         return static_cast<double>(a.at<std::int64_t>(2)[0]);
       }},
      {"histogram",
       [](const Arguments& a) {
         histogram(a.threads, a.at<double>(0), a.n(), a.arrays.at(1).size(), a.at<std::int64_t>(1));
         return static_cast<double>(a.at<std::int64_t>(1)[0]);
       }},
      {"group_sum",
       [](const Arguments& a) {
         group_sum(a.threads, a.at<std::int64_t>(0), a.at<double>(1), a.n(), a.arrays.at(2).size(), a.at<double>(2),
                   a.at<double>(3));
         return a.at<double>(2)[0];
       }},
      {"join",
       [](const Arguments& a) {
         ATOLL_VALIDATE(a.arrays.size() == 4 && a.arrays[2].size() >= a.n() && a.arrays[3].size() >= a.n(), ValueError,
                        "a join takes left keys, right keys, and room for as many pairs as left keys, twice");
         join(a.threads, a.at<std::int64_t>(0), a.n(), a.at<std::int64_t>(1), a.arrays.at(1).size(),
              a.at<std::int64_t>(2), a.at<std::int64_t>(3));
         return static_cast<double>(a.at<std::int64_t>(3)[0]);
       }},
      {"in1d_dense",
       [](const Arguments& a) {
         isin_dense(a.threads, a.at<std::int64_t>(0), a.n(), a.at<std::uint64_t>(1), a.at<bool>(2));
         return static_cast<double>(a.at<bool>(2)[0]);
       }},
  };
  return table;
}

/// The pool of a number of threads, created at its first use and never destroyed.
ThreadPool& pool_of(unsigned threads) {
  static std::mutex mutex;
  static auto& pools = *new std::map<unsigned, std::unique_ptr<ThreadPool>>;
  std::lock_guard lock(mutex);
  auto& pool = pools[threads];
  if (!pool) pool = std::make_unique<ThreadPool>(threads);
  return *pool;
}

double run(const std::string& name, unsigned threads, std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> arrays,
           std::vector<double> parameters) {
  const auto loop = loops().find(name);
  ATOLL_VALIDATE(loop != loops().end(), ValueError, "no hand-written loop '{}'", name);
  ATOLL_VALIDATE(threads > 0, ValueError, "a hand-written loop needs at least one thread");
  const Arguments arguments{pool_of(threads), std::move(arrays), std::move(parameters)};
  ATOLL_VALIDATE(!arguments.arrays.empty() && arguments.n() > 0, ValueError,
                 "a hand-written loop needs arrays that are not empty");
  nb::gil_scoped_release release;
  return loop->second(arguments);
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& [name, loop] : loops()) found.push_back(name);
  return found;
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const ValueError& e) { PyErr_SetString(PyExc_ValueError, e.what()); } catch (const TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  }
}

}  // namespace
}  // namespace atl::limit

NB_MODULE(_limit, m) {
  atl::array::limit_kernels(atl::simd_level());
  nanobind::register_exception_translator(atl::limit::translate);
  m.def("run", atl::limit::run);
  m.def("names", atl::limit::names);
}
