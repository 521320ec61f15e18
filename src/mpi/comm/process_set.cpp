// SPDX-License-Identifier: Apache-2.0
#include "comm/process_set.hpp"

#include <strings.h>

#include "atoll/runtime/one_sided.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

// Names are URIs and compare without regard to case.
bool is_named(std::string_view name, std::string_view set) {
  return name.size() == set.size() && ::strncasecmp(name.data(), set.data(), set.size()) == 0;
}

}  // namespace

std::vector<PeId> members_of_set(std::string_view name) {
  std::vector<PeId> pes;
  if (is_named(name, process_sets[0]))
    for (std::uint32_t rank = 0; rank < library().npes(); ++rank)
      pes.push_back(library().one_sided().world().pe_of(rank));
  else if (is_named(name, process_sets[1])) pes.push_back(library().pe());
  return pes;
}

}  // namespace atl::mpi
