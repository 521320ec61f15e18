// SPDX-License-Identifier: Apache-2.0
#include "core/memory_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "mpi-ext.h"

namespace atl::mpi {
namespace {

struct KnownKind {
  std::string_view name;
  std::array<std::string_view, 3> restrictors;
};
// Kinds of the MPI standard, and of the MPI Forum's side document on memory allocation kinds (1.0).
constexpr KnownKind system_kind{"system", {}};
constexpr KnownKind mpi_kind{"mpi", {"alloc_mem", "win_allocate", "win_allocate_shared"}};
constexpr KnownKind cuda_kind{"cuda", {"device", "host", "managed"}};

std::vector<const KnownKind*> known_kinds() {
  std::vector<const KnownKind*> kinds{&mpi_kind, &system_kind};
  if (has_cuda()) kinds.push_back(&cuda_kind);
  return kinds;
}

// Kinds are compared without regard to case.
std::string lower(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return low;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// `kind[:restrictor]...`
bool is_supported(const std::string& asked) {
  const std::vector<std::string> parts = split(asked, ':');
  if (parts.empty()) return false;
  for (const KnownKind* kind : known_kinds())
    if (kind->name == parts[0])
      return std::all_of(parts.begin() + 1, parts.end(), [&](const std::string& restrictor) {
        return !restrictor.empty() && std::ranges::find(kind->restrictors, restrictor) != kind->restrictors.end();
      });
  return false;
}

// Kinds that sessions asked for. The supported ones are reported in the program's spelling, such as
// `mpi:win_allocate:alloc_mem`, because programs search the reported value for the string that they asked for.
struct Asked {
  std::mutex mutex;
  std::vector<std::string> kinds;
};
Asked& asked() {
  static auto& all = *new Asked;
  return all;
}

// Built at each query, because the program may load a driver later.
std::string supported_kinds() {
  std::vector<std::string> kinds;
  for (const KnownKind* kind : known_kinds()) {
    kinds.emplace_back(kind->name);
    for (std::string_view restrictor : kind->restrictors)
      if (!restrictor.empty()) kinds.push_back(fmt::format("{}:{}", kind->name, restrictor));
  }
  {
    std::lock_guard lock(asked().mutex);
    for (const std::string& kind : asked().kinds)
      if (is_supported(kind) && std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  std::string value;
  for (const std::string& kind : kinds) value += (value.empty() ? "" : ",") + kind;
  return value;
}

}  // namespace

void request_memory_kinds(std::string_view kinds) {
  std::lock_guard lock(asked().mutex);
  for (std::string& kind : split(lower(kinds), ','))
    if (std::ranges::find(asked().kinds, kind) == asked().kinds.end()) asked().kinds.push_back(std::move(kind));
}

void add_memory_kinds(Info::Entries& in_use, const Info::Entries& given) {
  std::erase_if(in_use, [](const auto& entry) { return entry.first == memory_kinds_key; });
  in_use.emplace_back(memory_kinds_key, supported_kinds());
  for (const auto& [key, value] : given)
    if (key == asserted_kinds_key && std::ranges::all_of(split(lower(value), ','), is_supported))
      in_use.emplace_back(key, value);
}

void query_gpu_support(int type, int* is_supported) {
  ATOLL_MPI_REQUIRE(type >= MPIX_GPU_SUPPORT_CUDA && type <= MPIX_GPU_SUPPORT_HIP, MPI_ERR_ARG,
                    "a GPU of type {}. There are MPIX_GPU_SUPPORT_CUDA, _ZE and _HIP", type);
  ATOLL_MPI_REQUIRE(is_supported != nullptr, MPI_ERR_ARG, "there is no place for the answer");
  *is_supported = type == MPIX_GPU_SUPPORT_CUDA && has_cuda();
}

}  // namespace atl::mpi
