// SPDX-License-Identifier: Apache-2.0
// Sessions, their statistics, and what happens while an operation runs: Ctrl-C and progress.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <pthread.h>

#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/array/every_poll.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/heap.hpp"
#include "commands.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

using Release = nb::call_guard<WithoutGil>;

// The same for all libraries of the process. Arrays do not outlive the death of a PE.
[[maybe_unused]] const bool shared =
    (runtime::share_process(runtime::ProcessPlace<void>::slot, runtime::Deaths::fatal), true);

constexpr std::int64_t quiet_ns = 1'000'000'000;  // operations shorter than this show nothing

/// Called without the GIL, every 50 ms of a long operation.
class Watcher {
 public:
  explicit Watcher(nb::object callback) : callback_(hold(std::move(callback))) {}

  void operator()(const char* operation, std::uint64_t done, std::uint64_t total) {
    stay_when_python_ends([&] { look(operation, done, total); });
  }

 private:
  void look(const char* operation, std::uint64_t done, std::uint64_t total) {
    WithGil gil;
    nb::handle callback(static_cast<PyObject*>(callback_.get()));
    if (total > 0 && done >= total) {
      if (std::exchange(shown_, false)) callback(operation, done, total);
      return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (operation != operation_ || done < done_) begun_ns_ = now_ns() - 50'000'000;
    operation_ = operation;
    done_ = done;
    if (callback.is_none() || now_ns() - begun_ns_ <= quiet_ns) return;
    shown_ = true;
    callback(operation, done, total);
  }

  std::shared_ptr<void> callback_;
  const char* operation_ = nullptr;
  std::uint64_t done_ = 0;
  std::int64_t begun_ns_ = 0;
  bool shown_ = false;
};

void watch(Session& session, nb::object callback) { session.set_progress(Watcher(std::move(callback))); }

/// Called without the GIL.
void set_locator(Session& session, nb::object locator) {
  session.set_locator([held = hold(std::move(locator))] {
    return stay_when_python_ends([&] {
      WithGil gil;
      return nb::cast<std::string>(nb::handle(static_cast<PyObject*>(held.get()))());
    });
  });
}

nb::dict described(const array::Recovery& recovery) {
  nb::dict found;
  found["cause"] = recovery.cause;
  found["pes"] = nb::cast(recovery.pes);
  found["arrays"] = recovery.arrays;
  found["bytes"] = recovery.bytes;
  found["repeated"] = recovery.repeated;
  found["lost"] = recovery.lost;
  found["seconds"] = recovery.seconds;
  return found;
}

/// Called without the GIL.
void set_recovery_listener(Session& session, nb::object listener) {
  if (session.protection() == nullptr) return;
  session.protection()->set_listener([held = hold(std::move(listener))](const array::Recovery& recovery) {
    stay_when_python_ends([&] {
      WithGil gil;
      nb::handle(static_cast<PyObject*>(held.get()))(described(recovery));
    });
  });
}

void keep(const SessionPtr& session, std::uint64_t number, const nb::bytes& note, const std::vector<Expr*>& arrays) {
  array::Snapshot state{number, {static_cast<const char*>(note.data()), note.size()}, {}};
  WithoutGil release;
  for (const Expr* one : arrays) state.arrays.push_back(one->value_in(session));
  session->keep(std::move(state));
}

/// Number, note and arrays.
std::tuple<std::uint64_t, nb::bytes, std::vector<Expr>> kept(const SessionPtr& session) {
  ATOLL_VALIDATE(session->snapshots() != nullptr, Error, "this session keeps nothing: it does not survive deaths");
  const array::Snapshot& state = session->snapshots()->state();
  std::vector<Expr> arrays;
  for (const Array& array : state.arrays) arrays.push_back({session, array::make_stored(Array(array))});
  return {state.number, nb::bytes(state.note.data(), state.note.size()), std::move(arrays)};
}

void watch_every_poll(Session& session, nb::object callback, nb::object while_waiting) {
  if (callback.is_none()) return watch(session, nb::none());
  watch_polls(session.engine(), std::move(callback), std::move(while_waiting));
}

array::ProgressCallback named_operation(nb::object callback) {
  if (callback.is_none()) return {};
  return [held = hold(std::move(callback))](const char* operation, std::uint64_t, std::uint64_t) {
    WithGil gil;
    nb::handle(static_cast<PyObject*>(held.get()))(operation);
  };
}

/// What the child of a fork must leave alone: it has one thread, and is no PE.
class Forks {
 public:
  static Forks& here() {
    static Forks* forks = new Forks;  // for as long as the process may fork
    return *forks;
  }
  void add(const SessionPtr& session) {
    std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const auto& one) { return one.expired(); });
    sessions_.push_back(session);
  }
  /// Since this module was loaded.
  bool is_child() const { return is_child_; }

 private:
  Forks() {
    ::pthread_atfork([] { here().mutex_.lock(); }, [] { here().mutex_.unlock(); }, [] { here().begin_child(); });
  }
  void begin_child() {
    is_child_ = true;
    for (const auto& one : sessions_)
      if (SessionPtr session = one.lock()) session->abandon();
    sessions_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<std::weak_ptr<Session>> sessions_;
  bool is_child_ = false;
};

SessionPtr watched(SessionPtr session) {
  Forks::here().add(session);
  // Python delivers signals to its main thread only; elsewhere the check does nothing.
  if (session->engine().pe() == 0 || session->kind() == Session::Kind::spmd) watch(*session, nb::none());
  return session;
}

}  // namespace

void watch_polls(array::Engine& engine, nb::object callback, nb::object while_waiting) {
  if (callback.is_none()) return engine.set_progress({});
  engine.set_progress(
      array::EveryPoll{named_operation(std::move(callback)), named_operation(std::move(while_waiting))});
}

std::map<std::string, std::uint64_t> stats_of(array::Engine& engine) {
  const runtime::HeapStats heap = engine.heap().stats();
  const fabric::Traffic traffic = engine.context().endpoint().traffic();
  std::map<std::string, std::uint64_t> all{
      {"memory_in_use", heap.in_use_bytes},
      {"memory_peak", heap.peak_bytes},
      {"memory_pooled", heap.pooled_bytes},
      {"memory_limit", heap.limit_bytes},
      {"bytes_put", traffic.put_bytes + engine.volume().put_bytes},
      {"bytes_got", traffic.get_bytes + engine.volume().got_bytes},
      {"bytes_sent", traffic.am_bytes},
      {"messages", traffic.put_messages + traffic.get_messages + traffic.am_messages},
      {"commands", engine.commands()}};
  for (const auto& [phase, ns] : engine.phases()) all[phase + "_ns"] = ns;
  return all;
}

std::uint64_t moved_bytes(array::Engine& engine) {
  const fabric::Traffic traffic = engine.context().endpoint().traffic();
  const auto all = engine.allgather_value<std::uint64_t>(traffic.put_bytes + traffic.get_bytes + traffic.am_bytes +
                                                         engine.volume().put_bytes + engine.volume().got_bytes);
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

namespace {

void bind_class(nb::module_& m) {
  nb::class_<Session>(m, "Session")
      .def_prop_ro("kind",
                   [](Session& s) {
                     switch (s.kind()) {
                       case Session::Kind::embedded: return "embedded";
                       case Session::Kind::spmd: return "spmd";
                       case Session::Kind::driver: return "driver";
                     }
                     return "";
                   })
      .def_prop_ro("pe", [](Session& s) { return s.engine().pe(); })
      .def_prop_ro("pes", [](Session& s) { return s.engine().npes(); })
      .def_prop_ro("threads", [](Session& s) { return s.engine().threads().size(); })
      .def_prop_ro("closed", &Session::closed)
      .def_prop_ro("failed", &Session::failed)
      .def("shutdown", &Session::shutdown, Release())
      .def(
          "barrier", [](Session& s) { s.call<&array::noop>(); }, Release())
      .def(
          "noop", [](Session& s) { s.call<&array::noop>(); }, Release())
      .def(
          "trim", [](Session& s) { s.engine().heap().trim(); }, Release())
      .def("stats", [](Session& s) { return stats_of(s.engine()); })
      .def(
          "moved_bytes", [](Session& s) { return s.call<&moved_bytes, Commands>(); }, Release())
      .def("set_recovery_listener", &set_recovery_listener, nb::arg("listener"))
      .def_prop_ro("resilience",
                   [](Session& s) { return s.protection() != nullptr || s.snapshots() != nullptr ? "process" : "off"; })
      .def("recoveries",
           [](Session& s) {
             nb::list found;
             if (s.protection() != nullptr)
               for (const array::Recovery& one : s.protection()->history()) found.append(described(one));
             if (s.snapshots() != nullptr)
               for (const array::Recovery& one : s.snapshots()->history()) found.append(described(one));
             return found;
           })
      .def("keep", &keep, nb::arg("number"), nb::arg("note"), nb::arg("arrays"))
      .def("kept", &kept)
      .def("recover",
           [](Session& s) {
             array::Recovery recovery;
             {
               WithoutGil release;
               recovery = s.recover();
             }
             return described(recovery);
           })
      .def("pids", &Session::worker_pids)
      .def("set_locator", &set_locator, nb::arg("locator"))
      .def(
          "watch_every_poll",
          [](Session& s, nb::object callback, nb::object while_waiting) {
            watch_every_poll(s, std::move(callback), std::move(while_waiting));
          },
          nb::arg("callback").none(), nb::arg("while_waiting") = nb::none())
      .def(
          "set_monitor", [](Session& s, nb::object callback) { watch(s, std::move(callback)); },
          nb::arg("callback").none());
}

void bind_starts(nb::module_& m) {
  m.def("start_embedded", [](unsigned threads) { return watched(Session::embedded(threads)); }, nb::arg("threads") = 0);
  (void)Forks::here();
  m.def("in_job", [] { return !Forks::here().is_child() && runtime::in_job(); });
  m.def("job_pe", []() -> std::optional<std::uint32_t> {
    auto context = runtime::process_if_open();
    return context == nullptr ? std::nullopt : std::optional(context->pe().value());
  });
  m.def(
      "join_job",
      [](const std::vector<std::uint32_t>& members, bool survives) {
        SessionPtr session;
        {
          WithoutGil release;
          session = Session::join(members, survives ? Session::Resilience::process : Session::Resilience::off);
        }
        return watched(session);
      },
      nb::arg("members") = std::vector<std::uint32_t>{}, nb::arg("survives") = false);
  m.def("replaced_place", []() -> std::optional<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> {
    if (Forks::here().is_child()) return std::nullopt;
    const auto place = Session::replaced_place();
    if (!place) return std::nullopt;
    return std::tuple(place->pe, place->npes, place->number);
  });
  m.def(
      "start_driver",
      [](std::uint32_t pes, unsigned threads, const std::vector<std::string>& worker_argv, bool survives) {
        SessionPtr session;
        {
          WithoutGil release;
          session = Session::drive(pes, threads, worker_argv,
                                   survives ? Session::Resilience::process : Session::Resilience::off);
        }
        return watched(session);
      },
      nb::arg("pes"), nb::arg("threads"), nb::arg("worker_argv"), nb::arg("survives") = false);
  m.def(
      "drive_job",
      [](int agent, std::uint32_t npes, unsigned threads) {
        SessionPtr session;
        {
          WithoutGil release;
          session = Session::drive_job(agent, npes, threads);
        }
        return watched(session);
      },
      nb::arg("agent"), nb::arg("npes"), nb::arg("threads"));
  m.def("worker_main", [] { Session::run_worker(Commands::handlers); }, Release());
}

}  // namespace

void bind_session(nb::module_& m) {
  bind_class(m);
  bind_starts(m);
}

}  // namespace atl::python
