// SPDX-License-Identifier: Apache-2.0
// Whole numbers of any width.
#include "atoll/table/kernel/limbs.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/operations.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

/// The arrays of a number's limbs: uint64, of one dimension and length.
std::vector<Array> limbs_of(const std::vector<Expr>& limbs, const SessionPtr& session, std::int64_t rows) {
  ATOLL_VALIDATE(!limbs.empty(), ValueError, "a number has a limb at least");
  std::vector<Array> arrays;
  for (const Expr& limb : limbs) {
    arrays.push_back(limb.value_in(session));
    const Array& one = arrays.back();
    ATOLL_VALIDATE(one->dtype == array::DType::u64 && one->shape.ndim() == 1 && one->shape.size() == rows, ValueError,
                   "limbs are uint64, of one dimension and length");
  }
  return arrays;
}

}  // namespace

void bind_limbs(nb::module_& m) {
  m.def("limb_apply",
        [](const std::string& operation, const std::vector<Expr>& a, const std::vector<Expr>& b, std::int64_t limbs) {
          ATOLL_VALIDATE(!a.empty() && limbs > 0, ValueError, "a number has a limb at least");
          (void)table::to_limb_operation(operation);
          const SessionPtr session = a[0].session;
          std::vector<Array> results;
          {
            WithoutGil release;
            const std::int64_t rows = a[0].value()->shape.size();
            const std::vector<Array> left = limbs_of(a, session, rows), right = limbs_of(b, session, rows);
            results = session->call<&table::limb_apply, table::Operations>(operation, left, right, limbs);
          }
          std::vector<Expr> made;
          for (Array& result : results) made.push_back(stored(a[0], std::move(result)));
          return made;
        });
}

}  // namespace atl::python
