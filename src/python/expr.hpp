// SPDX-License-Identifier: Apache-2.0
// The Python handle on a lazy array.
#pragma once

#include "atoll/base/validate.hpp"
#include "convert.hpp"

namespace atl::python {

struct Expr {
  SessionPtr session;
  NodePtr node;

  const Array& value() const { return session->value(node); }
  /// The value, for an operation in `other`.
  const Array& value_in(const SessionPtr& other) const { return session->value(node_in(other)); }
  const array::NodePtr& node_in(const SessionPtr& other) const {
    ATOLL_VALIDATE(session == other, ValueError,
                   "the arrays belong to different sessions. Copy one of them: ak.array(x.to_ndarray())");
    return node;
  }
  /// The array, made this handle's alone, so that it may be changed in place.
  const Array& own();
};

inline Expr stored(const Expr& like, Array array) { return {like.session, array::make_stored(std::move(array))}; }

void bind_session(nb::module_& m);
void bind_expr(nb::module_& m);
void bind_operations(nb::module_& m);
void bind_table(nb::module_& m);
void bind_text(nb::module_& m);
void bind_csv(nb::module_& m);
void bind_everywhere(nb::module_& m);
void bind_window(nb::module_& m);
void bind_info(nb::module_& m);
void bind_limbs(nb::module_& m);
void bind_sim(nb::module_& m);

}  // namespace atl::python
