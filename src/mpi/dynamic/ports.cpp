// SPDX-License-Identifier: Apache-2.0
#include "dynamic/ports.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/directory.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/progress.hpp"
#include "comm/create.hpp"
#include "core/library.hpp"
#include "dynamic/meeting.hpp"

namespace atl::mpi {
namespace {

// A port name identifies a process and a number of that process: "atoll:JOB:PE:NUMBER".
struct Port {
  std::uint64_t job;
  PeId pe;
  std::uint64_t number;
};

// Identifies the job: ports connect processes of one job only.
std::uint64_t job_id() {
  const fabric::Job& job = library().job();
  struct stat file{};
  if (job.nodes() > 1 || job.descriptor() < 0 || ::fstat(job.descriptor(), &file) != 0) return 0;
  return std::uint64_t{file.st_ino} << 32 | static_cast<std::uint32_t>(job.control().creator_pid);
}

std::string name_of(const Port& port) {
  return fmt::format("atoll:{:x}:{}:{:x}", port.job, port.pe.value(), port.number);
}

Port parse(const char* name) {
  std::string_view text = name == nullptr ? "" : name;
  std::uint64_t words[3] = {};
  const char* at = text.data() + std::min<std::size_t>(text.size(), 5);
  const char* end = text.data() + text.size();
  bool good = text.starts_with("atoll");
  for (int i = 0; i < 3 && good; ++i) {
    good = at != end && *at == ':';
    if (!good) break;
    auto [rest, error] = std::from_chars(at + 1, end, words[i], i == 1 ? 10 : 16);
    good = error == std::errc{};
    at = rest;
  }
  ATOLL_MPI_REQUIRE(good && at == end && words[1] < library().job().places(), MPI_ERR_PORT, "'{}' is no name of a port",
                    text);
  ATOLL_MPI_REQUIRE(
      words[0] == job_id(), MPI_ERR_PORT,
      "the port '{}' is of another job. Processes connect that one mpiexec has started, or MPI_Comm_spawn", text);
  return {words[0], PeId(static_cast<std::uint32_t>(words[1])), words[2]};
}

// | offset | bytes | field | valid when                                             |
// |--------|-------|-------|--------------------------------------------------------|
// |   0    |   8   | port  | knock, go_away                                         |
// |   8    |   8   | bits  | always: chosen by the caller, unique                    |
// |  16    |   8   | what  | always                                                 |
struct Note {
  enum What : std::uint64_t { knock, come_in, refused, go_away };  // go_away: the caller no longer waits
  std::uint64_t port;
  std::uint64_t bits;
  What what;
};
static_assert(sizeof(Note) == 24);

struct Caller {
  PeId pe;
  std::uint64_t bits;
};

struct Service {
  std::mutex mutex;
  runtime::HandlerId handler{};
  std::map<std::uint64_t, std::deque<Caller>> open;      // ports of this process, and waiting callers
  std::map<std::uint64_t, Note::What> answers;           // by match bits
};
Service& service() {
  static auto& one = *new Service;
  return one;
}

void tell(PeId pe, Note note) { library().messenger().send(pe, service().handler, std::as_bytes(std::span(&note, 1))); }

void hear(runtime::Context&, PeId source, std::span<const std::byte> payload) {
  Note note;
  std::memcpy(&note, payload.data(), sizeof(note));
  {
    std::lock_guard lock(service().mutex);
    if (note.what == Note::come_in || note.what == Note::refused) {
      service().answers[note.bits] = note.what;
      return;
    }
    auto port = service().open.find(note.port);
    if (note.what == Note::knock && port != service().open.end()) {
      port->second.push_back({source, note.bits});
      return;
    }
    // A caller that has left the queue was accepted or refused, and gets that answer.
    if (note.what == Note::go_away &&
        (port == service().open.end() ||
         std::erase_if(port->second, [&](const Caller& one) { return one.bits == note.bits; }) == 0))
      return;
  }
  tell(source, {0, note.bits, Note::refused});
}

[[maybe_unused]] const bool added =
    (add_service([] { service().handler = library().messenger().register_handler(hear); }), true);

Caller next_caller(const Port& port) {
  Caller caller{PeId(0), 0};
  library().progress().wait([&] {
    std::lock_guard lock(service().mutex);
    auto found = service().open.find(port.number);
    ATOLL_MPI_REQUIRE(found != service().open.end(), MPI_ERR_PORT, "the port has been closed");
    auto& waiting = found->second;
    while (!waiting.empty() && library().job().has_died(waiting.front().pe)) waiting.pop_front();
    if (waiting.empty()) return false;
    caller = waiting.front();
    waiting.pop_front();
    return true;
  });
  tell(caller.pe, {0, caller.bits, Note::come_in});
  return caller;
}

// Transfers all bytes; returns false on an error.
bool transfer(int descriptor, short event, char* data, std::size_t bytes) {
  while (bytes != 0) {
    pollfd one{descriptor, event, 0};
    if (::poll(&one, 1, -1) < 0 && errno != EINTR) return false;
    ssize_t moved = event == POLLIN ? ::read(descriptor, data, bytes) : ::write(descriptor, data, bytes);
    if (moved == 0 || (moved < 0 && errno != EINTR && errno != EAGAIN)) return false;
    if (moved < 0) continue;
    data += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

void open_port(char* name) {
  Port port{job_id(), library().pe(), new_number()};
  std::string text = name_of(port);
  std::memcpy(name, text.c_str(), text.size() + 1);
  std::lock_guard lock(service().mutex);
  service().open[port.number];
}

void close_port(const char* name) {
  Port port = parse(name);
  std::deque<Caller> waiting;
  {
    std::lock_guard lock(service().mutex);
    auto found = service().open.find(port.number);
    ATOLL_MPI_REQUIRE(port.pe == library().pe() && found != service().open.end(), MPI_ERR_PORT,
                      "'{}' is no open port of this process", name);
    waiting = std::move(found->second);
    service().open.erase(found);
  }
  for (const Caller& caller : waiting) tell(caller.pe, {0, caller.bits, Note::refused});
}

void comm_accept(const char* name, int root, MPI_Comm handle, MPI_Comm* made) {
  Comm& comm = need_intra(handle);
  Meeting meeting = meet(comm, root, [&]() -> Meeting {
    Port port = parse(name);
    ATOLL_MPI_REQUIRE(port.pe == library().pe(), MPI_ERR_PORT, "the port '{}' is one of PE {}", name, port.pe.value());
    Caller caller = next_caller(port);
    return {caller.pe, caller.bits};
  });
  give(make_inter_after(meeting, comm, root), made);
}

void comm_connect(const char* name, int root, MPI_Comm handle, MPI_Comm* made) {
  Comm& comm = need_intra(handle);
  Meeting meeting = meet(comm, root, [&]() -> Meeting {
    Port port = parse(name);
    Meeting mine{port.pe, new_bits()};
    tell(port.pe, {port.number, mine.bits, Note::knock});
    Note::What answer = Note::refused;
    // The standard requires a time-out: a server may never accept.
    const double limit = config::seconds(config::Variable::peer_timeout);
    Deadline patience = limit > 0 ? Deadline::after_seconds(limit) : Deadline::never();
    library().progress().wait([&] {
      if (library().job().has_died(port.pe)) return true;
      if (patience.passed()) {
        patience = Deadline::never();
        tell(port.pe, {port.number, mine.bits, Note::go_away});
      }
      std::lock_guard lock(service().mutex);
      auto found = service().answers.find(mine.bits);
      if (found == service().answers.end()) return false;
      answer = found->second;
      service().answers.erase(found);
      return true;
    });
    ATOLL_MPI_REQUIRE(
        answer == Note::come_in, MPI_ERR_PORT,
        "no process has the port '{}' open (any more), or it has not called MPI_Comm_accept within ATOLL_PEER_TIMEOUT",
        name);
    return mine;
  });
  give(make_inter_after(meeting, comm, root), made);
}

// Both sides exchange job and PE through the socket; the lower PE chooses the match bits.
void comm_join(int descriptor, MPI_Comm* made) {
  char mine[64] = {}, theirs[64] = {};
  Port here{job_id(), library().pe(), new_bits()};
  std::string text = name_of(here);
  std::memcpy(mine, text.c_str(), text.size() + 1);
  ATOLL_MPI_REQUIRE(
      transfer(descriptor, POLLOUT, mine, sizeof(mine)) && transfer(descriptor, POLLIN, theirs, sizeof(theirs)),
      MPI_ERR_OTHER, "the other end of socket {} is not there ({})", descriptor, std::strerror(errno));
  theirs[sizeof(theirs) - 1] = '\0';
  *made = MPI_COMM_NULL;
  std::optional<Port> other;
  try {
    other = parse(theirs);
  } catch (const Failure&) {  // another job: the standard's answer is MPI_COMM_NULL
    return;
  }
  ATOLL_MPI_REQUIRE(other->pe != here.pe, MPI_ERR_OTHER, "both ends of socket {} are in this process", descriptor);
  Comm& self = need<Comm>(MPI_COMM_SELF);
  give(make_inter_after({other->pe, here.pe < other->pe ? here.number : other->number}, self, 0), made);
}

void publish_name(const char* service, const char* port) {
  std::string_view name = service;
  ATOLL_MPI_REQUIRE(name.size() <= runtime::Directory::longest_name, MPI_ERR_SERVICE,
                    "a name of {} characters: at most {}", name.size(), runtime::Directory::longest_name);
  bool known = library().directory().lookup(name).has_value();
  ATOLL_MPI_REQUIRE(!known && library().directory().publish(name, port), MPI_ERR_SERVICE, "the name '{}' {}", name,
                    known ? "is published already" : "finds no room: as many as there may be are published");
}

void unpublish_name(const char* service, const char* port) {
  ATOLL_MPI_REQUIRE(library().directory().unpublish(service, port), MPI_ERR_SERVICE,
                    "the name '{}' is not published for the port '{}'", service, port);
}

void lookup_name(const char* service, char* port) {
  auto found = library().directory().lookup(service);
  ATOLL_MPI_REQUIRE(found.has_value(), MPI_ERR_NAME, "no process has published the name '{}'", service);
  std::memcpy(port, found->c_str(), found->size() + 1);
}

}  // namespace atl::mpi
