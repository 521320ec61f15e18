// SPDX-License-Identifier: Apache-2.0
#include "tool/tool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "atoll/base/config.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

std::atomic<int> users{0};

struct Figure {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t (*value)(const runtime::MatcherStats& stats);
};
using Stats = runtime::MatcherStats;
constexpr std::array figures{
    Figure{"unexpected_messages", "messages that wait at this rank for a receive", [](const Stats& stats) { return stats.unexpected_messages; }},
    Figure{"unexpected_bytes", "bytes of these that are held here", [](const Stats& stats) { return stats.unexpected_bytes; }},
    Figure{"posted_receives", "receives of this rank that wait for a message", [](const Stats& stats) { return stats.posted_receives; }},
    Figure{"withheld_sends", "sends of this rank that wait for room at their targets", [](const Stats& stats) { return stats.withheld_sends; }},
};
constexpr std::string_view category = "atoll";

// Handles are what they stand for: an entry of the table, a figure.
const config::Entry* entry_of(MPI_T_cvar_handle handle) { return reinterpret_cast<const config::Entry*>(handle); }
const Figure* figure_of(MPI_T_pvar_handle handle) { return reinterpret_cast<const Figure*>(handle); }
bool is_figure(MPI_T_pvar_handle handle) { return figure_of(handle) >= figures.data() && figure_of(handle) < figures.data() + figures.size(); }

// A session has nothing of its own: all figures are measured all the time.
char session_token;
bool is_session(MPI_T_pvar_session session) { return reinterpret_cast<char*>(session) == &session_token; }

template <class Index>
bool fits(int index, Index count) {
  return index >= 0 && static_cast<std::size_t>(index) < static_cast<std::size_t>(count);
}

void give_text(std::string_view text, char* to, int* length) {
  if (length == nullptr) return;
  if (to != nullptr && *length > 0) {
    std::size_t copied = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(to, text.data(), copied);
    to[copied] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

template <class T>
void store(T* place, T value) {
  if (place != nullptr) *place = value;
}

// Values are text, as the user would write them.
std::string value_of(const config::Entry& entry) {
  std::string set = config::text(entry.variable);
  return set.empty() ? std::string(entry.default_value) : set;
}

constexpr int longest_value = 1024;

}  // namespace

int tool_begin(int* provided) {
  ++users;
  store(provided, int{MPI_THREAD_MULTIPLE});
  return MPI_SUCCESS;
}

int tool_end() {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  --users;
  return MPI_SUCCESS;
}

bool tool_is_active() { return users.load() > 0; }
int tool_no_index() { return tool_is_active() ? MPI_T_ERR_INVALID_INDEX : MPI_T_ERR_NOT_INITIALIZED; }
int tool_no_name() { return tool_is_active() ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_NOT_INITIALIZED; }
int tool_no_handle() { return tool_is_active() ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_NOT_INITIALIZED; }

int tool_count(int* count, int value) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  *count = value;
  return MPI_SUCCESS;
}

// ---- control variables

int control_count(int* count) { return tool_count(count, static_cast<int>(config::entries().size())); }

int control_index(const char* name, int* index) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  auto entries = config::entries();
  auto found = std::find_if(entries.begin(), entries.end(), [&](const config::Entry& entry) { return entry.name == name; });
  if (found == entries.end()) return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - entries.begin());
  return MPI_SUCCESS;
}

int control_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type, MPI_T_enum* enumeration, char* text,
                 int* text_length, int* bind, int* scope) {
  if (!tool_is_active() || !fits(index, config::entries().size())) return tool_no_index();
  const config::Entry& entry = config::entries()[static_cast<std::size_t>(index)];
  give_text(entry.name, name, name_length);
  give_text(entry.meaning, text, text_length);
  store(verbosity, int{MPI_T_VERBOSITY_USER_BASIC});
  store(type, MPI_CHAR);
  store(enumeration, MPI_T_ENUM_NULL);
  store(bind, int{MPI_T_BIND_NO_OBJECT});
  store(scope, int{MPI_T_SCOPE_READONLY});
  return MPI_SUCCESS;
}

int control_open(int index, MPI_T_cvar_handle* handle, int* count) {
  if (!tool_is_active() || !fits(index, config::entries().size())) return tool_no_index();
  *handle = reinterpret_cast<MPI_T_cvar_handle>(const_cast<config::Entry*>(&config::entries()[static_cast<std::size_t>(index)]));
  *count = longest_value;
  return MPI_SUCCESS;
}

int control_close(MPI_T_cvar_handle* handle) {
  if (*handle == MPI_T_CVAR_HANDLE_NULL) return tool_no_handle();
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return tool_is_active() ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

int control_read(MPI_T_cvar_handle handle, void* buffer) {
  if (!tool_is_active() || handle == MPI_T_CVAR_HANDLE_NULL) return tool_no_handle();
  int length = longest_value;
  give_text(value_of(*entry_of(handle)), static_cast<char*>(buffer), &length);
  return MPI_SUCCESS;
}

int control_write(MPI_T_cvar_handle handle) {
  return !tool_is_active() || handle == MPI_T_CVAR_HANDLE_NULL ? tool_no_handle() : MPI_T_ERR_CVAR_SET_NEVER;
}

// ---- performance variables

int figure_count(int* count) { return tool_count(count, static_cast<int>(figures.size())); }

int figure_index(const char* name, int variable_class, int* index) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& figure) { return figure.name == name; });
  if (found == figures.end() || variable_class != MPI_T_PVAR_CLASS_LEVEL) return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - figures.begin());
  return MPI_SUCCESS;
}

int figure_info(int index, char* name, int* name_length, int* verbosity, int* variable_class, MPI_Datatype* type,
                MPI_T_enum* enumeration, char* text, int* text_length, int* bind, int* readonly, int* continuous, int* atomic) {
  if (!tool_is_active() || !fits(index, figures.size())) return tool_no_index();
  const Figure& figure = figures[static_cast<std::size_t>(index)];
  give_text(figure.name, name, name_length);
  give_text(figure.meaning, text, text_length);
  store(verbosity, int{MPI_T_VERBOSITY_USER_BASIC});
  store(variable_class, int{MPI_T_PVAR_CLASS_LEVEL});
  store(type, MPI_UNSIGNED_LONG);
  store(enumeration, MPI_T_ENUM_NULL);
  store(bind, int{MPI_T_BIND_NO_OBJECT});
  store(readonly, 1);
  store(continuous, 1);
  store(atomic, 0);
  return MPI_SUCCESS;
}

int figure_session_open(MPI_T_pvar_session* session) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  *session = reinterpret_cast<MPI_T_pvar_session>(&session_token);
  return MPI_SUCCESS;
}

int figure_session_close(MPI_T_pvar_session* session) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!is_session(*session)) return MPI_T_ERR_INVALID_SESSION;
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int figure_open(MPI_T_pvar_session session, int index, MPI_T_pvar_handle* handle, int* count) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION;
  if (!fits(index, figures.size())) return MPI_T_ERR_INVALID_INDEX;
  *handle = reinterpret_cast<MPI_T_pvar_handle>(const_cast<Figure*>(&figures[static_cast<std::size_t>(index)]));
  *count = 1;
  return MPI_SUCCESS;
}

int figure_close(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  int code = figure_refuse(session, *handle, MPI_SUCCESS);
  if (code == MPI_SUCCESS) *handle = MPI_T_PVAR_HANDLE_NULL;
  return code;
}

int figure_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  int code = figure_refuse(session, handle, MPI_SUCCESS);
  if (code != MPI_SUCCESS) return code;
  auto value = static_cast<unsigned long>(is_active() ? figure_of(handle)->value(library().matcher().stats()) : 0);
  std::memcpy(buffer, &value, sizeof(value));
  return MPI_SUCCESS;
}

int figure_refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!is_session(session)) return MPI_T_ERR_INVALID_SESSION;
  // What cannot be done to one is done to none of all.
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_SUCCESS;
  return is_figure(handle) ? refusal : MPI_T_ERR_INVALID_HANDLE;
}

// ---- categories: one

int category_count(int* count) { return tool_count(count, 1); }

int category_index(const char* name, int* index) {
  if (!tool_is_active() || name != category) return tool_no_name();
  *index = 0;
  return MPI_SUCCESS;
}

int category_info(int index, char* name, int* name_length, char* text, int* text_length, int* controls, int* figure_number, int* categories) {
  if (!tool_is_active() || index != 0) return tool_no_index();
  give_text(category, name, name_length);
  give_text("configuration of the runtime, and what messages wait for", text, text_length);
  store(controls, static_cast<int>(config::entries().size()));
  store(figure_number, static_cast<int>(figures.size()));
  store(categories, 0);
  return MPI_SUCCESS;
}

int category_members(int index, Member member, int length, int* indices) {
  if (!tool_is_active() || index != 0) return tool_no_index();
  std::size_t count = member == Member::control ? config::entries().size() : member == Member::figure ? figures.size() : 0;
  for (int i = 0; i < length && fits(i, count); ++i) indices[i] = i;
  return MPI_SUCCESS;
}

}  // namespace atl::mpi
