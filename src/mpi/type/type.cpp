// SPDX-License-Identifier: Apache-2.0
#include "type/type.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/name.hpp"
#include "type/chapter.hpp"

namespace atl::mpi {
namespace {

using namespace datatype;

// Made when the library is loaded, never destroyed.
[[maybe_unused]] const bool made = [] {
  for (const Predefined& one : predefined()) {
    auto* object = new TypeObject(named(one.handle));
    *object->name() = one.name;
    object->predefine(one.handle);
  }
  return true;
}();

// Types of create_f90_* and get_value_index by their arguments: the same arguments give the same type.
struct Parametrized {
  std::mutex mutex;
  std::map<std::tuple<Combiner, int, int>, TypeObject*> known;
};
Parametrized& parametrized() {
  static auto& all = *new Parametrized;
  return all;
}

template <class Make>
MPI_Datatype answer_to(Combiner combiner, int first, int second, Make&& make_type) {
  Parametrized& all = parametrized();
  std::lock_guard lock(all.mutex);
  TypeObject*& object = all.known[{combiner, first, second}];
  if (object == nullptr) {
    object = new TypeObject(make_type());
    object->make_permanent();
  }
  return handle_of(*object);
}

MPI_Datatype f90_type(Combiner combiner, int p, int r, const Predefined* answer, std::vector<int> parameters) {
  ATOLL_MPI_REQUIRE(answer != nullptr, MPI_ERR_ARG, "no Fortran type has {} decimal digits and a range of {}", p, r);
  return answer_to(combiner, p, r,
                   [&] { return make_parametrized(combiner, std::move(parameters), named(answer->handle)); });
}

bool is_ordered(const Predefined& one) {
  return one.number == Number::integer || one.number == Number::natural || one.number == Number::real;
}
bool is_index(const Predefined& one) {
  return (one.number == Number::integer || one.number == Number::natural) && one.size <= 8;
}

}  // namespace

MPI_Datatype handle_of_type(const TypePtr& type) {
  if (type->combiner() == Combiner::named)
    return reinterpret_cast<MPI_Datatype>(std::uintptr_t{type->element()->handle});
  if (auto one = type->combiner(); one == Combiner::f90_real || one == Combiner::f90_complex ||
                                   one == Combiner::f90_integer || one == Combiner::value_index) {
    std::lock_guard lock(parametrized().mutex);
    for (auto& [key, object] : parametrized().known)
      if (object->type() == type) return handle_of(*object);
  }
  MPI_Datatype handle;
  give(make<TypeObject>(type), &handle);
  return handle;
}

void type_commit(MPI_Datatype* datatype) {
  ATOLL_MPI_REQUIRE(datatype != nullptr, MPI_ERR_ARG, "no place for the datatype");
  need<TypeObject>(*datatype).type()->commit();
}

void type_free(MPI_Datatype* datatype) {
  ATOLL_MPI_REQUIRE(datatype != nullptr, MPI_ERR_ARG, "no place for the datatype");
  auto& object = need<TypeObject>(*datatype);
  ATOLL_MPI_REQUIRE(!object.permanent(), MPI_ERR_TYPE, "predefined datatypes cannot be freed");
  object.attributes()->clear(object);
  object.release();
  *datatype = MPI_DATATYPE_NULL;
}

void type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  auto& old = need<TypeObject>(oldtype);
  Ref<TypeObject> copy = make<TypeObject>(make_dup(old.type()));
  copy->attributes()->copy_from(old);
  give(std::move(copy), newtype);
}

void type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  *newtype = f90_type(Combiner::f90_real, p, r, select_real(p, r), {p, r});
}
void type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  *newtype = f90_type(Combiner::f90_complex, p, r, select_complex(p, r), {p, r});
}
void type_create_f90_integer(int r, MPI_Datatype* newtype) {
  *newtype = f90_type(Combiner::f90_integer, 0, r, select_integer(r), {r});
}

void type_match_size(int type_class, int size, MPI_Datatype* datatype) {
  ATOLL_MPI_REQUIRE(
      type_class >= static_cast<int>(TypeClass::logical) && type_class <= static_cast<int>(TypeClass::complex),
      MPI_ERR_ARG, "{} is no class of types", type_class);
  const Predefined* found = match_size(static_cast<TypeClass>(type_class), size);
  ATOLL_MPI_REQUIRE(found != nullptr, MPI_ERR_ARG, "no type of that class has {} bytes", size);
  *datatype = handle_of_type(named(found->handle));
}

void type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  const TypePtr &value = need<TypeObject>(value_type).type(), &index = need<TypeObject>(index_type).type();
  *pair_type = MPI_DATATYPE_NULL;
  if (value->combiner() != Combiner::named || index->combiner() != Combiner::named) return;
  const Predefined &one = *value->element(), &other = *index->element();
  if (const Predefined* pair = find_pair(one.handle, other.handle)) *pair_type = handle_of_type(named(pair->handle));
  else if (is_ordered(one) && is_index(other))
    *pair_type =
        answer_to(Combiner::value_index, one.handle, other.handle, [&] { return make_value_index(one, other); });
}

void type_get_name(MPI_Datatype datatype, char* name, int* length) {
  if (datatype == MPI_DATATYPE_NULL) return get_name("MPI_DATATYPE_NULL", name, length);
  get_name(need<TypeObject>(datatype), name, length);
}

void type_set_name(MPI_Datatype datatype, const char* name) { set_name(need<TypeObject>(datatype), name); }

void type_size(MPI_Datatype datatype, MPI_Count* size) { *size = need_type(datatype).size(); }

void type_get_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  const Type& type = need_type(datatype);
  *lb = type.lb(), *extent = type.extent();
}

void type_get_true_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  const Type& type = need_type(datatype);
  *lb = type.true_lb(), *extent = type.true_extent();
}

void type_get_envelope(MPI_Datatype datatype, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                       MPI_Count* datatypes, int* combiner) {
  const Type& type = need_type(datatype);
  const Contents& contents = type.contents();
  *integers = static_cast<MPI_Count>(contents.integers.size());
  *addresses = static_cast<MPI_Count>(contents.addresses.size());
  *large_counts = static_cast<MPI_Count>(contents.large_counts.size());
  *datatypes = static_cast<MPI_Count>(contents.types.size());
  *combiner = static_cast<int>(type.combiner());
}

void type_get_envelope_small(MPI_Datatype datatype, int* integers, int* addresses, int* datatypes, int* combiner) {
  const Type& type = need_type(datatype);
  const Contents& contents = type.contents();
  ATOLL_MPI_REQUIRE(contents.large_counts.empty(), MPI_ERR_TYPE,
                    "the datatype was made with large counts. Call MPI_Type_get_envelope_c?");
  *integers = static_cast<int>(contents.integers.size());
  *addresses = static_cast<int>(contents.addresses.size());
  *datatypes = static_cast<int>(contents.types.size());
  *combiner = static_cast<int>(type.combiner());
}

void type_get_contents(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                       MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                       MPI_Count large_counts[], MPI_Datatype datatypes[]) {
  const Type& type = need_type(datatype);
  const Contents& contents = type.contents();
  ATOLL_MPI_REQUIRE(type.combiner() != Combiner::named, MPI_ERR_TYPE, "a predefined datatype is made of nothing");
  auto fits = [](MPI_Count most, const auto& list, const char* what) {
    ATOLL_MPI_REQUIRE(most >= static_cast<MPI_Count>(list.size()), MPI_ERR_ARG,
                      "the datatype has {} {}, room is for {}", list.size(), what, most);
  };
  fits(max_integers, contents.integers, "integers");
  fits(max_addresses, contents.addresses, "addresses");
  fits(max_large_counts, contents.large_counts, "large counts");
  fits(max_datatypes, contents.types, "datatypes");
  std::ranges::copy(contents.integers, integers);
  std::ranges::copy(contents.addresses, addresses);
  std::ranges::copy(contents.large_counts, large_counts);
  std::ranges::transform(contents.types, datatypes, handle_of_type);
}

void type_get_contents_small(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                             int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  ATOLL_MPI_REQUIRE(need_type(datatype).contents().large_counts.empty(), MPI_ERR_TYPE,
                    "the datatype was made with large counts. Call MPI_Type_get_contents_c?");
  type_get_contents(datatype, max_integers, max_addresses, 0, max_datatypes, integers, addresses, nullptr, datatypes);
}

}  // namespace atl::mpi
