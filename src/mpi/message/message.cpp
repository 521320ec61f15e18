// SPDX-License-Identifier: Apache-2.0
#include "message/message.hpp"

#include <fmt/format.h>

#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "message/buffered.hpp"
#include "message/transfer.hpp"
#include "mpi-ext.h"

namespace atl::mpi {

void check_target(const Comm& comm, int to, int tag) {
  ATOLL_MPI_REQUIRE(tag >= 0 && tag <= highest_tag, MPI_ERR_TAG, "a tag of {}: tags are 0 to {}", tag, highest_tag);
  ATOLL_MPI_REQUIRE((to >= 0 && to < comm.peers().size()) || to == MPI_PROC_NULL, MPI_ERR_RANK,
                    "a message to rank {}: there are ranks 0 to {}", to, comm.peers().size() - 1);
}

void check_source(const Comm& comm, int from, int tag) {
  ATOLL_MPI_REQUIRE((tag >= 0 && tag <= highest_tag) || tag == MPI_ANY_TAG, MPI_ERR_TAG,
                    "a tag of {}: tags are 0 to {}", tag, highest_tag);
  ATOLL_MPI_REQUIRE((from >= 0 && from < comm.peers().size()) || from == MPI_PROC_NULL || from == MPI_ANY_SOURCE,
                    MPI_ERR_RANK, "a message from rank {}: there are ranks 0 to {}", from, comm.peers().size() - 1);
}

runtime::Pattern pattern_of(const Comm& comm, int from, int tag) {
  runtime::Pattern pattern;
  if (from != MPI_ANY_SOURCE) pattern.source = comm.pe_of(from);
  if (tag == MPI_ANY_TAG) {
    pattern.tag = comm.bits(0);
    pattern.ignore = tag_mask;
  } else {
    pattern.tag = comm.bits(tag);
  }
  return pattern;
}

void report(const Comm& comm, const runtime::Outcome& outcome, const Incoming& data, MPI_Status* status) {
  const runtime::Envelope& envelope = outcome.envelope;
  const std::size_t room = data.bytes();
  if (outcome.status == Status::cancelled) {
    fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, true);
    return;
  }
  check_outcome(outcome.status, envelope.source, const_cast<Comm*>(&comm));
  data.check();
  int source = comm.rank_of(envelope.source), tag = static_cast<int>(envelope.tag & tag_mask);
  fill(status, source, tag, static_cast<Count>(std::min<std::uint64_t>(envelope.bytes, room)));
  if (envelope.label != 0) [[unlikely]]
    check_label(comm, envelope, data.label(), room);
  if (outcome.status != Status::ok) [[unlikely]]
    fail_with(MPI_ERR_TRUNCATE,
              fmt::format("a message of {} bytes from rank {} with tag {} does not fit into {} bytes", envelope.bytes,
                          source, tag, room),
              const_cast<Comm*>(&comm));
}

runtime::Request receive_from_dead(const runtime::Pattern& pattern, const runtime::Target& into) {
  runtime::Matcher& matcher = library().matcher();
  library().messenger().take_arrived();
  auto request = matcher.receive(pattern, into);
  matcher.fail(Status::peer_lost, [&](PeId peer, std::uint64_t) { return peer == *pattern.source; });
  return request;
}

void check_anybody(Comm& comm, int code) {
  if (comm.knows_all_failed()) [[likely]]
    return;
  fail_with(code, "a process of the communicator has died that has not been acknowledged", &comm);
}

runtime::Outcome wait_for_anybody(Comm& comm, runtime::Request& request) {
  runtime::Matcher& matcher = library().matcher();
  std::optional<runtime::Outcome> outcome;
  auto answered = [&] { return (outcome = matcher.test(request)).has_value(); };
  library().progress().wait([&] { return answered() || !comm.knows_all_failed(); });
  if (!outcome) {
    bool taken_back = matcher.cancel(request);
    outcome = matcher.wait(request);
    if (taken_back) check_anybody(comm, MPIX_ERR_PROC_FAILED);
  }
  return *outcome;
}

void send(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm handle) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to, tag);
  comm.check_peer(to);
  Outgoing data(buffer, count, type, Moves::pieces);
  if (to == MPI_PROC_NULL) return;
  if (mode == Mode::buffered) return send_buffered(comm, std::move(data), to, tag);
  const PeId pe = comm.pe_of(to);
  runtime::Matcher& matcher = library().matcher();
  auto request = matcher.send(pe, comm.bits(tag), data.span(),
                              mode == Mode::synchronous ? runtime::SendMode::synchronous : runtime::SendMode::standard,
                              data.label());
  if (!request.empty()) return check_outcome(matcher.wait(request).status, pe, &comm);
  library().messenger().pace(pe);
}

void receive(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm handle, MPI_Status* status) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  comm.check_revoked();
  Incoming data(buffer, count, type, Moves::pieces);
  if (from == MPI_PROC_NULL) return fill_no_process(status);
  runtime::Matcher& matcher = library().matcher();
  const runtime::Pattern pattern = pattern_of(comm, from, tag);
  std::optional<runtime::Outcome> now;
  if (comm.is_dead(from)) [[unlikely]] {
    auto request = receive_from_dead(pattern, data.target());
    now = matcher.wait(request);
  } else {
    now = matcher.receive_now(pattern, data.target());
  }
  if (!now) {
    auto request = matcher.receive(pattern, data.target());
    now = from == MPI_ANY_SOURCE ? wait_for_anybody(comm, request) : matcher.wait(request);
  }
  const runtime::Outcome& outcome = *now;
  data.land(outcome.envelope.bytes);
  report(comm, outcome, data, status);
}

Posted::~Posted() {
  if (request == MPI_REQUEST_NULL) return;
  try {
    request_cancel(&request);
    request_wait(&request, MPI_STATUS_IGNORE);
  } catch (...) {  // the first error is being thrown already
  }
}

void send_receive(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                  MPI_Datatype in_type, Half from, MPI_Comm comm, MPI_Status* status) {
  Posted posted;
  MPI_Request sent = MPI_REQUEST_NULL;
  receive_start(in, in_count, in_type, from.peer, from.tag, comm, &posted.request);
  send_start(Mode::standard, out, out_count, out_type, to.peer, to.tag, comm, &sent);
  request_wait(&sent, MPI_STATUS_IGNORE);
  request_wait(&posted.request, status);
}

void send_receive_replace(void* buffer, Count count, MPI_Datatype type, Half to, Half from, MPI_Comm handle,
                          MPI_Status* status) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to.peer, to.tag);
  comm.check_peer(to.peer);
  Outgoing out(buffer, count, type);
  out.own();
  Posted posted;
  receive_start(buffer, count, type, from.peer, from.tag, handle, &posted.request);
  if (to.peer != MPI_PROC_NULL) {
    auto sending = library().matcher().send(comm.pe_of(to.peer), comm.bits(to.tag), out.span(),
                                            runtime::SendMode::standard, out.label());
    check_outcome(library().matcher().wait(sending).status, comm.pe_of(to.peer), &comm);
  }
  request_wait(&posted.request, status);
}

// ---- probing ------------------------------------------------------------------------------------------------------

namespace {

/// Returns the result of `look`. Throws Failure when it finds nothing and no message can arrive any more.
template <class Look>
auto look_for(Comm& comm, int from, Look&& look) {
  comm.check_revoked();
  auto found = look();
  if (!found && comm.is_dead(from)) [[unlikely]] {
    library().messenger().take_arrived();
    if (!(found = look())) comm.check_peer(from);
  }
  return found;
}

void describe(const Comm& comm, const runtime::Envelope& envelope, MPI_Status* status) {
  fill(status, comm.rank_of(envelope.source), static_cast<int>(envelope.tag & tag_mask),
       static_cast<Count>(envelope.bytes));
}

}  // namespace

void check_awaited(Comm& comm, int from) {
  if (from == MPI_ANY_SOURCE) check_anybody(comm, MPIX_ERR_PROC_FAILED);
}

void probe_now(int from, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  *flag = 1;
  if (from == MPI_PROC_NULL) return fill_no_process(status);
  library().failures().check();
  auto found = look_for(comm, from, [&] { return library().matcher().probe(pattern_of(comm, from, tag)); });
  *flag = found.has_value();
  if (found) describe(comm, *found, status);
}

void probe(int from, int tag, MPI_Comm handle, MPI_Status* status) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  if (from == MPI_PROC_NULL) return fill_no_process(status);
  std::optional<runtime::Envelope> found;
  library().progress().wait([&] {
    found = look_for(comm, from, [&] { return library().matcher().probe(pattern_of(comm, from, tag)); });
    if (!found) check_awaited(comm, from);
    return found.has_value();
  });
  describe(comm, *found, status);
}

void message_probe_now(int from, int tag, MPI_Comm handle, int* flag, MPI_Message* message, MPI_Status* status) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  *flag = 1;
  if (from == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    return fill_no_process(status);
  }
  library().failures().check();
  auto claim = look_for(comm, from, [&] { return library().matcher().claim(pattern_of(comm, from, tag)); });
  *flag = claim.has_value();
  *message = MPI_MESSAGE_NULL;
  if (!claim) return;
  describe(comm, claim->envelope(), status);
  give(make<Message>(comm, *claim), message);
}

void message_probe(int from, int tag, MPI_Comm handle, MPI_Message* message, MPI_Status* status) {
  int flag = 0;
  library().progress().wait([&] {
    message_probe_now(from, tag, handle, &flag, message, status);
    if (flag == 0) check_awaited(need<Comm>(handle), from);
    return flag != 0;
  });
}

void message_receive(void* buffer, Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  MPI_Request request;
  message_receive_start(buffer, count, type, message, &request);
  request_wait(&request, status);
}

}  // namespace atl::mpi
