// SPDX-License-Identifier: Apache-2.0
// The Python handle on a column of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "atoll/base/validate.hpp"
#include "atoll/table/text.hpp"
#include "expr.hpp"

namespace atl::python {

struct Texts {
  Texts(SessionPtr session, table::Text text) : session(std::move(session)), text(std::move(text)) {}

  SessionPtr session;
  table::Text text;
  /// Where the text lies may change under the session's lock alone; its length does not.
  std::int64_t rows = text.rows();
  std::optional<std::int64_t> bytes = {};  // on all PEs, once asked for: strings never change. Guarded by the GIL

  const table::Text& in(const SessionPtr& other) const {
    ATOLL_VALIDATE(session == other, ValueError, "the columns belong to different sessions");
    return text;
  }
};

}  // namespace atl::python
