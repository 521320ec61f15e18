// SPDX-License-Identifier: Apache-2.0
// What ATOLL_NETWORK_SECURITY costs the processor: time of both ends, in the program and in the kernel, for each byte
// that is written over TCP. Two endpoints in one thread over the loopback interface, all choices in turns, so that the
// ratios hold on a busy machine too. Beside them the tags alone, made once at each end.
//
//     bench_protection [--trials K] [--megabytes M]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/protection.hpp"
#include "atoll/base/validate.hpp"
#include "device.hpp"
#include "processor_time.hpp"

namespace {

using namespace atl;
using namespace atl::fabric::ofi;

constexpr std::size_t segment_bytes = std::size_t{16} << 20;
constexpr std::array choices = {Protection::none, Protection::auth, Protection::encrypt};

Info loopback(Protection protection) {
  config::set(config::Variable::network_security, std::string(name_of(protection)));
  for (Info& one : find_provider())
    if (interface_name(*one) == "lo") return std::move(one);
  throw SetupError("no provider of TCP is on the loopback interface");
}

// An endpoint of a PE and the memory that the other one writes.
struct End {
  End(std::uint32_t pe, Protection protection)
      : segment(segment_bytes),
        device(loopback(protection), tcp::Identity{.pe = pe, .protection = protection}, segment.data(), segment_bytes,
               2) {
    device.replenish();
  }
  void look() {
    for (const Completion& one : device.completions()) {
      ATOLL_VALIDATE((one.flags & (operation_failed | peer_failed)) == 0, Error, "a transfer fails");
      if ((one.flags & FI_REMOTE_WRITE) != 0) continue;
      Operation& operation = *static_cast<Operation*>(one.op_context);
      if (operation.pending != nullptr) --operation.pending->left;
      device.give_back_transfer(operation);
    }
  }
  std::vector<std::byte> segment;
  Device device;
};

class Pair {
 public:
  explicit Pair(Protection protection) : zero_(0, protection), one_(1, protection), from_(segment_bytes, std::byte{7}) {
    const Card card = one_.device.card();
    (void)one_.device.add_peer(zero_.device.card());
    there_ = {
        .address = zero_.device.add_peer(card), .reachable = true, .base = card.segment_base, .key = card.segment_key};
  }
  // Nanoseconds of the processor for each byte.
  double write(std::size_t bytes, std::size_t total) {
    const double begin = processor_seconds();
    for (std::size_t at = 0; at < total; at += bytes) {
      Operation& operation = zero_.device.take_transfer();
      Pending pending;
      pending.left = 1;
      operation.pending = &pending;
      const std::size_t offset = at % segment_bytes;
      while (int status = zero_.device.write(from_.data() + offset, bytes, there_, offset, Device::Until::delivered,
                                             operation)) {
        ATOLL_VALIDATE(status == -FI_EAGAIN, Error, "a write is refused");
        look();
      }
      while (pending.left != 0) look();
    }
    return (processor_seconds() - begin) * 1e9 / static_cast<double>(total);
  }

 private:
  void look() {
    zero_.look();
    one_.look();
  }
  End zero_, one_;
  std::vector<std::byte> from_;
  RemoteMemory there_;
};

// Of both ends, for each byte.
double tag_time(Seal::Tag kind, std::size_t record_bytes) {
  std::vector<std::byte> record(record_bytes);
  Seal seal({}, Protection::auth);
  std::byte tag[Seal::tag_bytes];
  const std::size_t rounds = (std::size_t{4} << 20) / record_bytes;
  const double begin = processor_seconds();
  for (std::size_t i = 0; i < rounds; ++i) seal.close(record.data(), record.size(), tag, kind);
  return 2 * (processor_seconds() - begin) * 1e9 / static_cast<double>(rounds * record_bytes);
}

std::size_t argument(int argc, char** argv, const char* name, std::size_t usual) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  return usual;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t trials = argument(argc, argv, "--trials", 7), total = argument(argc, argv, "--megabytes", 64) << 20;
  std::vector<std::unique_ptr<Pair>> pairs;
  for (Protection choice : choices) pairs.push_back(std::make_unique<Pair>(choice));
  for (std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20, segment_bytes}) {
    std::array<double, choices.size()> best;
    best.fill(1e9);
    for (std::size_t trial = 0; trial <= trials; ++trial)
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const double time = pairs[i]->write(bytes, std::max(total, bytes));
        if (trial != 0) best[i] = std::min(best[i], time);
      }
    for (std::size_t i = 0; i < choices.size(); ++i)
      fmt::print("write {:>8} B  {:8} {:.3f} ns/B  {:.2f} of none's bandwidth\n", bytes, name_of(choices[i]), best[i],
                 best[0] / best[i]);
  }
  for (std::size_t bytes : {std::size_t{16} << 10, std::size_t{64} << 10})
    for (Seal::Tag kind : {Seal::Tag::gmac, Seal::Tag::poly1305}) {
      double best = 1e9;
      for (std::size_t trial = 0; trial < trials; ++trial) best = std::min(best, tag_time(kind, bytes));
      fmt::print("tags  {:>8} B  {:8} {:.3f} ns/B\n", bytes, kind == Seal::Tag::gmac ? "gmac" : "poly1305", best);
    }
  return 0;
}
