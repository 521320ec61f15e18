// SPDX-License-Identifier: Apache-2.0
// Control variables: one for each entry of the configuration table. Entries with choices are enumerations.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <limits>
#include <mutex>
#include <string>

#include "atoll/base/config.hpp"
#include "core/library.hpp"
#include "tool/common.hpp"

namespace atl::mpi {

using namespace tool;

namespace {

using config::Variable;

// Variables that a process reads when MPI is initialized, or later. All others are fixed when the job starts.
constexpr std::array read_late{Variable::spin_us,     Variable::peer_timeout,  Variable::coll, Variable::coll_table,
                               Variable::mpiio_stats, Variable::progress_core, Variable::log};

constexpr int longest_value = 1024;

struct Open {
  std::mutex mutex;
  Handles<config::Entry> handles;
};
Open& open_controls() {
  static auto& all = *new Open;
  return all;
}

/// Returns null for an unknown handle.
const config::Entry* entry_of(MPI_T_cvar_handle handle) {
  std::lock_guard lock(open_controls().mutex);
  return open_controls().handles.find(handle);
}
/// An enumeration is an entry of the table, so it lives as long as the process. Null for an unknown enumeration.
const config::Entry* entry_of(MPI_T_enum enumeration) {
  for (const config::Entry& entry : config::entries())
    if (static_cast<const void*>(&entry) == enumeration && entry.kind == config::Kind::choice) return &entry;
  return nullptr;
}

bool may_be_written(const config::Entry& entry) {
  return std::ranges::find(read_late, entry.variable) != read_late.end();
}

bool fits_int(const config::Entry& entry) {
  return entry.minimum >= std::numeric_limits<int>::min() && entry.maximum <= std::numeric_limits<int>::max();
}

MPI_Datatype type_of(const config::Entry& entry) {
  switch (entry.kind) {
    case config::Kind::integer: return fits_int(entry) ? MPI_INT : MPI_COUNT;
    case config::Kind::bytes: return MPI_UNSIGNED_LONG;
    case config::Kind::seconds: return MPI_DOUBLE;
    case config::Kind::choice: return MPI_INT;
    case config::Kind::text: break;
  }
  return MPI_CHAR;
}

template <class T>
void put(void* buffer, T value) {
  std::memcpy(buffer, &value, sizeof(value));
}
template <class T>
T get(const void* buffer) {
  T value;
  std::memcpy(&value, buffer, sizeof(value));
  return value;
}

// Item `index` of a list "a|b|c".
std::string_view choice_at(const config::Entry& entry, int index) {
  std::string_view rest = entry.choices;
  for (; index > 0 && rest.find('|') != std::string_view::npos; --index) rest.remove_prefix(rest.find('|') + 1);
  return index == 0 ? rest.substr(0, rest.find('|')) : std::string_view();
}
int choices_of(const config::Entry& entry) { return 1 + static_cast<int>(std::ranges::count(entry.choices, '|')); }

void read(const config::Entry& entry, void* buffer) {
  switch (entry.kind) {
    case config::Kind::integer:
      if (fits_int(entry)) put(buffer, static_cast<int>(config::integer(entry.variable)));
      else put(buffer, static_cast<MPI_Count>(config::integer(entry.variable)));
      break;
    case config::Kind::bytes: put(buffer, static_cast<unsigned long>(config::bytes(entry.variable))); break;
    case config::Kind::seconds: put(buffer, config::seconds(entry.variable)); break;
    case config::Kind::choice: put(buffer, config::choice(entry.variable)); break;
    case config::Kind::text: {
      int length = longest_value;
      give_text(config::text(entry.variable), static_cast<char*>(buffer), &length);
      break;
    }
  }
}

std::string as_text(const config::Entry& entry, const void* buffer) {
  switch (entry.kind) {
    case config::Kind::integer: return fmt::format("{}", fits_int(entry) ? get<int>(buffer) : get<MPI_Count>(buffer));
    case config::Kind::bytes: return fmt::format("{}", get<unsigned long>(buffer));
    case config::Kind::seconds: return fmt::format("{}", get<double>(buffer));
    case config::Kind::choice: return std::string(choice_at(entry, get<int>(buffer)));
    case config::Kind::text: break;
  }
  const char* text = static_cast<const char*>(buffer);
  return {text, ::strnlen(text, longest_value)};
}

}  // namespace

void tool::forget_controls() {
  std::lock_guard lock(open_controls().mutex);
  open_controls().handles.clear();
}

int control_count(int* count) { return tool_count(count, static_cast<int>(config::entries().size())); }

int control_index(const char* name, int* index) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  auto entries = config::entries();
  auto found = std::ranges::find(entries, std::string_view(name), &config::Entry::name);
  if (found == entries.end()) return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - entries.begin());
  return MPI_SUCCESS;
}

int control_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type, MPI_T_enum* enumeration,
                 char* text, int* text_length, int* bind, int* scope) {
  if (!tool_is_active() || !fits(index, config::entries().size())) return tool_no_index();
  const config::Entry& entry = config::entries()[static_cast<std::size_t>(index)];
  give_text(entry.name, name, name_length);
  give_text(entry.meaning, text, text_length);
  store(verbosity, int{MPI_T_VERBOSITY_USER_BASIC});
  store(type, type_of(entry));
  store(enumeration, entry.kind == config::Kind::choice
                         ? reinterpret_cast<MPI_T_enum>(const_cast<config::Entry*>(&entry))
                         : MPI_T_ENUM_NULL);
  store(bind, int{MPI_T_BIND_NO_OBJECT});
  store(scope, int{may_be_written(entry) && !is_active() ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_READONLY});
  return MPI_SUCCESS;
}

int control_open(int index, MPI_T_cvar_handle* handle, int* count) {
  if (!tool_is_active() || !fits(index, config::entries().size())) return tool_no_index();
  if (handle == nullptr || count == nullptr) return MPI_T_ERR_INVALID;
  const config::Entry& entry = config::entries()[static_cast<std::size_t>(index)];
  std::lock_guard lock(open_controls().mutex);
  *handle = static_cast<MPI_T_cvar_handle>(open_controls().handles.allocate(entry));
  *count = entry.kind == config::Kind::text ? longest_value : 1;
  return MPI_SUCCESS;
}

int control_close(MPI_T_cvar_handle* handle) {
  if (!tool_is_active() || handle == nullptr) return tool_no_handle();
  std::lock_guard lock(open_controls().mutex);
  if (!open_controls().handles.free(*handle)) return tool_no_handle();
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int control_read(MPI_T_cvar_handle handle, void* buffer) {
  const config::Entry* entry = tool_is_active() ? entry_of(handle) : nullptr;
  if (entry == nullptr) return tool_no_handle();
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  try {
    read(*entry, buffer);
  } catch (const std::exception&) {  // an invalid environment variable: MPI_Init reports it
    return MPI_T_ERR_INVALID;
  }
  return MPI_SUCCESS;
}

int control_write(MPI_T_cvar_handle handle, const void* buffer) {
  const config::Entry* found = tool_is_active() ? entry_of(handle) : nullptr;
  if (found == nullptr) return tool_no_handle();
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  const config::Entry& entry = *found;
  if (!may_be_written(entry)) return MPI_T_ERR_CVAR_SET_NEVER;
  if (is_active()) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  if (entry.kind == config::Kind::choice && !fits(get<int>(buffer), choices_of(entry))) return MPI_T_ERR_INVALID;
  try {
    config::set(entry.variable, as_text(entry, buffer));
  } catch (const std::exception&) { return MPI_T_ERR_INVALID; }
  return MPI_SUCCESS;
}

int enumeration_info(MPI_T_enum enumeration, int* count, char* name, int* name_length) {
  if (!tool_is_active() || entry_of(enumeration) == nullptr) return tool_no_handle();
  store(count, choices_of(*entry_of(enumeration)));
  give_text(entry_of(enumeration)->name, name, name_length);
  return MPI_SUCCESS;
}

int enumeration_item(MPI_T_enum enumeration, int index, int* value, char* name, int* name_length) {
  if (!tool_is_active() || entry_of(enumeration) == nullptr) return tool_no_handle();
  if (!fits(index, choices_of(*entry_of(enumeration)))) return MPI_T_ERR_INVALID_ITEM;
  store(value, index);
  give_text(choice_at(*entry_of(enumeration), index), name, name_length);
  return MPI_SUCCESS;
}

}  // namespace atl::mpi
