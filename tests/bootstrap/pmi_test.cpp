// SPDX-License-Identifier: Apache-2.0
// PMI-1 and PMI-2 against a launcher made for the test: it forks the PEs and serves their sockets, as hydra and Slurm
// do. The PEs find it by themselves, through the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

enum class Protocol { pmi1, pmi2 };

class Server {
 public:
  Server(Protocol protocol, std::uint32_t size) : protocol_(protocol), peers_(size) {}

  // Runs `body` in `size` processes; returns how they ended (as from waitpid) once all have.
  std::vector<int> serve(const std::function<void(std::uint32_t rank)>& body) {
    auto size = static_cast<std::uint32_t>(peers_.size());
    std::vector<pid_t> pids;
    std::fflush(nullptr);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      int ends[2];
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      pid_t pid = ::fork();
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);
        ::setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
        ::setenv("PMI_SIZE", std::to_string(size).c_str(), 1);
        ::setenv("ATOLL_HEAP_SIZE", "64M", 1);
        if (protocol_ == Protocol::pmi2) ::setenv("PMI_JOBID", "job", 1);
        for (Peer& peer : peers_)
          if (peer.socket >= 0) ::close(peer.socket);
        ::close(ends[0]);
        try {
          body(rank);
        } catch (const std::exception& error) { ADD_FAILURE() << "PE " << rank << " threw: " << error.what(); }
        std::fflush(nullptr);
        std::exit(::testing::Test::HasFailure() ? 1 : 0);  // not _Exit: a PE takes leave of its launcher at exit
      }
      ::close(ends[1]);
      peers_[rank].socket = ends[0];
      pids.push_back(pid);
    }
    Deadline deadline = Deadline::after_seconds(30);
    for (;;) {
      std::vector<pollfd> list;
      for (Peer& peer : peers_) list.push_back({peer.socket, POLLIN, 0});
      if (std::all_of(list.begin(), list.end(), [](const pollfd& one) { return one.fd < 0; })) break;
      EXPECT_FALSE(deadline.passed()) << "PEs hang";
      if (deadline.passed() || aborter_) break;
      ::poll(list.data(), list.size(), 100);
      for (std::uint32_t rank = 0; rank < size; ++rank)
        if (list[rank].revents != 0) receive(rank);
    }
    if (aborter_) await_end(pids[*aborter_], Deadline::after_seconds(10));
    std::vector<int> ends;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      if (deadline.passed() || aborter_) ::kill(pids[rank], SIGKILL);
      int status = 0;
      ::waitpid(pids[rank], &status, 0);
      ends.push_back(status);
      if (peers_[rank].socket >= 0) ::close(peers_[rank].socket);
    }
    return ends;
  }

  std::uint64_t most_requests() const {
    std::uint64_t most = 0;
    for (const Peer& peer : peers_) most = std::max(most, peer.requests);
    return most;
  }
  bool aborted() const { return aborter_.has_value(); }
  std::uint32_t finalized() const { return finalized_; }

 private:
  struct Peer {
    int socket = -1;
    std::string input;
    std::uint64_t requests = 0;
    bool framed = false;  // PMI-2 proper has begun
    bool in_barrier = false;
  };

  // The process that ends the job may end with its own status.
  static void await_end(pid_t pid, Deadline deadline) {
    siginfo_t end{};
    while (!deadline.passed() && ::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0)
      ::usleep(1000);
  }

  void receive(std::uint32_t rank) {
    Peer& peer = peers_[rank];
    char bytes[65536];
    ssize_t got = ::read(peer.socket, bytes, sizeof(bytes));
    if (got <= 0) {
      ::close(std::exchange(peer.socket, -1));
      return;
    }
    peer.input.append(bytes, static_cast<std::size_t>(got));
    for (;;) {
      if (peer.framed) {
        if (peer.input.size() < 6) return;
        std::size_t size = std::stoul(peer.input.substr(0, 6));
        if (peer.input.size() < 6 + size) return;
        std::string text = peer.input.substr(6, size);
        peer.input.erase(0, 6 + size);
        answer2(rank, items(text, ';'));
      } else {
        std::size_t end = peer.input.find('\n');
        if (end == std::string::npos) return;
        std::string text = peer.input.substr(0, end);
        peer.input.erase(0, end + 1);
        answer1(rank, items(text, ' '));
      }
    }
  }

  static std::map<std::string, std::string> items(const std::string& text, char separator) {
    std::map<std::string, std::string> found;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find(separator, at), text.size());
      std::size_t equals = text.find('=', at);
      EXPECT_LT(equals, end) << text;
      found[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
      at = end + 1;
    }
    return found;
  }

  void say(std::uint32_t rank, const std::string& text) {
    Peer& peer = peers_[rank];
    std::string out = peer.framed ? fmt::format("{:6}{}", text.size(), text) : text + "\n";
    // In two parts, as a network may.
    std::size_t half = out.size() / 2;
    EXPECT_EQ(::send(peer.socket, out.data(), half, MSG_NOSIGNAL), static_cast<ssize_t>(half));
    (void)::send(peer.socket, out.data() + half, out.size() - half, MSG_NOSIGNAL);
  }

  void meet(std::uint32_t rank, const std::string& out) {
    peers_[rank].in_barrier = true;
    for (const Peer& peer : peers_)
      if (!peer.in_barrier) return;
    for (std::uint32_t other = 0; other < peers_.size(); ++other) {
      peers_[other].in_barrier = false;
      say(other, out);
    }
  }

  bool store(const std::string& key, const std::string& value) {
    EXPECT_LE(key.size(), 63u);
    EXPECT_LE(value.size(), longest_value - 1);
    return table_.emplace(key, value).second;
  }

  void answer1(std::uint32_t rank, std::map<std::string, std::string> request) {
    Peer& peer = peers_[rank];
    ++peer.requests;
    const std::string& command = request["cmd"];
    if (command == "init") {
      std::string version =
          protocol_ == Protocol::pmi1 ? "pmi_version=1 pmi_subversion=1" : "pmi_version=2 pmi_subversion=0";
      EXPECT_EQ(request["pmi_version"], protocol_ == Protocol::pmi1 ? "1" : "2");
      say(rank, "cmd=response_to_init " + version + " rc=0");
      peer.framed = protocol_ == Protocol::pmi2;
    } else if (command == "get_maxes") {
      say(rank, fmt::format("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max={}", longest_value));
    } else if (command == "get_my_kvsname") {
      say(rank, "cmd=my_kvsname kvsname=kvs_1_0");
    } else if (command == "put") {
      EXPECT_EQ(request["kvsname"], "kvs_1_0");
      say(rank, store(request["key"], request["value"]) ? "cmd=put_result rc=0 msg=success"
                                                        : "cmd=put_result rc=-1 msg=duplicate_key");
    } else if (command == "get") {
      auto at = table_.find(request["key"]);
      say(rank, at == table_.end() ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
                                   : "cmd=get_result rc=0 msg=success value=" + at->second);
    } else if (command == "barrier_in") {
      meet(rank, "cmd=barrier_out");
    } else if (command == "finalize") {
      ++finalized_;
      say(rank, "cmd=finalize_ack");
    } else if (command == "abort") {
      aborter_ = rank;
    } else {
      ADD_FAILURE() << "unknown request " << command;
    }
  }

  void answer2(std::uint32_t rank, std::map<std::string, std::string> request) {
    ++peers_[rank].requests;
    const std::string& command = request["cmd"];
    if (command == "fullinit") {
      EXPECT_EQ(request["pmirank"], std::to_string(rank));
      say(rank,
          fmt::format(
              "cmd=fullinit-response;pmi-version=2;pmi-subversion=0;rank={};size={};appnum=0;debugged=FALSE;rc=0;",
              rank, peers_.size()));
    } else if (command == "kvs-put") {
      store(request["key"], request["value"]);
      say(rank, "cmd=kvs-put-response;rc=0;");
    } else if (command == "kvs-get") {
      auto at = table_.find(request["key"]);
      say(rank, at == table_.end() ? "cmd=kvs-get-response;flag=FALSE;rc=0;"
                                   : "cmd=kvs-get-response;flag=TRUE;value=" + at->second + ";rc=0;");
    } else if (command == "kvs-fence") {
      meet(rank, "cmd=kvs-fence-response;rc=0;");
    } else if (command == "finalize") {
      ++finalized_;
      say(rank, "cmd=finalize-response;rc=0;");
    } else if (command == "abort") {
      aborter_ = rank;
    } else {
      ADD_FAILURE() << "unknown request " << command;
    }
  }

  static constexpr std::size_t longest_value = 1024;
  Protocol protocol_;
  std::vector<Peer> peers_;
  std::map<std::string, std::string> table_;
  std::optional<std::uint32_t> aborter_;
  std::uint32_t finalized_ = 0;
};

class PmiTest : public ::testing::TestWithParam<std::tuple<Protocol, std::uint32_t>> {
 protected:
  Protocol protocol() const { return std::get<0>(GetParam()); }
  std::uint32_t size() const { return std::get<1>(GetParam()); }
};

std::string noise(std::size_t bytes, std::uint64_t key) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(random_bits(key, i));
  return text;
}

TEST_P(PmiTest, EntriesOfAnySizeAndAnyBytesArrive) {
  Server server(protocol(), size());
  auto ends = server.serve([&](std::uint32_t rank) {
    auto bootstrap = bootstrap_from_environment();
    ASSERT_TRUE(bootstrap);
    EXPECT_EQ(bootstrap->name(), protocol() == Protocol::pmi1 ? "pmi1" : "pmi2");
    ASSERT_EQ(bootstrap->rank(), rank);
    ASSERT_EQ(bootstrap->size(), size());
    std::size_t lengths[] = {0, 1, 2, 3, 700, 762, 763, 764, 5000};
    for (std::size_t length : lengths) bootstrap->publish(fmt::format("of{}", length), noise(length, rank));
    bootstrap->publish("again", "first");
    if (rank == 0) bootstrap->publish("of-rank-0", "x");
    bootstrap->exchange(Deadline::after_seconds(20));
    for (std::uint32_t other = 0; other < size(); ++other)
      for (std::size_t length : lengths)
        EXPECT_EQ(bootstrap->lookup(other, fmt::format("of{}", length)), noise(length, other)) << length;
    bootstrap->publish("again", "second");
    bootstrap->exchange(Deadline::after_seconds(20));
    EXPECT_EQ(bootstrap->lookup((rank + 1) % size(), "again"), "second");
    EXPECT_EQ(bootstrap->lookup(0, "of-rank-0"), "x");
    EXPECT_THROW(bootstrap->lookup(rank, "unpublished"), SetupError);
    auto all = bootstrap->allgather("gathered", noise(rank * 100, rank), Deadline::after_seconds(20));
    ASSERT_EQ(all.size(), size());
    for (std::uint32_t other = 0; other < size(); ++other) EXPECT_EQ(all[other], noise(other * 100, other));
    bootstrap->finalize();
  });
  for (int end : ends) EXPECT_EQ(end, 0);
  EXPECT_EQ(server.finalized(), size());
}

// The whole way: found by itself, memory shared, messages through it.
TEST_P(PmiTest, ProcessesBecomePesOfOneJob) {
  Server server(protocol(), size());
  auto ends = server.serve([&](std::uint32_t rank) {
    ASSERT_TRUE(in_job());
    auto membership = join_from_environment();
    ASSERT_TRUE(membership);
    EXPECT_EQ(membership->pe, PeId(rank));
    Context context(std::move(membership->job), membership->pe);
    membership.reset();
    ASSERT_EQ(context.npes(), size());
    auto word = context.reserve_system(8);
    context.barrier();
    for (std::uint32_t pe = 0; pe < size(); ++pe) context.add<std::uint64_t>(PeId(pe), word, rank + 1);
    context.barrier();
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(word), size() * (size() + 1) / 2);
  });
  for (int end : ends) EXPECT_EQ(end, 0);
  EXPECT_EQ(server.finalized(), size());
  EXPECT_FALSE(server.aborted());
}

INSTANTIATE_TEST_SUITE_P(Pes, PmiTest,
                         ::testing::Combine(::testing::Values(Protocol::pmi1, Protocol::pmi2),
                                            ::testing::Values(2u, 3u, 4u, 5u, 8u)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param) == Protocol::pmi1 ? "pmi1" : "pmi2",
                                              std::get<1>(info.param));
                         });

// Joining costs a PE a number of requests that grows with the logarithm of their number.
TEST(Pmi, JoiningCostsLogarithmicallyManyRequests) {
  auto cost = [](std::uint32_t size) {
    Server server(Protocol::pmi1, size);
    auto ends = server.serve([&](std::uint32_t) {
      auto membership = join_from_environment();
      ASSERT_TRUE(membership);
      Context context(std::move(membership->job), membership->pe);
      membership.reset();
    });
    for (int end : ends) EXPECT_EQ(end, 0);
    return server.most_requests();
  };
  std::uint64_t four = cost(4), sixteen = cost(16), thirty_two = cost(32);
  EXPECT_LE(four, 16u);
  EXPECT_LE(sixteen, 36u);
  EXPECT_LE(thirty_two, 56u);
}

TEST(Pmi, ADeathIsNoticedByAllOthersAndNamed) {
  Server server(Protocol::pmi1, 4);
  std::int64_t begin = now_ns();
  auto ends = server.serve([](std::uint32_t rank) {
    auto membership = join_from_environment();
    ASSERT_TRUE(membership);
    Context context(std::move(membership->job), membership->pe);
    membership.reset();
    try {
      context.barrier();
      if (rank == 2) ::raise(SIGKILL);
      context.wait([] { return false; });
    } catch (const PeFailedError& error) { EXPECT_THAT(error.what(), ::testing::HasSubstr("PE 2")); }
  });
  EXPECT_LT(now_ns() - begin, 20'000'000'000);
  for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(ends[rank], rank == 2 ? SIGKILL : 0) << rank;
  EXPECT_EQ(server.finalized(), 0u);  // a failed job does not end in good order
}

TEST(Pmi, APeThatLeftInOrderIsNotMissedAndThoseBehindItAreStillWatched) {
  Server server(Protocol::pmi1, 3);
  auto ends = server.serve([](std::uint32_t rank) {
    auto membership = join_from_environment();
    ASSERT_TRUE(membership);
    auto context = std::make_unique<Context>(std::move(membership->job), membership->pe);
    membership.reset();
    context->barrier();
    if (rank == 1) return;  // PE 0 watches it, and must go on to watch PE 2
    if (rank == 2) {
      ::usleep(100'000);
      std::_Exit(7);
    }
    EXPECT_THROW(context->wait([] { return false; }), PeFailedError);
  });
  EXPECT_EQ(ends[0], 0);
  EXPECT_EQ(ends[1], 0);
  EXPECT_EQ(WEXITSTATUS(ends[2]), 7);
}

// It has finalized but exits with an error: PEs that still work must not wait for it.
TEST(Pmi, ABadExitStatusEndsTheJob) {
  Server server(Protocol::pmi1, 3);
  auto ends = server.serve([](std::uint32_t rank) {
    {
      auto membership = join_from_environment();
      ASSERT_TRUE(membership);
      Context context(std::move(membership->job), membership->pe);
      membership.reset();
      context.barrier();
      if (rank != 1) ::pause();
    }
    std::exit(4);
  });
  EXPECT_TRUE(server.aborted());
  EXPECT_EQ(WEXITSTATUS(ends[1]), 4);
}

TEST(Pmi, AProcessJoinsItsLaunchersJobOnce) {
  Server server(Protocol::pmi1, 2);
  auto ends = server.serve([](std::uint32_t) {
    auto membership = join_from_environment();
    ASSERT_TRUE(membership);
    { Context context(std::move(membership->job), membership->pe); }
    membership.reset();
    EXPECT_THROW(join_from_environment(), SetupError);
  });
  EXPECT_EQ(ends, (std::vector<int>{0, 0}));
  EXPECT_EQ(server.finalized(), 2u);
}

// A PE that does not wait, and so hears nothing, is ended through the launcher.
TEST(Pmi, AJobThatGoesOnRegardlessIsAborted) {
  Server server(Protocol::pmi1, 2);
  auto ends = server.serve([](std::uint32_t rank) {
    auto membership = join_from_environment();
    ASSERT_TRUE(membership);
    Context context(std::move(membership->job), membership->pe);
    membership.reset();
    context.barrier();
    if (rank == 1) std::_Exit(3);
    for (;;) ::pause();
  });
  EXPECT_TRUE(server.aborted());
  EXPECT_EQ(ends[0], SIGKILL);
}

TEST(Pmi, ALauncherThatEndsIsAnErrorNotAHang) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    ::setenv("PMI_FD", std::to_string(ends[1]).c_str(), 1);
    ::setenv("PMI_RANK", "0", 1);
    ::setenv("PMI_SIZE", "2", 1);
    try {
      (void)bootstrap_from_environment();
    } catch (const SetupError& error) {
      std::_Exit(std::string(error.what()).find("launcher") != std::string::npos ? 0 : 2);
    }
    std::_Exit(1);
  }
  ::close(ends[1]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

// PMI_FD is inherited by what a PE starts, the socket is not.
TEST(Pmi, AVariableWithoutItsSocketMeansNothing) {
  pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv("PMI_FD", "977", 1);
    ::setenv("PMI_RANK", "0", 1);
    ::setenv("PMI_SIZE", "4", 1);
    std::_Exit(!in_job() && !join_from_environment() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace atl::runtime
