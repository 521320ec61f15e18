// SPDX-License-Identifier: Apache-2.0
// The hand-written loops as contenders for benchmarks: `limit(name, session, arrays, parameters)`.
#include "atoll/array/kernel/limit.hpp"

#include <map>

#include "atoll/array/kernel/limit_movement.hpp"
#include "atoll/table/kernel/limit_group.hpp"
#include "atoll/table/kernel/limit_join.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

namespace limit = array::limit;

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
         limit::triad(a.threads, a.at<double>(0), a.at<double>(1), a.parameters.at(0), a.at<double>(2), a.n());
         return a.at<double>(2)[0];
       }},
      {"expression",
       [](const Arguments& a) {
         limit::expression(a.threads, a.at<double>(0), a.at<double>(1), a.at<double>(2), a.at<double>(3),
                           a.at<double>(4), a.at<double>(5), a.at<double>(6), a.n());
         return a.at<double>(6)[0];
       }},
      {"expression_sum",
       [](const Arguments& a) {
         return limit::expression_sum(a.threads, a.at<double>(0), a.at<double>(1), a.at<double>(2), a.at<double>(3),
                                      a.at<double>(4), a.at<double>(5), a.n());
       }},
      {"sum",
       [](const Arguments& a) {
         return a.is_float() ? limit::sum(a.threads, a.at<double>(0), a.n())
                             : static_cast<double>(limit::sum(a.threads, a.at<std::int64_t>(0), a.n()));
       }},
      {"min", [](const Arguments& a) { return limit::min(a.threads, a.at<double>(0), a.n()); }},
      {"argmax",
       [](const Arguments& a) { return static_cast<double>(limit::argmax(a.threads, a.at<double>(0), a.n())); }},
      {"cumsum",
       [](const Arguments& a) {
         if (!a.is_float()) {
           limit::cumsum(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.n());
           return static_cast<double>(a.at<std::int64_t>(1)[a.n() - 1]);
         }
         limit::cumsum(a.threads, a.at<double>(0), a.at<double>(1), a.n());
         return a.at<double>(1)[a.n() - 1];
       }},
      {"gather",
       [](const Arguments& a) {
         limit::gather(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.at<std::int64_t>(2), a.n());
         return static_cast<double>(a.at<std::int64_t>(2)[0]);
       }},
      {"scatter",
       [](const Arguments& a) {
         limit::scatter(a.threads, a.at<std::int64_t>(0), a.at<std::int64_t>(1), a.at<std::int64_t>(2), a.n());
         return static_cast<double>(a.at<std::int64_t>(2)[0]);
       }},
      {"histogram",
       [](const Arguments& a) {
         limit::histogram(a.threads, a.at<double>(0), a.n(), a.arrays.at(1).size(), a.at<std::int64_t>(1));
         return static_cast<double>(a.at<std::int64_t>(1)[0]);
       }},
      {"group_sum",
       [](const Arguments& a) {
         table::limit::group_sum(a.threads, a.at<std::int64_t>(0), a.at<double>(1), a.n(), a.arrays.at(2).size(),
                                 a.at<double>(2), a.at<double>(3));
         return a.at<double>(2)[0];
       }},
      {"join",
       [](const Arguments& a) {
         ATOLL_VALIDATE(a.arrays.size() == 4 && a.arrays[2].size() >= a.n() && a.arrays[3].size() >= a.n(), ValueError,
                        "a join takes left keys, right keys, and room for as many pairs as left keys, twice");
         table::limit::join(a.threads, a.at<std::int64_t>(0), a.n(), a.at<std::int64_t>(1), a.arrays.at(1).size(),
                            a.at<std::int64_t>(2), a.at<std::int64_t>(3));
         return static_cast<double>(a.at<std::int64_t>(3)[0]);
       }},
      {"in1d_dense",
       [](const Arguments& a) {
         limit::isin_dense(a.threads, a.at<std::int64_t>(0), a.n(), a.at<std::uint64_t>(1), a.at<bool>(2));
         return static_cast<double>(a.at<bool>(2)[0]);
       }},
  };
  return table;
}

}  // namespace

void bind_limit(nb::module_& m) {
  m.def("limit", [](const std::string& name, Session& session,
                    std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> arrays, std::vector<double> parameters) {
    const auto loop = loops().find(name);
    ATOLL_VALIDATE(loop != loops().end(), ValueError, "no hand-written loop '{}'", name);
    const Arguments arguments{session.engine().threads(), std::move(arrays), std::move(parameters)};
    ATOLL_VALIDATE(!arguments.arrays.empty() && arguments.n() > 0, ValueError,
                   "a hand-written loop needs arrays that are not empty");
    WithoutGil release;
    return loop->second(arguments);
  });
  m.def("limit_names", [] {
    std::vector<std::string> names;
    for (const auto& [name, loop] : loops()) names.push_back(name);
    return names;
  });
}

}  // namespace atl::python
