// SPDX-License-Identifier: Apache-2.0
// Info objects: keys and values in the order in which they were set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/object.hpp"

namespace atl::mpi {

class Info : public Object {
 public:
  using Handle = MPI_Info;
  static constexpr Kind kind = Kind::info;
  static constexpr int error_class = MPI_ERR_INFO;
  static constexpr const char* what = "info object";
  static Handle null_handle() { return MPI_INFO_NULL; }

  using Entries = std::vector<std::pair<std::string, std::string>>;
  Info() : Object(kind) {}
  explicit Info(Entries entries) : Object(kind), entries_(std::move(entries)) {}

  const Entries& entries() const { return entries_; }
  void set(std::string_view key, std::string_view value);
  std::optional<std::string> get(std::string_view key) const;
  bool erase(std::string_view key);

 private:
  Entries entries_;
};

/// The entries of an info argument; none for MPI_INFO_NULL.
Info::Entries entries_of(MPI_Info info);
/// The keys of `known` with the values of `given` where it has them. Other keys of `given` are ignored, so they are not
/// returned.
Info::Entries in_use(Info::Entries known, const Info::Entries& given);
/// A new handle to a copy of these hints.
void give_info(const Info::Entries& entries, MPI_Info* info);

void info_create(MPI_Info* info);
void info_create_env(MPI_Info* info);
void info_delete(MPI_Info info, const char* key);
void info_dup(MPI_Info info, MPI_Info* copy);
void info_free(MPI_Info* info);
void info_get(MPI_Info info, const char* key, int length, char* value, int* flag);
void info_get_count(MPI_Info info, int* count);
void info_get_key(MPI_Info info, int index, char* key);
void info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag);
void info_get_length(MPI_Info info, const char* key, int* length, int* flag);
void info_set(MPI_Info info, const char* key, const char* value);
/// Sets the function that describes how the program was started. Call it before main().
void describe_environment_by(Info::Entries (*describe)());
/// Fills MPI_INFO_ENV; called when MPI is initialized.
void set_environment_info();

}  // namespace atl::mpi
