// SPDX-License-Identifier: Apache-2.0
#include "core/info.hpp"

#include <algorithm>
#include <cstring>

#include "core/library.hpp"

namespace atl::mpi {
namespace {

Info& environment() {
  static auto& info = []() -> Info& {
    auto& made = *new Info;
    made.predefine(reinterpret_cast<std::uintptr_t>(MPI_INFO_ENV));
    return made;
  }();
  return info;
}
[[maybe_unused]] const bool made = (environment(), true);

std::string_view valid_key(const char* key) {
  std::size_t length = key == nullptr ? 0 : std::strlen(key);
  ATOLL_MPI_REQUIRE(length >= 1 && length <= MPI_MAX_INFO_KEY - 1, MPI_ERR_INFO_KEY,
                    "a key has 1 to {} characters, not {}", MPI_MAX_INFO_KEY - 1, length);
  return {key, length};
}

Info& own(MPI_Info info) {
  Info& object = need<Info>(info);
  ATOLL_MPI_REQUIRE(!object.is_predefined(), MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
  return object;
}

}  // namespace

void Info::set(std::string_view key, std::string_view value) {
  for (auto& entry : entries_)
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  entries_.emplace_back(key, value);
}

std::optional<std::string> Info::get(std::string_view key) const {
  for (const auto& entry : entries_)
    if (entry.first == key) return entry.second;
  return std::nullopt;
}

bool Info::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; }) != 0;
}

Info::Entries entries_of(MPI_Info info) { return info == MPI_INFO_NULL ? Info::Entries{} : need<Info>(info).entries(); }

Info::Entries in_use(Info::Entries known, const Info::Entries& given) {
  for (auto& [key, value] : known)
    for (const auto& hint : given)
      if (hint.first == key) value = hint.second;
  return known;
}

void give_info(const Info::Entries& entries, MPI_Info* info) { give(make<Info>(entries), info); }

namespace {
Info::Entries (*describe_environment)() = nullptr;
}

void describe_environment_by(Info::Entries (*describe)()) { describe_environment = describe; }

void set_environment_info() {
  if (describe_environment == nullptr) return;
  for (auto& [key, value] : describe_environment()) environment().set(key, value);
}

void info_create(MPI_Info* info) { give_info({}, info); }
void info_create_env(MPI_Info* info) {
  if (!is_active() && environment().entries().empty()) set_environment_info();  // MPI_INFO_ENV is valid before MPI_Init
  give_info(environment().entries(), info);
}
void info_dup(MPI_Info info, MPI_Info* copy) { give_info(need<Info>(info).entries(), copy); }

void info_delete(MPI_Info info, const char* key) {
  Info& object = own(info);
  ATOLL_MPI_REQUIRE(object.erase(valid_key(key)), MPI_ERR_INFO_NOKEY, "there is no key '{}'", key);
}

void info_free(MPI_Info* info) {
  own(*info).release();
  *info = MPI_INFO_NULL;
}

void info_get(MPI_Info info, const char* key, int length, char* value, int* flag) {
  ATOLL_MPI_REQUIRE(length >= 0, MPI_ERR_INFO_VALUE, "a value of length {}", length);
  auto found = need<Info>(info).get(valid_key(key));
  *flag = found.has_value();
  if (!found) return;
  std::size_t copied = std::min(found->size(), static_cast<std::size_t>(length));
  std::memcpy(value, found->data(), copied);
  value[copied] = '\0';
}

void info_get_count(MPI_Info info, int* count) { *count = static_cast<int>(need<Info>(info).entries().size()); }

void info_get_key(MPI_Info info, int index, char* key) {
  const auto& entries = need<Info>(info).entries();
  ATOLL_MPI_REQUIRE(index >= 0 && static_cast<std::size_t>(index) < entries.size(), MPI_ERR_ARG,
                    "there are {} keys, no number {}", entries.size(), index);
  const std::string& name = entries[static_cast<std::size_t>(index)].first;
  std::memcpy(key, name.c_str(), name.size() + 1);
}

void info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag) {
  auto found = need<Info>(info).get(valid_key(key));
  *flag = found.has_value();
  if (!found) return;
  if (*length > 0) {
    std::size_t copied = std::min(found->size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(value, found->data(), copied);
    value[copied] = '\0';
  }
  *length = static_cast<int>(found->size()) + 1;
}

void info_get_length(MPI_Info info, const char* key, int* length, int* flag) {
  auto found = need<Info>(info).get(valid_key(key));
  *flag = found.has_value();
  if (found) *length = static_cast<int>(found->size());
}

void info_set(MPI_Info info, const char* key, const char* value) {
  Info& object = own(info);
  std::size_t length = value == nullptr ? 0 : std::strlen(value);
  ATOLL_MPI_REQUIRE(value != nullptr && length < MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE,
                    "a value has at most {} characters, not {}", MPI_MAX_INFO_VAL - 1, length);
  object.set(valid_key(key), {value, length});
}

}  // namespace atl::mpi
