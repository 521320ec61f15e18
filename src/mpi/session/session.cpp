// SPDX-License-Identifier: Apache-2.0
#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "comm/process_set.hpp"
#include "core/library.hpp"
#include "core/memory_kinds.hpp"

namespace atl::mpi {
namespace {

constexpr std::array<std::string_view, 4> thread_levels{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                        "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

std::vector<PeId> members_of(const char* name) {
  std::vector<PeId> pes = members_of_set(name == nullptr ? "" : name);
  ATOLL_MPI_REQUIRE(!pes.empty(), MPI_ERR_ARG, "there is no process set '{}'. There are mpi://WORLD and mpi://SELF",
                    name == nullptr ? "" : name);
  return pes;
}

}  // namespace

void session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  auto hints = entries_of(info);
  bool many_threads = true;  // the default of a session
  // Of the standard's two keys, thread_level is answered with the provided level, whatever was requested.
  std::erase_if(hints, [&](const auto& entry) {
    if (entry.first != "thread_level") return false;
    ATOLL_MPI_REQUIRE(std::ranges::find(thread_levels, entry.second) != thread_levels.end(), MPI_ERR_INFO_VALUE,
                      "'{}' is no thread level. There are MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED and _MULTIPLE",
                      entry.second);
    many_threads = entry.second == thread_levels.back();
    return true;
  });
  request_memory_kinds(Info(hints).get(memory_kinds_key).value_or(""));
  hints.emplace_back("thread_level", "MPI_THREAD_MULTIPLE");
  auto& handler = need<ErrorHandler>(errhandler);
  if (many_threads) let_all_threads_call();
  enter_library();
  give(make<Session>(std::move(hints), handler), session);
}

void session_finalize(MPI_Session* session) {
  need<Session>(*session).release();
  *session = MPI_SESSION_NULL;
  leave_library();
}

void session_get_info(MPI_Session session, MPI_Info* info) {
  Info::Entries hints = need<Session>(session).hints();
  add_memory_kinds(hints, {});
  give_info(hints, info);
}

void session_get_pset_count(MPI_Session session, int* count) {
  need<Session>(session);
  *count = static_cast<int>(process_sets.size());
}

void session_get_pset_name(MPI_Session session, int index, int* length, char* name) {
  need<Session>(session);
  ATOLL_MPI_REQUIRE(index >= 0 && static_cast<std::size_t>(index) < process_sets.size(), MPI_ERR_ARG,
                    "there are {} process sets, no number {}", process_sets.size(), index);
  std::string_view text = process_sets[static_cast<std::size_t>(index)];
  ATOLL_MPI_REQUIRE(name != nullptr || *length <= 0, MPI_ERR_ARG, "there is no place for the name");
  if (*length > 0) {
    std::size_t copied = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(name, text.data(), copied);
    name[copied] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

void session_get_pset_info(MPI_Session session, const char* name, MPI_Info* info) {
  need<Session>(session);
  give_info({{"mpi_size", fmt::format("{}", members_of(name).size())}}, info);
}

void group_from_pset(MPI_Session session, const char* name, MPI_Group* group) {
  give_group(members_of(name), group, need<Session>(session).attached);
}

}  // namespace atl::mpi
