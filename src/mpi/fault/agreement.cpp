// SPDX-License-Identifier: Apache-2.0
#include "fault/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "atoll/fabric/job.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "comm/live.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

// | offset | bytes | field  | valid when                                        |
// |--------|-------|--------|---------------------------------------------------|
// |   0    |   8   | comm   | always: number of the communicator                |
// |   8    |   8   | number | always: number of the agreement on it             |
// |  16    |   8   | what   | always                                            |
// |  24    |       |        | said: the sender's value; decided: all values     |
// gone: the sender has freed the communicator and has no value.
struct Header {
  enum What : std::uint64_t { said, ask, decided, gone };
  std::uint64_t comm;
  std::uint64_t number;
  What what;
};
static_assert(sizeof(Header) == 24);

using Bytes = std::vector<std::byte>;

// State of one agreement, from its first message until its decision can no longer be requested.
struct Round {
  std::map<std::uint32_t, Bytes> heard;  // values by PE, on the coordinator
  std::optional<Bytes> decision;
  std::vector<PeId> askers;  // PEs that asked before this rank began the agreement
  std::set<std::uint32_t> gone;  // PEs that have freed the communicator
  bool here = false;         // this rank has begun it
  Bytes mine;
};

// Decisions that may still be requested. A requester is at most one agreement behind: no member begins the agreement
// after next before all members have taken part in the next one or have failed.
constexpr std::size_t most_kept = 4;

struct Service {
  std::mutex mutex;
  runtime::HandlerId handler{};
  std::map<std::uint64_t, std::map<std::uint64_t, Round>> rounds;  // communicator, number
};
Service& service() {
  static auto& one = *new Service;
  return one;
}

void tell(PeId pe, std::uint64_t comm, std::uint64_t number, Header::What what, const Bytes& data) {
  if (library().job().has_died(pe)) return;
  Header header{comm, number, what};
  library().messenger().send(pe, service().handler, std::as_bytes(std::span(&header, 1)), data);
}

void hear(runtime::Context&, PeId source, std::span<const std::byte> payload) {
  Header header;
  std::memcpy(&header, payload.data(), sizeof(header));
  Bytes data(payload.begin() + sizeof(header), payload.end());
  Bytes answer;
  Header::What what = Header::decided;
  {
    const bool given_up = was_given_up(header.comm);
    std::lock_guard lock(service().mutex);
    Round& round = service().rounds[header.comm][header.number];
    switch (header.what) {
      case Header::gone: round.gone.insert(source.value()); return;
      case Header::decided:
        if (!round.decision) round.decision = std::move(data);
        return;
      case Header::said:
        if (round.decision) {
          answer = *round.decision;
        } else if (given_up && !round.here) {
          what = Header::gone;
        } else {
          round.heard[source.value()] = std::move(data);
          return;
        }
        break;
      case Header::ask:
        if (round.decision) {
          answer = *round.decision;
        } else if (round.here) {
          answer = round.mine;
          what = Header::said;
        } else if (given_up) {
          what = Header::gone;
        } else {
          round.askers.push_back(source);
          return;
        }
        break;
    }
  }
  tell(source, header.comm, header.number, what, answer);
}

[[maybe_unused]] const bool added =
    (add_service([] { service().handler = library().messenger().register_handler(hear); }), true);

void append(Bytes& to, const void* from, std::size_t bytes) {
  auto* data = static_cast<const std::byte*>(from);
  to.insert(to.end(), data, data + bytes);
}

// Serialises the values: index of the member, length, bytes, for each.
Bytes packed(const std::vector<PeId>& members, const std::map<std::uint32_t, Bytes>& heard) {
  Bytes all;
  for (std::size_t place = 0; place < members.size(); ++place) {
    auto found = heard.find(members[place].value());
    if (found == heard.end()) continue;
    std::uint64_t words[2] = {place, found->second.size()};
    append(all, words, sizeof(words));
    append(all, found->second.data(), found->second.size());
  }
  return all;
}

// Whether a member will not take part; this rank itself always does.
bool is_out(PeId pe, const std::set<std::uint32_t>& gone) {
  return library().job().has_died(pe) || gone.contains(pe.value());
}

}  // namespace

Agreement::Agreement(Comm& comm, std::vector<std::byte> mine)
    : key_{comm.number(), comm.next_agreement()}, members_(comm.everybody()), mine_(std::move(mine)) {
  Bytes answer;
  std::vector<PeId> askers;
  {
    std::lock_guard lock(service().mutex);
    auto& of_comm = service().rounds[key_.comm];
    while (!of_comm.empty() && of_comm.begin()->first + most_kept < key_.number) of_comm.erase(of_comm.begin());
    Round& round = of_comm[key_.number];
    round.here = true;
    round.mine = mine_;
    round.heard[library().pe().value()] = mine_;
    askers = std::move(round.askers);
  }
  for (PeId pe : askers) tell(pe, key_.comm, key_.number, Header::said, mine_);
}

bool Agreement::ready() {
  std::set<std::uint32_t> gone;
  {
    std::lock_guard lock(service().mutex);
    gone = service().rounds[key_.comm][key_.number].gone;
  }
  const PeId self = library().pe();
  const PeId collector = *std::find_if(members_.begin(), members_.end(), [&](PeId pe) { return !is_out(pe, gone); });
  // A decision that the previous coordinator sent before it failed counts.
  if (told_ && *told_ != collector && library().one_sided().endpoint().message_waiting()) {
    library().progress().progress();
    return false;
  }
  Bytes decision;
  bool decided = false, mine_to_tell = false;
  {
    std::lock_guard lock(service().mutex);
    Round& round = service().rounds[key_.comm][key_.number];
    if (!round.decision && collector == self && (asked_ || collector == members_.front())) {
      auto known = [&](PeId pe) { return round.heard.contains(pe.value()) || is_out(pe, round.gone); };
      mine_to_tell = std::all_of(members_.begin(), members_.end(), known);
      if (mine_to_tell) round.decision = packed(members_, round.heard);
    }
    decided = round.decision.has_value();
    if (mine_to_tell) decision = *round.decision;
  }
  if (mine_to_tell)
    for (PeId pe : members_)
      if (pe != self) tell(pe, key_.comm, key_.number, Header::decided, decision);
  if (decided) return true;
  if (std::exchange(told_, collector) == collector) return false;
  if (collector != self) {
    tell(collector, key_.comm, key_.number, Header::said, mine_);
  } else if (const bool takes_over = self != members_.front(); takes_over || library().job().has_failed()) {
    // The members' values went to a failed coordinator: all are asked again, also those that know its decision. Members
    // that have freed the communicator after the failure report that.
    if (takes_over) {
      std::lock_guard lock(service().mutex);
      auto& heard = service().rounds[key_.comm][key_.number].heard;
      heard.clear();
      heard[self.value()] = mine_;
    }
    asked_ = true;
    for (PeId pe : members_)
      if (pe != self) tell(pe, key_.comm, key_.number, Header::ask, {});
  }
  return false;
}

Opinions Agreement::take() {
  Bytes all;
  {
    std::lock_guard lock(service().mutex);
    all = *service().rounds[key_.comm][key_.number].decision;
  }
  Opinions opinions(members_.size());
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t words[2];
    std::memcpy(words, all.data() + at, sizeof(words));
    at += sizeof(words);
    auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
    opinions[words[0]] = Bytes(begin, begin + static_cast<std::ptrdiff_t>(words[1]));
    at += words[1];
  }
  return opinions;
}

}  // namespace atl::mpi
