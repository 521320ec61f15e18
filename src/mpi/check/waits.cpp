// SPDX-License-Identifier: Apache-2.0
// Bodies of functions that wait, with checks.
#include <fmt/format.h>

#include <atomic>

#include "check/check.hpp"
#include "check/collectives.hpp"
#include "check/tracks.hpp"

namespace atl::mpi::check {
namespace {

Request* active_one(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  Request& request = need<Request>(handle);
  return request.active() ? &request : nullptr;
}

void add_text(Need& need, const std::string& text) {
  if (need.text.find(text) == std::string::npos)
    need.text += (need.text.find(" waits") == std::string::npos ? ", waits for " : " and ") + text;
}

// Adds a clause for each part of the request that is not complete.
void add_need(Need& need, const Request& request) {
  auto track = track_of(request);
  if (!track) return;
  if (track->record) {
    for (PeId pe : track->record->missing()) need.clauses.push_back({pe});
    if (!track->record->missing().empty()) add_text(need, track->what);
  } else if (!track->peers.empty()) {
    need.clauses.push_back(track->peers);
    add_text(need, track->what);
  }
}

Need need_of_all(const char* function, int count, const MPI_Request* requests) {
  Need need{{}, function};
  for (int i = 0; i < count; ++i)
    if (Request* request = active_one(requests[i]); request != nullptr && !request->poll()) add_need(need, *request);
  return need;
}

// One clause of the peers of all requests; empty when the peers of one request are unknown.
Need need_of_any(const char* function, int count, const MPI_Request* requests) {
  Need all{{}, function}, any{{}, function};
  for (int i = 0; i < count; ++i) {
    Request* request = active_one(requests[i]);
    if (request == nullptr) continue;
    std::size_t before = all.clauses.size();
    add_need(all, *request);
    if (all.clauses.size() == before) return any;
  }
  any.text = all.text;
  any.clauses.emplace_back();
  for (const auto& clause : all.clauses)
    any.clauses.front().insert(any.clauses.front().end(), clause.begin(), clause.end());
  return any;
}

Need need_of_probe(const char* function, MPI_Comm handle, int from) {
  return {{peers_of(need<Comm>(handle), from)},
          fmt::format("{} for a message from {}", function,
                      from == MPI_ANY_SOURCE ? "any rank" : fmt::format("rank {}", from))};
}

bool all_complete(int count, const MPI_Request* requests) {
  bool all = true;
  for (int i = 0; i < count; ++i)
    if (Request* request = active_one(requests[i]); request != nullptr && !request->poll()) all = false;
  return all;
}

void wait_all(int count, const MPI_Request* requests) {
  const char* function = function_called();
  wait_watched([&] { return all_complete(count, requests); }, [&] { return need_of_all(function, count, requests); });
}

void wait_any(int count, const MPI_Request* requests) {
  const char* function = function_called();
  auto any_complete = [&] {
    bool active = false;
    for (int i = 0; i < count; ++i)
      if (Request* request = active_one(requests[i])) {
        active = true;
        if (request->poll()) return true;
      }
    return !active;
  };
  wait_watched(any_complete, [&] { return need_of_any(function, count, requests); });
}

// A send that was complete when it began. The program still has to complete its request.
class Sent : public Request {
 public:
  Sent() : Request(Life::once) {}
  bool poll() override { return true; }
  void wait() override {}
  void result(MPI_Status* status) override { fill_empty(status); }
};

void complete_all(MPI_Request* requests, int count, MPI_Status* statuses) {
  wait_all(count, requests);
  for (int i = 0; i < count; ++i)
    mpi::request_wait(requests + i, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i);
}

}  // namespace

std::uint64_t next_wait() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

namespace {

// With Returns::complete the call itself completes the request.
void begin_send(Returns returns, Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag,
                MPI_Comm comm, MPI_Request* request) {
  Started started(request, Buffers().add(Use::read, buffer, count, type), comm, to, returns);
  mpi::send_start(mode, buffer, count, type, to, tag, comm, request);
  if (*request == handle_of(done_send())) give<Request>(Ref<Request>::adopt(new Sent), request);
}

}  // namespace

void send_start(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request) {
  begin_send(Returns::before, mode, buffer, count, type, to, tag, comm, request);
}

void send(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin_send(Returns::complete, mode, buffer, count, type, to, tag, comm, &request);
  complete_all(&request, 1, MPI_STATUSES_IGNORE);
}

void receive(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    Started started(&request, Buffers().add(Use::write, buffer, count, type), comm, from);
    receive_start(buffer, count, type, from, tag, comm, &request);
  }
  complete_all(&request, 1, status);
}

void send_receive(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                  MPI_Datatype in_type, Half from, MPI_Comm comm, MPI_Status* status) {
  Buffers().add(Use::read, out, out_count, out_type).add(Use::write, in, in_count, in_type).check_among();
  Posted posted;
  {
    Started started(&posted.request, Buffers().add(Use::write, in, in_count, in_type), comm, from.peer);
    receive_start(in, in_count, in_type, from.peer, from.tag, comm, &posted.request);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  begin_send(Returns::complete, Mode::standard, out, out_count, out_type, to.peer, to.tag, comm, &sent);
  // While its send is incomplete, the rank waits for the receiver only.
  const char* function = function_called();
  wait_watched([&] { return all_complete(1, &sent); },
               [&] {
                 const MPI_Request both[2] = {posted.request, sent};
                 return need_of_all(function, 2, both);
               });
  mpi::request_wait(&sent, MPI_STATUS_IGNORE);
  complete_all(&posted.request, 1, status);
}

void probe(int from, int tag, MPI_Comm handle, MPI_Status* status) {
  const char* function = function_called();
  int flag = 0;
  wait_watched(
      [&] {
        probe_now(from, tag, handle, &flag, status);
        if (flag == 0) check_awaited(need<Comm>(handle), from);
        return flag != 0;
      },
      [&] { return need_of_probe(function, handle, from); });
}

void message_probe(int from, int tag, MPI_Comm handle, MPI_Message* message, MPI_Status* status) {
  const char* function = function_called();
  int flag = 0;
  wait_watched(
      [&] {
        message_probe_now(from, tag, handle, &flag, message, status);
        if (flag == 0) check_awaited(need<Comm>(handle), from);
        return flag != 0;
      },
      [&] { return need_of_probe(function, handle, from); });
}

void request_wait(MPI_Request* request, MPI_Status* status) {
  wait_all(1, request);
  mpi::request_wait(request, status);
}

void request_wait_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (requests != nullptr) wait_all(count, requests);
  mpi::request_wait_all(count, requests, statuses);
}

void request_wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (count > 0 && requests != nullptr) wait_any(count, requests);
  mpi::request_wait_any(count, requests, index, status);
}

void request_wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  if (count > 0 && requests != nullptr) wait_any(count, requests);
  mpi::request_wait_some(count, requests, done, indices, statuses);
}

void request_start(MPI_Request* handle) {
  if (Request* request = find<Request>(*handle))
    if (auto known = track_of(*request)) check_against_active(known->buffers, request);
  mpi::request_start(handle);
}

void request_start_all(int count, MPI_Request* requests) {
  if (requests == nullptr) return mpi::request_start_all(count, requests);
  for (int i = 0; i < count; ++i) check::request_start(requests + i);
}

}  // namespace atl::mpi::check
