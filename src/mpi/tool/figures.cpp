// SPDX-License-Identifier: Apache-2.0
// Performance variables: counters that the library keeps anyway from MPI_Init on. All are read-only and continuous.
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "atoll/runtime/one_sided.hpp"
#include "core/library.hpp"
#include "io/statistics.hpp"
#include "tool/common.hpp"

namespace atl::mpi {

using namespace tool;

namespace {

enum class Grows { up, both_ways, as_time };

struct Figure {
  std::string_view name, meaning;
  Category category;
  Grows grows;
  double (*seconds)() = nullptr;
  std::uint64_t (*value)() = nullptr;
};

using Messages = runtime::MatcherStats;
template <std::uint64_t Messages::* member>
std::uint64_t of_messages() {
  return library().matcher().stats().*member;
}
template <std::uint64_t fabric::Traffic::* member>
std::uint64_t of_transfers() {
  return library().one_sided().endpoint().traffic().*member;
}
template <std::uint64_t io::Totals::* member>
std::uint64_t of_files() {
  return io::totals().*member;
}
template <std::int64_t io::Totals::* member>
double of_file_times() {
  return static_cast<double>(io::totals().*member) * 1e-9;
}

constexpr auto messages = Category::messages;
constexpr auto transfers = Category::transfers;
constexpr auto files = Category::files;
constexpr std::array figures{
    Figure{"messages_sent", "messages sent, those of the library's own included", messages, Grows::up, nullptr,
           of_messages<&Messages::sent_messages>},
    Figure{"bytes_sent", "bytes of these", messages, Grows::up, nullptr, of_messages<&Messages::sent_bytes>},
    Figure{"messages_received", "messages received", messages, Grows::up, nullptr,
           of_messages<&Messages::received_messages>},
    Figure{"bytes_received", "bytes of these", messages, Grows::up, nullptr, of_messages<&Messages::received_bytes>},
    Figure{"messages_early", "messages that came before their receive", messages, Grows::up, nullptr,
           of_messages<&Messages::early_messages>},
    Figure{"waits", "messages that a call had to wait for", messages, Grows::up, nullptr,
           of_messages<&Messages::waits>},
    Figure{"unexpected_messages", "messages that wait at this rank for a receive", messages, Grows::both_ways, nullptr,
           of_messages<&Messages::unexpected_messages>},
    Figure{"unexpected_bytes", "bytes of these that are held here", messages, Grows::both_ways, nullptr,
           of_messages<&Messages::unexpected_bytes>},
    Figure{"posted_receives", "receives of this rank that wait for a message", messages, Grows::both_ways, nullptr,
           of_messages<&Messages::posted_receives>},
    Figure{"withheld_sends", "sends of this rank that wait for room at their targets", messages, Grows::both_ways,
           nullptr, of_messages<&Messages::withheld_sends>},
    Figure{"puts", "pieces of memory written at other ranks", transfers, Grows::up, nullptr,
           of_transfers<&fabric::Traffic::put_messages>},
    Figure{"put_bytes", "bytes of these", transfers, Grows::up, nullptr, of_transfers<&fabric::Traffic::put_bytes>},
    Figure{"gets", "pieces of memory read from other ranks", transfers, Grows::up, nullptr,
           of_transfers<&fabric::Traffic::get_messages>},
    Figure{"get_bytes", "bytes of these", transfers, Grows::up, nullptr, of_transfers<&fabric::Traffic::get_bytes>},
    Figure{"atomics", "atomic operations that another processor carried out", transfers, Grows::up, nullptr,
           of_transfers<&fabric::Traffic::atomic_messages>},
    Figure{"file_reads", "reads that the file system was asked for", files, Grows::up, nullptr,
           of_files<&io::Totals::reads>},
    Figure{"file_read_bytes", "bytes that these gave", files, Grows::up, nullptr, of_files<&io::Totals::read_bytes>},
    Figure{"file_read_time", "seconds that these took, of files with statistics", files, Grows::as_time,
           of_file_times<&io::Totals::read_ns>},
    Figure{"file_writes", "writes that the file system was asked for", files, Grows::up, nullptr,
           of_files<&io::Totals::writes>},
    Figure{"file_written_bytes", "bytes that these took", files, Grows::up, nullptr,
           of_files<&io::Totals::written_bytes>},
    Figure{"file_write_time", "seconds that these took, of files with statistics", files, Grows::as_time,
           of_file_times<&io::Totals::write_ns>},
};

int class_of(const Figure& figure) {
  switch (figure.grows) {
    case Grows::up: return MPI_T_PVAR_CLASS_COUNTER;
    case Grows::both_ways: return MPI_T_PVAR_CLASS_LEVEL;
    case Grows::as_time: break;
  }
  return MPI_T_PVAR_CLASS_TIMER;
}

// All counters run all the time, so a session consists of its handles.
using Session = Handles<Figure>;
struct Sessions {
  std::mutex mutex;
  std::unordered_map<void*, std::unique_ptr<Session>> all;

  /// Returns null for an unknown session. Call with the lock held.
  Session* find(MPI_T_pvar_session session) {
    auto found = all.find(session);
    return found == all.end() ? nullptr : found->second.get();
  }
};
Sessions& sessions() {
  static auto& all = *new Sessions;
  return all;
}

// Sets `figure` to the variable of a handle of a session; to null for MPI_T_PVAR_ALL_HANDLES.
int look_up(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const Figure*& figure) {
  figure = nullptr;
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  std::lock_guard lock(sessions().mutex);
  const Session* found = sessions().find(session);
  if (found == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_SUCCESS;
  figure = found->find(handle);
  return figure == nullptr ? MPI_T_ERR_INVALID_HANDLE : MPI_SUCCESS;
}

}  // namespace

namespace tool {
Category category_of_figure(std::size_t index) { return figures[index].category; }
std::size_t figures_known() { return figures.size(); }
void forget_sessions() {
  std::lock_guard lock(sessions().mutex);
  sessions().all.clear();
}
}  // namespace tool

int figure_count(int* count) { return tool_count(count, static_cast<int>(figures.size())); }

int figure_index(const char* name, int variable_class, int* index) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  auto found = std::ranges::find(figures, std::string_view(name), &Figure::name);
  if (found == figures.end() || variable_class != class_of(*found)) return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - figures.begin());
  return MPI_SUCCESS;
}

int figure_info(int index, char* name, int* name_length, int* verbosity, int* variable_class, MPI_Datatype* type,
                MPI_T_enum* enumeration, char* text, int* text_length, int* bind, int* readonly, int* continuous,
                int* atomic) {
  if (!tool_is_active() || !fits(index, figures.size())) return tool_no_index();
  const Figure& figure = figures[static_cast<std::size_t>(index)];
  give_text(figure.name, name, name_length);
  give_text(figure.meaning, text, text_length);
  store(verbosity, int{MPI_T_VERBOSITY_USER_BASIC});
  store(variable_class, class_of(figure));
  store(type, figure.grows == Grows::as_time ? MPI_DOUBLE : MPI_UNSIGNED_LONG);
  store(enumeration, MPI_T_ENUM_NULL);
  store(bind, int{MPI_T_BIND_NO_OBJECT});
  store(readonly, 1);
  store(continuous, 1);
  store(atomic, 0);
  return MPI_SUCCESS;
}

int figure_session_open(MPI_T_pvar_session* session) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (session == nullptr) return MPI_T_ERR_INVALID;
  auto made = std::make_unique<Session>();
  std::lock_guard lock(sessions().mutex);
  void* const handle = made.get();
  sessions().all.emplace(handle, std::move(made));
  *session = static_cast<MPI_T_pvar_session>(handle);
  return MPI_SUCCESS;
}

int figure_session_close(MPI_T_pvar_session* session) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (session == nullptr) return MPI_T_ERR_INVALID;
  std::lock_guard lock(sessions().mutex);
  if (sessions().all.erase(*session) == 0) return MPI_T_ERR_INVALID_SESSION;
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int figure_open(MPI_T_pvar_session session, int index, MPI_T_pvar_handle* handle, int* count) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  std::lock_guard lock(sessions().mutex);
  Session* found = sessions().find(session);
  if (found == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (!fits(index, figures.size())) return MPI_T_ERR_INVALID_INDEX;
  if (handle == nullptr || count == nullptr) return MPI_T_ERR_INVALID;
  *handle = static_cast<MPI_T_pvar_handle>(found->allocate(figures[static_cast<std::size_t>(index)]));
  *count = 1;
  return MPI_SUCCESS;
}

int figure_close(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  std::lock_guard lock(sessions().mutex);
  Session* found = sessions().find(session);
  if (found == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (!found->free(*handle)) return MPI_T_ERR_INVALID_HANDLE;
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int figure_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  const Figure* found = nullptr;
  int code = look_up(session, handle, found);
  if (code != MPI_SUCCESS) return code;
  if (found == nullptr) return MPI_T_ERR_INVALID_HANDLE;  // MPI_T_PVAR_ALL_HANDLES does not name one
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  const Figure& figure = *found;
  if (figure.seconds != nullptr) {
    double value = figure.seconds();
    std::memcpy(buffer, &value, sizeof(value));
  } else {
    auto value = static_cast<unsigned long>(is_active() ? figure.value() : 0);
    std::memcpy(buffer, &value, sizeof(value));
  }
  return MPI_SUCCESS;
}

int figure_refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal) {
  const Figure* figure = nullptr;
  if (int code = look_up(session, handle, figure); code != MPI_SUCCESS) return code;
  // An operation that single variables refuse has no effect on all variables of a session.
  return figure != nullptr ? refusal : MPI_SUCCESS;
}

}  // namespace atl::mpi
