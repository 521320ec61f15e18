// SPDX-License-Identifier: Apache-2.0
// The endpoint contract below the runtime: PEs that are not mapped go through RemotePath, and rings under pressure.
#include "atoll/fabric/endpoint.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/fabric/simulated.hpp"
#include "linked_jobs.hpp"

namespace atl::fabric {
namespace {

constexpr std::uint64_t MiB_ = std::uint64_t{1} << 20;

const JobOptions two_nodes{.npes = 3, .segment_bytes = 4 * MiB_, .node_of_pe = {0, 1, 0}};

void expect_contract(const std::vector<std::shared_ptr<Job>>& jobs) {
  Endpoint endpoint(jobs[0], PeId(0));
  EXPECT_EQ(endpoint.address(PeId(1), HeapOffset(64), 8), nullptr);
  EXPECT_NE(endpoint.address(PeId(0), HeapOffset(64), 8), nullptr);
  EXPECT_NE(endpoint.address(PeId(2), HeapOffset(64), 8), nullptr);
  for (PeId pe : {PeId(0), PeId(1), PeId(2)}) {
    endpoint.put_value<std::uint64_t>(pe, HeapOffset(64), 40);
    EXPECT_EQ(endpoint.get_value<std::uint64_t>(pe, HeapOffset(64)), 40u);
    EXPECT_EQ(endpoint.fetch_add<std::int32_t>(pe, HeapOffset(64), -3), 40);
    EXPECT_EQ(endpoint.compare_swap<std::uint32_t>(pe, HeapOffset(64), 37, 12), 37u);
    EXPECT_EQ(endpoint.compare_swap<std::uint32_t>(pe, HeapOffset(64), 37, 13), 12u);
    EXPECT_EQ(endpoint.swap<std::uint64_t>(pe, HeapOffset(64), 6), 12u);
    EXPECT_EQ(endpoint.fetch_or<std::uint64_t>(pe, HeapOffset(64), 8), 6u);
    EXPECT_EQ(endpoint.fetch_and<std::uint64_t>(pe, HeapOffset(64), 12), 14u);
    EXPECT_EQ(endpoint.fetch_xor<std::uint64_t>(pe, HeapOffset(64), 1), 12u);
    endpoint.put_signal(pe, HeapOffset(128), "abc", 3, HeapOffset(64), 5, AtomicOp::add);
    endpoint.quiet();
    EXPECT_EQ(endpoint.fetch<std::uint64_t>(pe, HeapOffset(64)), 18u);
    endpoint.set<double>(pe, HeapOffset(72), 0.1);
    EXPECT_EQ(endpoint.fetch<double>(pe, HeapOffset(72)), 0.1);
    EXPECT_EQ(endpoint.swap<float>(pe, HeapOffset(80), 0.5f), 0.0f);
    EXPECT_EQ(endpoint.fetch<float>(pe, HeapOffset(80)), 0.5f);
    char text[4] = {};
    endpoint.get(text, pe, HeapOffset(128), 3);
    EXPECT_STREQ(text, "abc");
    EXPECT_THROW(endpoint.put(pe, HeapOffset(4 * MiB_ - 2), text, 3), IndexError);
    EXPECT_THROW(endpoint.put_signal(pe, HeapOffset(128), text, 3, HeapOffset(65), 1), ValueError);
  }
  // It is PE 1 of node 1 that got it.
  EXPECT_EQ(std::memcmp(jobs[1]->segment(PeId(1)) + 128, "abc", 3), 0);
  Endpoint receiver(jobs[1], PeId(1));
  std::byte payload[10] = {};
  EXPECT_EQ(endpoint.try_send(PeId(1), 7, 0, {payload, payload}), Status::ok);
  for (int look = 0; look < 1000 && !receiver.receive(); ++look) endpoint.poll();
  ASSERT_TRUE(receiver.receive());
  EXPECT_EQ(receiver.receive()->bytes, 20u);
  EXPECT_EQ(receiver.receive()->source, 0u);
  EXPECT_EQ(endpoint.traffic().am_bytes, 20u);
}

TEST(RemotePathTest, PesOfOtherNodesAreReachedThroughIt) { expect_contract(testing::link_jobs(two_nodes)); }

TEST(RemotePathTest, SimulatedPesAreReachedThroughIt) {
  Simulated simulated({.job = two_nodes}, std::make_unique<UniformWire>(100'000, 1'000'000, 80'000));
  simulated.run([&](const std::shared_ptr<Job>&, PeId pe) {
    if (pe == PeId(0)) expect_contract(simulated.jobs());
  });
  // 11 operations with an answer and what goes before them, of 2 microseconds each, and a little.
  EXPECT_GT(simulated.now_ps(), 22'000'000u);
  EXPECT_LT(simulated.now_ps(), 60'000'000u);
}

TEST(NodesTest, EachNodeHasTheMemoryOfItsOwnPes) {
  auto jobs = testing::link_jobs({.npes = 5, .segment_bytes = 4 * MiB_, .node_of_pe = {1, 0, 1, 0, 1}});
  for (std::uint32_t node : {0u, 1u}) {
    const Job& job = *jobs[node];
    EXPECT_EQ(job.nodes(), 2u);
    EXPECT_EQ(job.node(), node);
    EXPECT_EQ(job.local_pes(), node == 0 ? 2u : 3u);
    EXPECT_EQ(job.leader_of(0), PeId(1));
    EXPECT_EQ(job.leader_of(1), PeId(0));
    EXPECT_EQ(job.place_of(PeId(3)), 1u);
    EXPECT_EQ(job.place_of(PeId(4)), 2u);
    for (std::uint32_t pe = 0; pe < 5; ++pe) EXPECT_EQ(job.segment(PeId(pe)) != nullptr, (pe % 2 == 0) == (node == 1));
  }
  EXPECT_EQ(jobs[1]->segment(PeId(4)) - jobs[1]->segment(PeId(2)),
            static_cast<std::ptrdiff_t>(jobs[1]->segment_bytes()));
}

TEST(NodesTest, FailuresAndRequestsReachAllNodes) {
  auto jobs = testing::link_jobs({.npes = 3, .segment_bytes = 4 * MiB_, .node_of_pe = {0, 1, 2}});
  jobs[1]->set_hosts({"cay", "reef", "shoal"});
  jobs[1]->mark_failed(PeId(1), 9, "was killed by signal 9 (Killed)");
  for (const auto& job : jobs) {
    EXPECT_EQ(job->failure(), "PE 1 was killed by signal 9 (Killed) on reef");
    EXPECT_THROW(job->check(), PeFailedError);
  }
  auto others = testing::link_jobs({.npes = 2, .segment_bytes = 4 * MiB_, .node_of_pe = {0, 1}});
  std::vector<int> told;
  for (const auto& job : others) job->set_exit_listener([&told](int status) { told.push_back(status); });
  others[0]->request_shutdown();
  others[1]->request_exit(7);
  others[0]->request_exit(8);
  EXPECT_EQ(told, (std::vector<int>{7, 7}));  // each process tells its launcher the status of the job before it ends
  for (const auto& job : others) {
    EXPECT_TRUE(job->shutdown_requested());
    EXPECT_EQ(job->exit_requested(), 7);
  }
}

TEST(NodesTest, PesAreNamedWithTheirHosts) {
  auto jobs = testing::link_jobs({.npes = 2, .segment_bytes = 4 * MiB_, .node_of_pe = {0, 1}});
  EXPECT_EQ(jobs[0]->describe(PeId(1)), "PE 1");
  jobs[0]->set_hosts({"cay", "reef"});
  EXPECT_EQ(jobs[0]->describe(PeId(1)), "PE 1 on reef");
}

TEST(NodesTest, NodesWithoutFirstPesHaveMemoryForGuests) {
  JobOptions options{.npes = 2, .segment_bytes = 4 * MiB_, .node_of_pe = {0, 0, 1, 2}, .guests = 1};
  auto first = Job::create_shm(options);
  options.node = 2;
  auto last = Job::create_shm(options);
  for (const auto& job : {first, last}) {
    EXPECT_EQ(job->nodes(), 3u);
    EXPECT_EQ(job->leader_of(0), PeId(0));
    EXPECT_EQ(job->leader_of(2), PeId(2));
    job->set_hosts({"cay", "cay", "reef", "shoal"});
  }
  EXPECT_EQ(last->local_pes(), 0u);
  EXPECT_EQ(last->segment(PeId(0)), nullptr);
  ASSERT_TRUE(last->take_memory(PeId(2), PeId(2)));
  for (const auto& job : {first, last}) {
    job->admit(PeId(2), 2);
    EXPECT_EQ(job->segment(PeId(2)) != nullptr, job == last);
    EXPECT_EQ(job->describe(PeId(2)), "PE 2 on shoal");
    EXPECT_EQ(job->describe(PeId(1)), "PE 1 on cay");
  }
  EXPECT_FALSE(last->take_memory(PeId(3), PeId(3)));
  last->note_end(PeId(2));
  EXPECT_TRUE(last->take_memory(PeId(3), PeId(3)));
}

TEST(NodesTest, ReportsLostPesToTheLauncher) {
  auto job = Job::create_loop({.npes = 2, .segment_bytes = 4 * MiB_});
  EXPECT_FALSE(job->report_loss(PeId(1), "is lost"));
  EXPECT_FALSE(job->first_failure());
  std::string said;
  job->set_loss_listener(
      [&](PeId pe, const std::string& how) { return said = fmt::format("PE {} {}", pe.value(), how), true; });
  EXPECT_TRUE(job->report_loss(PeId(1), "is lost"));
  EXPECT_EQ(said, "PE 1 is lost");
  job->mark_failed(PeId(1), 9, "is lost");
  ASSERT_TRUE(job->first_failure());
  EXPECT_EQ(job->first_failure()->text, "is lost");
  EXPECT_EQ(job->first_failure()->status, 9);
}

TEST(MessageRingTest, FillsEmptiesAndWrapsRound) {
  auto job = Job::create_loop({.npes = 2, .segment_bytes = 4 * MiB_});
  Endpoint sender(job, PeId(0)), receiver(job, PeId(1));
  std::uint64_t next_out = 0, next_in = 0;
  for (int lap = 0; lap < 5; ++lap) {
    while (sender.try_send(PeId(1), 3, 9, {std::as_bytes(std::span(&next_out, 1))}) == Status::ok) ++next_out;
    EXPECT_EQ(next_out - next_in, ring_slots);
    for (std::size_t k = 0; k < ring_slots / 2 + static_cast<std::size_t>(lap); ++k) {
      const auto slot = receiver.receive();
      ASSERT_TRUE(slot);
      std::uint64_t number = 0;
      ASSERT_EQ(slot->bytes, 8u);
      std::memcpy(&number, slot->payload, 8);
      EXPECT_EQ(number, next_in++);
      EXPECT_EQ(slot->source, 0u);
      EXPECT_EQ(slot->handler, 3u);
      EXPECT_EQ(slot->kind, 9u);
      receiver.release_message();
    }
  }
}

// Of every length around the borders of slots, lines and the ring's end, however far the receiver is behind.
TEST(MessageRingTest, PayloadsOfAllLengthsComeWhole) {
  auto job = Job::create_loop({.npes = 2, .segment_bytes = 4 * MiB_});
  Endpoint sender(job, PeId(0)), receiver(job, PeId(1));
  const std::size_t lengths[] = {0,
                                 1,
                                 47,
                                 48,
                                 49,
                                 104,
                                 105,
                                 160,
                                 161,
                                 216,
                                 217,
                                 271,
                                 272,
                                 273,
                                 1000,
                                 4096,
                                 ring_message_bytes - 1,
                                 ring_message_bytes};
  std::vector<std::byte> data(ring_message_bytes + 512);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  auto length_of = [&](std::uint64_t number) {
    return lengths[(number * 5 + number / std::size(lengths)) % std::size(lengths)];
  };
  auto begin_of = [&](std::uint64_t number) { return data.data() + number % 512; };
  std::uint64_t next_out = 0, next_in = 0;
  std::set<std::size_t> lengths_seen;
  auto send = [&] {
    const std::size_t bytes = length_of(next_out), first = bytes / 3;
    const std::byte* begin = begin_of(next_out);
    Status status = sender.try_send(PeId(1), 0, 0, {{begin, first}, {begin + first, bytes - first}});
    next_out += status == Status::ok ? 1 : 0;
    return status == Status::ok;
  };
  for (std::uint64_t lap = 0; lap < 400; ++lap) {
    while (send()) {}
    for (std::uint64_t left = lap % 37; next_in + left < next_out; ++next_in) {
      const auto message = receiver.receive();
      ASSERT_TRUE(message);
      Endpoint::Received::Room room;
      const auto payload = message->row(room);
      ASSERT_EQ(payload.size(), length_of(next_in));
      lengths_seen.insert(payload.size());
      ASSERT_TRUE(std::equal(payload.begin(), payload.end(), begin_of(next_in))) << next_in;
      // Any part of it that begins in its first slot.
      const std::size_t begin = std::min<std::size_t>(next_in % (slot_bytes + 1), payload.size());
      std::vector<std::byte> part((payload.size() - begin) * (next_in % 3) / 2);
      message->copy_out(part.data(), begin, part.size());
      ASSERT_TRUE(std::equal(part.begin(), part.end(), begin_of(next_in) + begin)) << next_in;
      receiver.release_message();
    }
  }
  EXPECT_GT(next_out, 10 * ring_slots);
  EXPECT_EQ(lengths_seen.size(), std::size(lengths));
}

// Messages of several slots leave room for as many others as there would be if each had one, nearly; and one that comes
// when others fill the ring need not wait until as many slots are free at once.
TEST(MessageRingTest, MessagesOfSeveralSlotsAreNotLeftOut) {
  auto job = Job::create_loop({.npes = 2, .segment_bytes = 4 * MiB_});
  Endpoint sender(job, PeId(0)), receiver(job, PeId(1));
  std::array<std::uint64_t, slots_bytes / 8> words{};
  auto send = [&](std::size_t bytes) {
    return sender.try_send(PeId(1), 0, 0, {std::as_bytes(std::span(words)).first(bytes)}) == Status::ok;
  };
  std::uint64_t next = 0;
  auto take_all = [&] {
    Endpoint::Received::Room room;
    std::uint64_t taken = 0;
    for (std::optional<Endpoint::Received> message; (message = receiver.receive()); ++taken) {
      std::array<std::uint64_t, slots_bytes / 8> got{};
      const auto payload = message->row(room);
      std::memcpy(got.data(), payload.data(), payload.size());
      for (std::size_t word = 0; word < payload.size() / 8; ++word) EXPECT_EQ(got[word], next) << "word " << word;
      ++next;
      receiver.release_message();
    }
    return taken;
  };
  for (int lap = 0; lap < 3; ++lap) {
    std::uint64_t sent = 0;
    for (words.fill(next); send(slots_bytes); words.fill(next + sent)) ++sent;
    EXPECT_GE(sent, ring_slots - slots_shared + slots_shared / most_slots);
    EXPECT_EQ(take_all(), sent);
    for (sent = 0, words.fill(next); send(8); words.fill(next + sent)) ++sent;
    receiver.release_message();
    ++next;
    EXPECT_TRUE(send(slots_bytes)) << "one slot is free";
    EXPECT_FALSE(send(8));
    EXPECT_EQ(take_all(), sent);
  }
}

TEST(MessageRingTest, ManySendersOneReceiverLoseNothing) {
  constexpr std::uint32_t senders = 7;
  constexpr std::uint64_t each = 5000;
  auto job = Job::create_loop({.npes = senders + 1, .segment_bytes = 4 * MiB_});
  // In one slot, in several, in lines.
  auto words_of = [](std::uint32_t pe, std::uint64_t number) {
    std::vector<std::uint64_t> words(1 + (number * 7 + pe) % 40);
    for (std::uint64_t word = 0; word < words.size(); ++word) words[word] = number * 1'000'003 + pe * 77 + word;
    return words;
  };
  std::vector<std::thread> threads;
  for (std::uint32_t pe = 1; pe <= senders; ++pe)
    threads.emplace_back([&, pe] {
      Endpoint endpoint(job, PeId(pe));
      for (std::uint64_t i = 0; i < each; ++i) {
        const auto words = words_of(pe, i);
        while (endpoint.try_send(PeId(0), 0, 0, {std::as_bytes(std::span(words))}) != Status::ok) sched_yield();
      }
    });
  Endpoint receiver(job, PeId(0));
  std::vector<std::uint64_t> next(senders + 1, 0);
  for (std::uint64_t got = 0; got < senders * each;) {
    const auto slot = receiver.receive();
    if (!slot) {
      sched_yield();
      continue;
    }
    Endpoint::Received::Room room;
    const auto payload = slot->row(room);
    const auto words = words_of(slot->source, next[slot->source]++);
    EXPECT_TRUE(payload.size() == words.size() * 8 && std::memcmp(payload.data(), words.data(), payload.size()) == 0)
        << "of PE " << slot->source << ", " << payload.size() << " bytes";
    receiver.release_message();
    ++got;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(receiver.message_waiting());
}

TEST(JobTest, SharedMemoryHasNoNameAndIsPrivate) {
  auto job = Job::create_shm({.npes = 3, .segment_bytes = 4 * MiB_});
  struct stat info{};
  ASSERT_EQ(::fstat(job->descriptor(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(info.st_nlink, 0u);
  EXPECT_NE(::fcntl(job->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  auto again = Job::join_shm(job->join_name());
  again->segment(PeId(2))[100] = std::byte{77};
  EXPECT_EQ(job->segment(PeId(2))[100], std::byte{77});
  // Sparse: nothing but what was touched is there.
  ASSERT_EQ(::fstat(job->descriptor(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 2 * 1024 * 1024);
}

TEST(JobTest, TheFirstFailureIsTheOneThatIsNamed) {
  auto job = Job::create_loop({.npes = 3, .segment_bytes = 4 * MiB_});
  EXPECT_EQ(job->failure(), "");
  EXPECT_NO_THROW(job->check());
  job->mark_failed(PeId(2), 9, "was killed by signal 9 (Killed)");
  job->mark_failed(PeId(1), 6, std::string(1000, 'x'));
  EXPECT_EQ(job->failure(), "PE 2 was killed by signal 9 (Killed)");
  EXPECT_THROW(job->check(), PeFailedError);
}

TEST(JobTest, SegmentsAreAlignedAlikeInEveryMapping) {
  for (std::uint64_t bytes : {4 * MiB_, 100 * MiB_, 3000 * MiB_}) {
    auto threads = Job::create_loop({.npes = 3, .segment_bytes = bytes});
    auto processes = Job::create_shm({.npes = 3, .segment_bytes = bytes});
    auto again = Job::join_shm(processes->join_name());
    for (const auto& job : {threads, processes, again}) {
      EXPECT_GE(job->segment_bytes(), bytes);
      std::uint64_t alignment = segment_alignment(job->segment_bytes());
      EXPECT_GE(alignment, std::max<std::uint64_t>(bytes / 16, huge_page));
      for (std::uint32_t pe = 0; pe < 3; ++pe)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(job->segment(PeId(pe))) % alignment, 0u) << bytes << " PE " << pe;
    }
  }
}

TEST(JobTest, ImpossibleJobsAreRefused) {
  EXPECT_THROW(Job::create_loop({.npes = 0}), ValueError);
  EXPECT_THROW(Job::create_shm({.npes = 100'000}), ValueError);
  EXPECT_THROW(Job::create_loop({.npes = 2, .segment_bytes = std::uint64_t{1} << 60}), ValueError);
  EXPECT_THROW(Job::join_shm("/proc/self/fd/0"), SetupError);
}

}  // namespace
}  // namespace atl::fabric
