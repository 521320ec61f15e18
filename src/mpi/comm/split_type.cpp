// SPDX-License-Identifier: Apache-2.0
#include "comm/split_type.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "atoll/base/topology.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "comm/process_set.hpp"

namespace atl::mpi {
namespace {

constexpr std::string_view shared_memory = "mpi_shared_memory", hwloc_prefix = "hwloc://";

std::string name_of(const Resource& resource) { return std::string(hwloc_prefix) + std::string(resource.kind); }

std::int64_t own_host() { return library().job().node_of(library().pe()); }

// The same colour for all ranks bound to the same resource.
std::int64_t color_of(const Resource& resource) {
  constexpr std::int64_t most_of_a_host = std::int64_t{1} << 24;
  return resource.instance < 0 ? MPI_UNDEFINED : own_host() * most_of_a_host + resource.instance;
}

std::string value_of(const Info::Entries& hints, std::string_view key) {
  auto found = std::ranges::find(hints, key, &Info::Entries::value_type::first);
  return found == hints.end() ? std::string() : found->second;
}

// MPI_UNDEFINED for unknown kinds, and when the rank is not bound to a single resource of the kind.
std::int64_t by_resource(const std::string& wanted) {
  if (wanted == shared_memory) return own_host();
  for (const Resource& one : bound_resources())
    if (wanted == name_of(one)) return color_of(one);
  return MPI_UNDEFINED;
}

std::int64_t by_set(const std::string& name) {
  const std::vector<PeId> members = members_of_set(name);
  // Sets of the same name are disjoint, so the first member identifies the set.
  return members.empty() ? MPI_UNDEFINED : static_cast<std::int64_t>(members.front().value());
}

// The largest kind of resource that splits the communicator: the host, or a resource inside it. Collective: ranks that
// pass MPI_UNDEFINED take part, too, because they do not know the arguments of the others.
std::int64_t by_largest(Comm& comm, bool wanted, Info::Entries& hints) {
  constexpr std::size_t kinds = 9;
  const std::vector<Resource> resources = wanted ? bound_resources() : std::vector<Resource>();
  std::vector<std::int64_t> own(kinds, MPI_UNDEFINED);
  if (wanted) own[0] = own_host();
  for (std::size_t i = 0; i < resources.size() && i + 1 < kinds; ++i) own[i + 1] = color_of(resources[i]);
  std::vector<std::int64_t> all(kinds * static_cast<std::size_t>(comm.size()));
  run(allgather_bytes(comm.circle(), own.data(), kinds * sizeof(std::int64_t), all.data()));
  if (!wanted) return MPI_UNDEFINED;
  for (std::size_t kind = 0; kind <= resources.size(); ++kind) {
    std::set<std::int64_t> parts;
    for (std::size_t i = kind; i < all.size(); i += kinds) parts.insert(all[i]);
    if (parts.size() == 1) continue;  // all ranks share one resource, or no rank is bound to a single one
    std::erase_if(hints, [](const auto& hint) { return hint.first == resource_key; });
    hints.emplace_back(resource_key, kind == 0 ? std::string(shared_memory) : name_of(resources[kind - 1]));
    return own[kind];
  }
  return MPI_UNDEFINED;
}

}  // namespace

std::int64_t color_by_type(Comm& comm, int type, Info::Entries& hints) {
  const std::int64_t largest = by_largest(comm, type == MPI_COMM_TYPE_HW_UNGUIDED, hints);
  switch (type) {
    case MPI_UNDEFINED: return MPI_UNDEFINED;
    case MPI_COMM_TYPE_SHARED: return own_host();
    case MPI_COMM_TYPE_HW_GUIDED: return by_resource(value_of(hints, resource_key));
    case MPI_COMM_TYPE_RESOURCE_GUIDED: {
      const std::string set = value_of(hints, set_key);
      return set.empty() ? by_resource(value_of(hints, resource_key)) : by_set(set);
    }
    case MPI_COMM_TYPE_HW_UNGUIDED: return largest;
    default: fail(MPI_ERR_ARG, "{} is no way to split by type", type);
  }
}

}  // namespace atl::mpi
