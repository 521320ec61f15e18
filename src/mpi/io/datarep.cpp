// SPDX-License-Identifier: Apache-2.0
#include "io/datarep.hpp"

#include <limits>
#include <map>
#include <mutex>

#include "datatype/external32.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

using io::Count;
using io::Representation;

struct Known {
  std::mutex mutex;
  std::map<std::string, Representation, std::less<>> all{
      {"native", {}},
      {"internal", {Representation::Kind::internal, "internal"}},
      {"external32", {Representation::Kind::external32, "external32"}}};
};
Known& known() {
  static auto& one = *new Known;
  return one;
}

void add(const char* name, Representation one) {
  ATOLL_MPI_REQUIRE(name != nullptr && *name != 0 && std::string_view(name).size() < MPI_MAX_DATAREP_STRING,
                    MPI_ERR_ARG, "the representation has no name, or a longer one than {} letters",
                    MPI_MAX_DATAREP_STRING - 1);
  ATOLL_MPI_REQUIRE(one.extent != nullptr, MPI_ERR_ARG, "a representation needs a function that tells extents");
  one.kind = Representation::Kind::registered;
  one.name = name;
  std::lock_guard lock(known().mutex);
  bool added = known().all.emplace(name, std::move(one)).second;
  ATOLL_MPI_REQUIRE(added, MPI_ERR_DUP_DATAREP, "there is a representation '{}' already", name);
}

void check(int code, const std::string& name) {
  ATOLL_MPI_REQUIRE(code == MPI_SUCCESS, MPI_ERR_CONVERSION, "a function of the representation '{}' failed", name);
}

}  // namespace

const Representation* io::find_representation(std::string_view name) {
  std::lock_guard lock(known().mutex);
  auto found = known().all.find(name);
  return found == known().all.end() ? nullptr : &found->second;
}

Count Representation::size_of(MPI_Datatype handle) const {
  const datatype::Type& type = need_type(handle);
  if (kind == Kind::external32) return type.external_size();
  if (kind != Kind::registered) return type.size();
  MPI_Aint bytes = 0;
  check(extent(handle, &bytes, extra), name);
  return bytes;
}

void Representation::convert(bool writes, void* memory, MPI_Datatype handle, Count count, void* file) const {
  const datatype::Type& type = need_type(handle);
  if (kind == Kind::external32) {
    bool exact = writes ? pack_external32(type, count, memory, file) : unpack_external32(type, count, memory, file);
    ATOLL_MPI_REQUIRE(exact, MPI_ERR_CONVERSION, "an integer is too large for its size in external32");
    return;
  }
  if (auto* large = writes ? write_large : read_large) return check(large(memory, handle, count, file, 0, extra), name);
  ATOLL_MPI_REQUIRE(count <= std::numeric_limits<int>::max(), MPI_ERR_COUNT, "'{}' converts fewer elements than {}",
                    name, count);
  check((writes ? write : read)(memory, handle, static_cast<int>(count), file, 0, extra), name);
}

void register_datarep(const char* name, MPI_Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
                      MPI_Datarep_extent_function* extent, void* extra) {
  Representation one;
  one.read = read, one.write = write, one.extent = extent, one.extra = extra;
  add(name, std::move(one));
}

void register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                      MPI_Datarep_conversion_function_c* write, MPI_Datarep_extent_function* extent, void* extra) {
  Representation one;
  one.read_large = read, one.write_large = write, one.extent = extent, one.extra = extra;
  add(name, std::move(one));
}

}  // namespace atl::mpi
