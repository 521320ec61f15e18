// SPDX-License-Identifier: Apache-2.0
// How the processes of a job that spans nodes find one another before any fabric works: their identities, and a way to
// tell all others a few bytes. The system that started them implements it: PMIx, PMI-2, PMI-1, or Atoll's own
// rendezvous.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/guests.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// One process's view of its launcher. Used by one thread at a time, at start-up and at the end; never on a data path.
///
/// A process publishes entries, meets all others in exchange(), and then looks up what others published before they
/// called it. There may be several rounds. Values are any bytes; implementations whose launcher takes text, or short
/// values only, encode and split them.
///
/// Errors: TimeoutError when `deadline` passes, naming whom it waited for where that is known; SetupError when the
/// launcher refuses or is gone. After either the object can only be aborted or destroyed.
class Bootstrap {
 public:
  struct Failure {
    std::uint32_t rank = 0;
    std::string host;
    std::string how;  ///< "was killed by signal 9 (Killed)"
    /// With the host; it is empty when `how` says it.
    std::string sentence() const { return host.empty() ? how : how + " on " + host; }
  };
  /// What the launcher tells unasked.
  struct News {
    enum class Kind {
      job_failed,
      died,
      survival,
      newcomers,
      given_up,
      answered,
      ending
    };  // job_failed: a PE has died, and with it the job; died: the job goes on; ending: this node's PEs are killed
        // now; answered: GuestDesk::answer() has one
    Kind kind = Kind::job_failed;
    Failure failure = {};  // job_failed, died
    fabric::Survival survival = fabric::Survival::none;  // survival: what a PE somewhere has said
    std::vector<Newcomer> newcomers = {};  // to be admitted, then confirmed (GuestDesk)
    fabric::Cohort guests = {};  // newcomers, given_up: guests that have not come, or had to go
  };
  /// Longest value of one entry. A node's leader publishes about 200 bytes for each of its PEs.
  static constexpr std::size_t longest_value = std::size_t{1} << 20;
  static constexpr std::size_t longest_key = 32;

  virtual ~Bootstrap() = default;

  /// "pmix", "pmi2", "pmi1", "atoll": for messages and `atoll info`.
  virtual std::string_view name() const = 0;
  /// This process among those of the job: 0 … size()-1. Becomes its PE.
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  /// What this process calls its node: processes that give the same text are on one node, and share memory. The
  /// default is the kernel's boot id with the numbers of its network, process and user namespaces: what has to agree
  /// for one process to open another's memory. A launcher that simulates nodes on one machine says otherwise.
  virtual std::string node_name() const;
  /// What people call the node, for messages. Default: the host's name.
  virtual std::string host_name() const;

  /// Adds an entry of this process. The same key twice: the later one, once exchanged. Not collective, may be buffered.
  virtual void publish(std::string_view key, std::string_view value) = 0;
  /// Collective: returns when all have called it. What anybody published before is then there for lookup().
  /// Cost: O(log size) messages per process where the launcher allows it.
  virtual void exchange(Deadline deadline) = 0;
  /// An entry of process `rank` that it published before the last exchange(). Throws SetupError when there is none.
  /// May ask the launcher: one message.
  virtual std::string lookup(std::uint32_t rank, std::string_view key) = 0;

  /// Everybody's bytes, by rank: publish, exchange, lookup of each. Collective; the key must be new. Override it where
  /// the launcher has something better than size() look-ups.
  virtual std::vector<std::string> allgather(std::string_view key, std::string_view mine, Deadline deadline);

  /// Says that this process is done and will leave in good order. Not collective.
  virtual void finalize() = 0;
  /// Ends the whole job, on all nodes, with this exit status and this sentence for the user. Returns; the launcher
  /// ends this process too, in time.
  virtual void abort(int status, std::string_view why) noexcept = 0;
  /// That a PE of another node is lost, and how this one knows. Returns whether the launcher says it to the user, and
  /// ends the job or, where the program survives deaths, that PE. Default: it need not know, PEs that fail are enough.
  virtual bool report_loss(std::uint32_t rank, std::string_view how) noexcept { return false; }
  /// A descriptor that is readable when the launcher may have unsolicited news. -1 (the default): it never has any.
  virtual int news() const { return -1; }
  /// What it is. Does not wait. Used by one thread, once all exchanges are over.
  virtual std::optional<News> take_news() { return std::nullopt; }
  /// That the program deals with deaths itself: the launcher lets the others go on, and tells all PEs. Default:
  /// nothing, the launcher does with deaths what it always does.
  virtual void survive(fabric::Survival how) noexcept { static_cast<void>(how); }
  /// A PE wishes the whole job to end with this status, and nothing went wrong: the others have a moment to write what
  /// they have buffered. Default: nothing, the PEs' own watch ends the job.
  virtual void end_job(int status) noexcept { static_cast<void>(status); }
  /// Null: this launcher starts no further processes in a running job.
  virtual GuestDesk* guests() { return nullptr; }
  /// Names of the hosts on which the job began with no process, and on which guests may run.
  virtual std::vector<std::string> idle_hosts() const { return {}; }
};

/// What the launcher that started this process offers, chosen by itself from the environment (or by ATOLL_BOOTSTRAP).
/// Null: none did, or it started this process alone. Throws SetupError when it is there and cannot be used.
std::unique_ptr<Bootstrap> bootstrap_from_environment();

/// Whether bootstrap_from_environment() would find one. Reads only the environment.
bool started_by_foreign_launcher();

}  // namespace atl::runtime
