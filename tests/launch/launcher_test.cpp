// SPDX-License-Identifier: Apache-2.0
#include "atoll/launch/launcher.hpp"
#include "atoll/base/error.hpp"

#include <dirent.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/launch/worker_group.hpp"
#include "atoll/runtime/context.hpp"
#include "shell.hpp"

namespace atl::runtime {
namespace {

using testing::Outcome;
using testing::shell;

// Those of Atoll alone: other programs of this machine make and remove theirs at any time.
std::set<std::string> shared_files() {
  std::set<std::string> found;
  std::error_code none;
  for (auto& entry : std::filesystem::directory_iterator("/dev/shm", none)) {
    std::string name = entry.path().filename();
    if (name.find("atoll") != std::string::npos) found.insert(name);
  }
  return found;
}

// Processes whose command line holds `text`.
int processes_with(const std::string& text) {
  int count = 0;
  std::error_code none;
  for (auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line((std::istreambuf_iterator<char>(file)), {});
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (!line.empty() && line.find(text) != std::string::npos && line.find("sh -c") == std::string::npos) ++count;
  }
  return count;
}

// Alive, and not merely waiting to be reaped.
bool runs(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  auto at = line.rfind(')');
  return at != std::string::npos && at + 2 < line.size() && line[at + 2] != 'Z';
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (!runs(pid)) return true;
    ::poll(nullptr, 0, 10);
  }
  return false;
}

class Launching : public ::testing::TestWithParam<int> {};

TEST_P(Launching, EveryPeJoinsAndItsOutputIsForwarded) {
  int npes = GetParam();
  Outcome outcome = shell(fmt::format("@run -n {} @pe hello", npes));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  auto lines = outcome.lines();
  std::sort(lines.begin(), lines.end());
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(npes)) << outcome.output;
  for (int pe = 0; pe < npes; ++pe)
    EXPECT_EQ(lines[static_cast<std::size_t>(pe)], fmt::format("hello from {} of {}", pe, npes));
}

TEST_P(Launching, LinesStayWholeAndAreLabelled) {
  int npes = GetParam();
  Outcome outcome = shell(fmt::format("@run -n {} --label @pe lines", npes));
  EXPECT_EQ(outcome.status, 0);
  std::vector<int> next(static_cast<std::size_t>(npes), 0);
  for (const std::string& line : outcome.lines()) {
    unsigned label = 99, pe = 98;
    int number = -1;
    ASSERT_EQ(std::sscanf(line.c_str(), "[%u] %u:%d:", &label, &pe, &number), 3) << line;
    ASSERT_EQ(label, pe);
    ASSERT_EQ(number, next[pe]++);
    ASSERT_TRUE(line.ends_with(":" + std::string(static_cast<std::size_t>(100 + number % 50), 'x') + ":end")) << line;
  }
  for (int count : next) EXPECT_EQ(count, 500);
}

TEST_P(Launching, APeKilledInABarrierEndsTheJobAndLeavesNothing) {
#ifdef ATOLL_EMULATED
  GTEST_SKIP() << "the emulator does not pass on PR_SET_CHILD_SUBREAPER: what PEs have started is not ours to end";
#endif
  int npes = GetParam();
  auto before = shared_files();
  std::string marker = fmt::format("{}.{}", 100000 + ::getpid(), npes);  // a duration no other sleep has
  Outcome outcome = shell(fmt::format("@run -n {} @pe die {}", npes, marker));
  EXPECT_EQ(outcome.status, 128 + SIGKILL) << outcome.output;
  EXPECT_TRUE(outcome.has(fmt::format("atoll-run: PE {} (pid ", npes - 1)) &&
              outcome.has("was killed by signal 9 (Killed)"))
      << outcome.output;
  // Every survivor was told which PE died.
  std::size_t told = 0;
  for (const std::string& line : outcome.lines())
    if (line.starts_with(fmt::format("survivor: PE {} (pid ", npes - 1))) ++told;
  EXPECT_EQ(told, static_cast<std::size_t>(npes - 1)) << outcome.output;
  EXPECT_LT(outcome.seconds, 10);
  EXPECT_EQ(processes_with("sleep " + marker), 0);
  EXPECT_EQ(shared_files(), before);
}

INSTANTIATE_TEST_SUITE_P(Pes, Launching, ::testing::Values(1, 2, 3, 4, 5, 8));

TEST(Launcher, StatusIsThatOfTheFirstFailure) {
  Outcome outcome = shell("@run -n 4 @pe status");
  EXPECT_EQ(outcome.status, 3) << outcome.output;
  EXPECT_TRUE(outcome.has("PE 3 (pid ") && outcome.has("exited with status 3")) << outcome.output;
}

TEST(Launcher, OnePeCanEndTheWholeJob) {
  for (int caller : {0, 1, 3})
    for (int status : {0, 7, 255}) {
      Outcome outcome = shell(fmt::format("@run -np 4 @pe end {} {}", status, caller));
      EXPECT_EQ(outcome.status, status) << outcome.output;
      EXPECT_LT(outcome.seconds, 30);
      EXPECT_TRUE(outcome.has(fmt::format("word of {};", caller))) << outcome.output;
      EXPECT_TRUE(outcome.has("word of 2;")) << outcome.output;  // it was waiting, and told
      EXPECT_FALSE(outcome.has("atoll-run:")) << outcome.output;
    }
  EXPECT_EQ(shell("@run -np 1 @pe end 3 0").status, 3);
}

TEST(Launcher, GlobalDataMayLieAnywhere) {
  Outcome outcome = shell("@run -n 4 -l @pe globals");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  for (unsigned pe = 0; pe < 4; ++pe) {
    bool found = false;
    for (const std::string& line : outcome.lines())
      found = found ||
              (line.starts_with(fmt::format("[{}] 0x", pe)) && line.ends_with(fmt::format(" {}", 10 + (pe + 3) % 4)));
    EXPECT_TRUE(found) << outcome.output;
  }
}

TEST(Launcher, TheSymmetricHeapsSizeIsTheUsersChoice) {
  for (const char* size : {"1t", "-1", "20x", "m", "1e3q", "nan"}) {
    Outcome outcome = shell(fmt::format("SHMEM_SYMMETRIC_SIZE={} @run -n 2 @pe hello", size));
    EXPECT_EQ(outcome.status, 2) << size << outcome.output;
    EXPECT_TRUE(outcome.has("SHMEM_SYMMETRIC_SIZE")) << outcome.output;
  }
  // The segment grows by it: ATOLL_HEAP_SIZE is 64M here.
  for (const char* size : {"SHMEM_SYMMETRIC_SIZE=200m", "SHMEM_SYMMETRIC_SIZE=.2G", "SHMEM_SYMMETRIC_SIZE=200Mkk",
                           "SMA_SYMMETRIC_SIZE=209715200", "SMA_SYMMETRIC_SIZE=1 SHMEM_SYMMETRIC_SIZE=200M"}) {
    Outcome outcome = shell(std::string(size) + " @run -n 3 @pe symmetric");
    EXPECT_EQ(outcome.status, 0) << size << outcome.output;
  }
  EXPECT_NE(shell("SHMEM_SYMMETRIC_SIZE=0 @run -n 3 @pe symmetric").status, 0);
}

TEST(Launcher, KillsAPeThatIgnoresFailures) {
  Outcome outcome = shell("@run -n 3 @pe stubborn");
  EXPECT_EQ(outcome.status, 128 + SIGKILL);
  EXPECT_LT(outcome.seconds, 10);
}

TEST(Launcher, APeThatLeavesWithoutFinalizingIsMissed) {
  Outcome outcome = shell("@run -n 3 @pe leave");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(outcome.has("PE 0 (pid ") && outcome.has("ended without finalizing")) << outcome.output;
  EXPECT_TRUE(outcome.has("survivor: PE 0 (pid ")) << outcome.output;
}

TEST(Launcher, RunsProgramsThatDoNotUseAtoll) {
  EXPECT_EQ(shell("@run -n 3 true").status, 0);
  EXPECT_EQ(shell("@run -n 3 sh -c 'exit 5'").status, 5);
  Outcome missing = shell("@run -n 2 no-such-program-anywhere");
  EXPECT_EQ(missing.status, 127);
  // The thread sanitizer, and the emulator of other processors, make a fork of vfork: its failure is not seen.
#if !defined(__SANITIZE_THREAD__) && !defined(ATOLL_EMULATED)
  EXPECT_TRUE(missing.has("cannot start 'no-such-program-anywhere': No such file or directory")) << missing.output;
#endif
}

TEST(Launcher, OnlyPe0ReadsStandardInput) {
  Outcome outcome = shell("printf 'a\\nb\\n' | @run -n 3 -l cat");
  EXPECT_EQ(outcome.output, "[0] a\n[0] b\n");
  // Without a label one PE writes to our own output; an unfinished last line stays unfinished.
  EXPECT_EQ(shell("printf 'a' | @run -n 1 cat").output, "a");
}

TEST(Launcher, ThreadsFollowTheRequest) {
  EXPECT_EQ(shell("@run -n 2 --threads 3 sh -c 'echo $ATOLL_THREADS'").output, "3\n3\n");
  EXPECT_EQ(shell("ATOLL_THREADS=5 @run -n 1 sh -c 'echo $ATOLL_THREADS $ATOLL_PE $ATOLL_NPES'").output, "5 0 1\n");
  EXPECT_EQ(shell("@run -n 64 -t1 sh -c 'echo $ATOLL_THREADS'").lines().size(), 64u);
}

TEST(Launcher, TimesOut) {
  Outcome outcome = shell("@run -n 2 --timeout 0.2 sleep 1000");
  EXPECT_EQ(outcome.status, 124);
  EXPECT_TRUE(outcome.has("did not end within 0.2 s")) << outcome.output;
  EXPECT_LT(outcome.seconds, 10);
}

TEST(Launcher, NonsenseIsExplained) {
  for (auto [arguments, text] :
       {std::pair{"-n 0 true", "-n '0' is not valid. Accepted: 1 to 65536"},
        std::pair{"-n two true", "-n 'two' is not valid"},
        std::pair{"true", "the number of PEs is not given"},
        std::pair{"-n 2", "no program to run is given"},
        std::pair{"-n", "-n needs a value"},
        std::pair{"--frob=1 -n 2 true", "unknown option --frob"},
        std::pair{"-frob 1 -n 2 true", "unknown option -frob"},
        std::pair{"--label=yes -n 2 true", "--label takes no value"},
        std::pair{"-n 2 true :", "no program before or after a ':'"},
        std::pair{"-n 2 true : true", "the number of PEs of true is not given"},
        std::pair{"-n 65536 true : -n 1 true", "65537 PEs are more than a job may have"},
        std::pair{"-n 2 --map-by chip true", "--map-by 'chip' is not valid. Accepted: slot"},
        std::pair{"-n 2 --map-by node --host a,b true", "in blocks, not in turns"},
        std::pair{"-n 2 --bind-to core:x true", "after the colon overload-allowed"},
        std::pair{"-n 1 true : -n 1 --host b true", "true is given no host"},
        std::pair{"-n 1 --host a true : -n 1 --host b true : -n 1 --host a true", "do not follow one another"},
        std::pair{"-n 2 --port 7 true", "--port is for several hosts"},
        std::pair{"-n 2 --bind chip true", "Accepted: none, core, numa, socket"},
        std::pair{"--pes-per-node chip true", "Accepted: 1 to 65536, numa or socket"},
        std::pair{"-n 3 --pes-per-node 2 true", "-n 3 is more than --pes-per-node 2 allows"},
        std::pair{"-n 2 -t -1 true", "-t '-1' is not valid"},
        std::pair{"-n 2 --timeout nan true", "--timeout 'nan' is not valid"}}) {
    Outcome outcome = shell(std::string("@run ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(outcome.has(text)) << arguments << " → " << outcome.output;
  }
  EXPECT_EQ(shell("@run --help").status, 0);
  EXPECT_TRUE(shell("@run --help").output.starts_with("usage: atoll-run"));
  Outcome size = shell("ATOLL_HEAP_SIZE=lots @run -n 2 true");
  EXPECT_EQ(size.status, 2);
  EXPECT_TRUE(size.has("ATOLL_HEAP_SIZE='lots' is not a size")) << size.output;
  Outcome large = shell("ATOLL_HEAP_SIZE=1000T @run -n 2 true");
  EXPECT_EQ(large.status, 2);
  EXPECT_TRUE(large.has("Set ATOLL_HEAP_SIZE to")) << large.output;
}

TEST(Launcher, RunsWhereProcIsNotMounted) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the leak sanitizer reads /proc";
#endif
  const std::string hidden = "unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh ";
  if (shell(hidden + "true").status != 0) GTEST_SKIP() << "no namespaces of mounts here";
  for (const char* heap : {"64M", "0"}) {
    Outcome plain = shell(fmt::format("ATOLL_HEAP_SIZE={} {}@run -n 2 echo hi", heap, hidden));
    EXPECT_EQ(plain.status, 0) << plain.output;
    EXPECT_EQ(plain.output, "hi\nhi\n");
    Outcome job = shell(fmt::format("ATOLL_HEAP_SIZE={} {}@run -n 3 @pe hello", heap, hidden));
    EXPECT_EQ(job.status, 0) << job.output;
    EXPECT_EQ(job.lines().size(), 3u) << job.output;
    EXPECT_TRUE(job.has("hello from 2 of 3")) << job.output;
  }
  Outcome outcome = shell(hidden + "@run -n 2 --timeout 1 sh -c 'sleep 60'");
  EXPECT_EQ(outcome.status, 124) << outcome.output;
}

TEST(Launcher, AnAddressSpaceThatIsTooSmallIsOneSentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space";
#endif
  Outcome outcome = shell("ulimit -v 200000; ATOLL_HEAP_SIZE=1G @run -n 2 true");
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.lines().size(), 1u) << outcome.output;
  EXPECT_TRUE(outcome.has("for the segments (Cannot allocate memory). Lower ATOLL_HEAP_SIZE, or raise"))
      << outcome.output;
  EXPECT_FALSE(outcome.has("?:")) << outcome.output;
  Outcome chosen = shell("ulimit -v 60000; ATOLL_HEAP_SIZE=0 @run -n 2 echo hi");
  EXPECT_EQ(chosen.output, "hi\nhi\n");
}

TEST(Launcher, SeveralProgramsAreOneJob) {
  Outcome outcome = shell(
      "@run -l -n 1 -env A 1 -genv B=2 sh -c 'echo $A$B$ATOLL_PROGRAM of $ATOLL_NPES' a : "
      "-n 2 -wdir / -x B=3 sh -c 'echo $A$B$ATOLL_PROGRAM; pwd' : -n 1 sh -c 'exit 3'");
  auto lines = outcome.lines();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(outcome.status, 3) << outcome.output;  // PE 3 exits with 3
  lines.resize(5);
  EXPECT_EQ(lines, (std::vector<std::string>{"[0] 130 of 4", "[1] /", "[1] 31", "[2] /", "[2] 31"})) << outcome.output;
  EXPECT_EQ(shell("@run -n 2 @pe hello : -n 1 @pe hello").lines().size(), 3u);
}

TEST(Launcher, TakesTheWordsOfOtherLaunchers) {
  for (const char* words :
       {"-np 2", "-n2", "--n 2", "-c 2", "-n 2 --oversubscribe --allow-run-as-root -q", "-n 2 --map-by :OVERSUBSCRIBE",
        "-n 2 --map-by node:pe=1 --bind-to none", "-ppn 2", "--map-by ppr:2:node:oversubscribe",
        "-n 2 -bind-to hwthread -map-by socket", "-n 2 --bind-to core:overload-allowed --rank-by slot",
        "-n 2 -genvall -genvlist HOME,USER", "-n 2 -host localhost", "-hosts localhost:2", "-H localhost:2",
        "--host=localhost:2", "-n 2 -wdir / -timeout 60"}) {
    Outcome outcome = shell(fmt::format("@run {} sh -c 'echo of $ATOLL_NPES'", words));
    EXPECT_EQ(outcome.output, "of 2\nof 2\n") << words;
  }
  EXPECT_TRUE(shell("@run -n 1 --tag-output echo x").has("[0] x"));
  EXPECT_TRUE(shell("@run -n 1 -prepend-rank echo x").has("[0] x"));
  EXPECT_TRUE(
      shell("@run -n 1 --mca btl self true").has("--mca btl is a setting of another launcher, and is not used"));
  EXPECT_TRUE(shell("@run -V").output.starts_with("atoll-run (Atoll) "));
  Outcome file = shell("F=$(mktemp); echo localhost slots=2 >$F; @run -machinefile $F echo x; rm $F");
  EXPECT_EQ(file.output, "x\nx\n");
  Outcome hosts = shell(
      "@run -n 1 -host localhost sh -c 'echo a$ATOLL_PROGRAM' : -n 2 -host localhost -env B 1 sh -c 'echo b$B$ATOLL_PROGRAM'");
  auto lines = hosts.lines();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"a0", "b11", "b11"})) << hosts.output;
}

TEST(Launcher, CountsPesByParts) {
  auto run = [](std::string_view options) {
    return shell(fmt::format(
        "HWLOC_SYNTHETIC='package:2 numa:2 core:2 pu:1' @run {} sh -c 'echo of $ATOLL_NPES with $ATOLL_THREADS'",
        options));
  };
  EXPECT_TRUE(run("--pes-per-node numa --bind none").has("of 4 with 2\n"));
  EXPECT_TRUE(run("--pes-per-node socket --bind none").has("of 2 with 4\n"));
  EXPECT_TRUE(run("--pes-per-node 3").has("of 3 with 2\n"));
  EXPECT_TRUE(run("-n 1 --pes-per-node numa --bind none").has("of 1 with 8\n"));
}

// Starts the launcher without a shell in between. Returns its pid and the read end of its output.
std::pair<pid_t, int> start_launcher(std::vector<std::string> words) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(1);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

std::vector<pid_t> wait_for_idle_pes(int output, const std::string& folder, int npes) {
  std::string text;
  char buffer[256];
  while (std::count(text.begin(), text.end(), '\n') < npes) {
    ssize_t got = ::read(output, buffer, sizeof(buffer));
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  std::vector<pid_t> pids;
  for (int pe = 0; pe < npes; ++pe) {
    pid_t pid = 0;
    std::ifstream(folder + "/pid." + std::to_string(pe)) >> pid;
    EXPECT_GT(pid, 0);
    pids.push_back(pid);
  }
  return pids;
}

class Killing : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "atoll-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_P(Killing, TheLauncherTakesItsPesAlong) {
  auto [launcher, output] = start_launcher({ATOLL_RUN_PATH, "-n", "3", PE_PROGRAM_PATH, "idle", folder_ + "/pid"});
  auto pids = wait_for_idle_pes(output, folder_, 3);
  ::kill(launcher, GetParam());
  int status = 0;
  ASSERT_EQ(::waitpid(launcher, &status, 0), launcher);
  if (GetParam() == SIGTERM) {
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  }
  for (pid_t pid : pids) EXPECT_TRUE(ends_soon(pid)) << pid;
  ::close(output);
}

// Whichever of the launcher's two processes is killed, also what the PEs have started goes.
TEST_P(Killing, NothingOfTheJobStays) {
#ifdef ATOLL_EMULATED
  GTEST_SKIP() << "the emulator does not pass on PR_SET_CHILD_SUBREAPER: what PEs have started is not ours to end";
#endif
  for (bool inner : {false, true}) {
    std::string marker = fmt::format("{}.{}{}", 200000 + ::getpid(), GetParam(), inner ? 1 : 2);
    auto [launcher, output] =
        start_launcher({ATOLL_RUN_PATH, "-n", "3", PE_PROGRAM_PATH, "idle", folder_ + "/pid", marker});
    auto pids = wait_for_idle_pes(output, folder_, 3);
    for (int i = 0; i < 1000 && processes_with("sleep " + marker) != 3; ++i) ::poll(nullptr, 0, 10);
    pid_t victim = launcher;
    if (inner) {  // the parent of the PEs
      std::ifstream file(fmt::format("/proc/{}/stat", pids[0]));
      std::string line;
      std::getline(file, line);
      victim = std::atoi(line.c_str() + line.rfind(')') + 4);
      ASSERT_NE(victim, launcher);
    }
    ::kill(victim, GetParam());
    int status = 0;
    ASSERT_EQ(::waitpid(launcher, &status, 0), launcher);
    for (pid_t pid : pids) EXPECT_TRUE(ends_soon(pid)) << pid;
    for (int i = 0; i < 500 && processes_with("sleep " + marker) != 0; ++i) ::poll(nullptr, 0, 10);
    EXPECT_EQ(processes_with("sleep " + marker), 0);
    ::close(output);
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Killing, ::testing::Values(SIGTERM, SIGKILL, SIGINT));

// ---- the environment of a PE --------------------------------------------------------------------------------------

TEST(Environment, NonsenseIsExplained) {
  EXPECT_TRUE(shell("@pe hello").has("no job"));
  for (auto [variables, text] :
       {std::pair{"ATOLL_JOB=/proc/1/fd/12345", "ATOLL_PE='' is not a whole number"},
        std::pair{"ATOLL_JOB=/nonsense ATOLL_PE=0 ATOLL_NPES=2", "ATOLL_JOB='/nonsense' cannot be joined"},
        std::pair{"ATOLL_JOB=/dev/null ATOLL_PE=0 ATOLL_NPES=2", "is not a job's memory"},
        std::pair{"ATOLL_JOB=/x ATOLL_PE=2 ATOLL_NPES=2", "ATOLL_PE=2 is not one of ATOLL_NPES=2"},
        std::pair{"ATOLL_JOB=/x ATOLL_PE=-1 ATOLL_NPES=2", "ATOLL_PE='-1' is not a whole number"},
        std::pair{"ATOLL_JOB=/x ATOLL_PE=0 ATOLL_NPES=two", "ATOLL_NPES='two' is not a whole number"}}) {
    Outcome outcome = shell(std::string(variables) + " @pe hello");
    EXPECT_EQ(outcome.status, 18) << variables << outcome.output;
    EXPECT_TRUE(outcome.has(text)) << variables << " → " << outcome.output;
  }
  Outcome other = shell("@run -n 2 sh -c 'ATOLL_NPES=3 @pe hello'");
  EXPECT_TRUE(other.has("ATOLL_NPES=3, but the job has 2 PEs")) << other.output;
  Outcome twice = shell("@run -n 1 sh -c '@pe hello; @pe hello'");
  EXPECT_TRUE(twice.has("PE 0 of this job exists already")) << twice.output;
}

// ---- workers of a driver ------------------------------------------------------------------------------------------

class Workers : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  std::shared_ptr<fabric::Job> make() {
    return fabric::Job::create_shm({.npes = GetParam(), .segment_bytes = std::uint64_t{64} << 20, .threads_per_pe = 1});
  }
};

TEST_P(Workers, ServeUntilTheDriverIsDone) {
  auto job = make();
  auto group =
      std::make_unique<WorkerGroup>(job, WorkerOptions{.command = {PE_PROGRAM_PATH, "worker"}, .environment = {}});
  {
    Context context(job, PeId(0));
    context.wait_until<std::uint64_t>(HeapOffset(Context::system_bytes - 64), Compare::equal,
                                      GetParam() * (GetParam() - 1) / 2);
  }
  auto pids = group->pids();
  ASSERT_EQ(pids.size(), GetParam() - 1);
  group.reset();
  for (pid_t pid : pids) EXPECT_FALSE(runs(pid));
  EXPECT_EQ(job->failure(), "");
}

TEST_P(Workers, OneThatIsKilledEndsTheDriversWaits) {
  auto job = make();
  WorkerGroup group(job, {.command = {PE_PROGRAM_PATH, "worker"}, .environment = {}});
  Context context(job, PeId(0));
  if (GetParam() == 1) return;
  ::kill(group.pids().back(), SIGKILL);
  try {
    context.wait([] { return false; });
    FAIL();
  } catch (const PeFailedError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("PE {} (pid {}) was killed by signal 9 (Killed)", GetParam() - 1, group.pids().back()));
  }
}

TEST_P(Workers, OneThatCannotStartOrJoinIsAnError) {
  if (GetParam() == 1) return;
#if !defined(__SANITIZE_THREAD__) && !defined(ATOLL_EMULATED)  // see above
  EXPECT_THROW(WorkerGroup(make(), {.command = {"no-such-program-anywhere"}, .environment = {}}), SetupError);
#endif
  auto job = make();
  WorkerGroup group(job, {.command = {"false"}, .environment = {}});
  EXPECT_THROW(Context(job, PeId(0)), PeFailedError);
}

TEST_P(Workers, OneThatIgnoresTheEndIsKilled) {
  auto group = std::make_unique<WorkerGroup>(make(), WorkerOptions{.command = {"sleep", "1000"}, .environment = {}});
  auto pids = group->pids();
  group.reset();
  for (pid_t pid : pids) EXPECT_FALSE(runs(pid));
}

INSTANTIATE_TEST_SUITE_P(Pes, Workers, ::testing::Values(1u, 2u, 3u, 4u));

}  // namespace
}  // namespace atl::runtime
