// SPDX-License-Identifier: Apache-2.0
// How many bytes an operation moves between PEs.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"

namespace atl::array::testing {

/// By all PEs: what is stored into or loaded from mapped memory, and everything that goes through endpoints, what
/// agreeing takes, too. Collective.
template <class Body>
std::uint64_t moved_by(Engine& engine, Body&& body) {
  fabric::Endpoint& endpoint = runtime::Parts(engine.context()).one_sided.endpoint();
  auto moved = [&] {
    const fabric::Traffic traffic = endpoint.traffic();
    return engine.volume().put_bytes + engine.volume().got_bytes + traffic.put_bytes + traffic.get_bytes +
           traffic.am_bytes;
  };
  const std::uint64_t before = moved();
  body();
  const std::uint64_t mine = moved() - before;
  std::uint64_t all = 0;
  for (const std::uint64_t bytes : engine.allgather_value(mine)) all += bytes;
  return all;
}

}  // namespace atl::array::testing
