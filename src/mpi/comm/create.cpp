// SPDX-License-Identifier: Apache-2.0
#include "comm/create.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "atoll/runtime/progress.hpp"
#include "comm/retired_communicators.hpp"
#include "comm/split_type.hpp"
#include "core/library.hpp"
#include "core/memory_kinds.hpp"
#include "core/name.hpp"

namespace atl::mpi {
namespace {

// The leaders of the two groups of an inter-communicator exchange values and broadcast them in their groups.
Flow swap_between_leaders(Circle local, PeId remote_leader, bool leading, const void* mine, void* theirs,
                          std::size_t bytes) {
  Exchange exchange;
  if (leading) {
    exchange.send(remote_leader, local.tag, mine, bytes);
    exchange.receive(remote_leader, local.tag, theirs, bytes);
    co_await exchange;
  }
}

bool leads(const Comm& inter) { return inter.local()->pe(0) < inter.remote()->pe(0); }

// All members agree on the number that rank 0 chose; of an inter-communicator, that of the group whose first PE is
// lower.
Flow agree_on_number(Comm& comm, Circle circle, std::uint64_t& number) {
  if (circle.rank == 0) number = new_number();
  if (comm.is_inter()) {
    std::uint64_t theirs = 0;
    co_await swap_between_leaders(circle, comm.remote()->pe(0), circle.rank == 0, &number, &theirs, sizeof(number));
    if (!leads(comm)) number = theirs;
  }
  co_await broadcast_bytes(circle, &number, sizeof(number));
}

// The same among the members of a new group, each of which knows the whole group.
std::uint64_t agree_in(const Group& group, std::uint64_t bits) {
  Circle circle{&group.pes(), group.rank_of(library().pe()), bits};
  std::uint64_t number = circle.rank == 0 ? new_number() : 0;
  run(broadcast_bytes(circle, &number, sizeof(number)));
  return number;
}

// From this size on a communicator gets its coll at the first blocking collective: its memory grows with the size.
constexpr int many_members = 256;

Flow make_coll_of(Comm& made) {
  if (!made.is_inter() && made.size() <= many_members) co_await made.make_coll();
}

// `of`: the parent; null when the communicator is created from a group alone.
Ref<Comm> make_intra(std::uint64_t number, const Ref<Group>& group, Comm* of, std::uint64_t bits, Comm::Heirs heirs) {
  sweep_ways();
  auto made = make<Comm>(number, group, Ref<Group>());
  made->begin_making(of, bits, heirs);
  run(make_coll_of(*made));
  made->end_making();
  return made;
}

// Copies what a new communicator inherits from its parent.
void inherit(Comm& made, Comm& from) {
  *made.errors() = *from.errors();
  made.session_buffer = from.session_buffer;
}

std::vector<std::uint64_t> flat(const Group& group) {
  std::vector<std::uint64_t> values;
  for (PeId pe : group.pes()) values.push_back(pe.value());
  return values;
}
std::vector<PeId> as_pes(const std::vector<std::uint64_t>& values) {
  std::vector<PeId> pes;
  for (std::uint64_t value : values) pes.emplace_back(static_cast<std::uint32_t>(value));
  return pes;
}

// Gives the other side's values to every member of this side. `leader` is the leader's rank in `circle`.
std::vector<std::uint64_t> swap_sides(Circle circle, int leader, PeId remote_leader, std::uint64_t bits,
                                      const std::vector<std::uint64_t>& mine) {
  std::uint64_t mine_count = mine.size(), count = 0;
  Circle across{circle.pes, circle.rank, bits};
  bool leading = circle.rank == leader;
  run(swap_between_leaders(across, remote_leader, leading, &mine_count, &count, sizeof(count)));
  run(broadcast_bytes(circle, &count, sizeof(count), leader));
  std::vector<std::uint64_t> theirs(count);
  if (leading) {
    Exchange exchange;
    exchange.send(remote_leader, bits, mine.data(), mine.size() * sizeof(std::uint64_t));
    exchange.receive(remote_leader, bits, theirs.data(), count * sizeof(std::uint64_t));
    library().progress().wait([&] { return exchange.ready(); });
  }
  run(broadcast_bytes(circle, theirs.data(), count * sizeof(std::uint64_t), leader));
  return theirs;
}

// Match bits for communicators created from a group and a name.
std::uint64_t bits_of_name(const char* name) {
  ATOLL_MPI_REQUIRE(name != nullptr && std::strlen(name) < MPI_MAX_STRINGTAG_LEN, MPI_ERR_ARG,
                    "the string tag is null or too long");
  std::uint64_t hash = 1469598103934665603ull;
  for (const char* at = name; *at != '\0'; ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * 1099511628211ull;
  return static_cast<std::uint64_t>(Talk::creation) << tag_bits | (hash >> 20 & tag_mask);
}

void check_member(const Group& group) {
  ATOLL_MPI_REQUIRE(group.size() == 0 || group.rank_of(library().pe()) != MPI_UNDEFINED, MPI_ERR_GROUP,
                    "this process is not in the group");
}

void finish_from_group(Comm& made, const Group& group, MPI_Info info, MPI_Errhandler errhandler) {
  made.session_buffer = group.session_buffer();
  made.hints = entries_of(info);
  made.errors()->set(need<ErrorHandler>(errhandler));
}

struct Choice {
  std::int64_t color;
  std::int64_t key;
};

std::vector<PeId> chosen(const Group& group, const Choice* choices, std::int64_t color) {
  std::vector<int> ranks;
  for (int rank = 0; rank < group.size(); ++rank)
    if (choices[rank].color == color) ranks.push_back(rank);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](int left, int right) { return choices[left].key < choices[right].key; });
  std::vector<PeId> pes;
  for (int rank : ranks) pes.push_back(group.pe(rank));
  return pes;
}

Ref<Comm> split(Comm& comm, std::int64_t color, int key) {
  std::vector<Choice> choices(static_cast<std::size_t>(comm.size()));
  Choice mine{color, key};
  // All exchanges start at once, so that members that have begun can finish when a member fails.
  const std::uint64_t bits = comm.next_bits(3);
  Circle circle_of_all{&comm.local()->pes(), comm.rank(), bits};
  run(allgather_bytes(circle_of_all, &mine, sizeof(mine), choices.data()));
  std::vector<std::uint64_t> theirs;
  if (comm.is_inter()) {
    std::vector<std::uint64_t> words(choices.size() * 2);
    std::memcpy(words.data(), choices.data(), choices.size() * sizeof(Choice));
    circle_of_all.tag = bits + 1;
    theirs = swap_sides(circle_of_all, 0, comm.remote()->pe(0), circle_of_all.tag, words);
  }
  if (color == MPI_UNDEFINED) return {};
  auto local = make<Group>(chosen(*comm.local(), choices.data(), color));
  if (!comm.is_inter()) return make_intra(agree_in(*local, bits + 2), local, &comm, bits + 2, Comm::Heirs::all);
  std::vector<Choice> remote_choices(theirs.size() / 2);
  std::memcpy(remote_choices.data(), theirs.data(), theirs.size() * sizeof(std::uint64_t));
  auto remote = make<Group>(chosen(*comm.remote(), remote_choices.data(), color));
  if (remote->size() == 0) return {};
  Circle circle{&local->pes(), local->rank_of(library().pe()), bits + 2};
  return make_inter(circle, 0, remote->pe(0), bits + 2, local);
}

void give_or_none(Ref<Comm> made, MPI_Comm* comm) {
  if (made) give(std::move(made), comm);
  else *comm = MPI_COMM_NULL;
}

void dup(Comm& from, Info::Entries hints, MPI_Comm* copy) {
  Ref<Comm> made = from.duplicate();
  made->attributes()->copy_from(from);
  made->hints = std::move(hints);
  give(std::move(made), copy);
}

}  // namespace

Flow duplicate_flow(Comm& comm, Ref<Comm>& copy) {
  std::uint64_t number = 0;
  const Circle circle = comm.circle();
  co_await agree_on_number(comm, circle, number);
  copy = make<Comm>(number, comm.local(), comm.remote());
  inherit(*copy, comm);
  if (comm.shape) copy->shape = comm.shape->copy();
  copy->begin_making(&comm, circle.tag, Comm::Heirs::all);
  co_await make_coll_of(*copy);
  copy->end_making();
}

Ref<Comm> make_inter(Circle circle, int leader, PeId remote_leader, std::uint64_t bits, const Ref<Group>& local) {
  std::vector<std::uint64_t> mine = flat(*local);
  mine.push_back(circle.rank == leader ? new_number() : 0);
  run(broadcast_bytes(circle, &mine.back(), sizeof(std::uint64_t), leader));
  auto theirs = swap_sides(circle, leader, remote_leader, bits, mine);
  std::uint64_t number = local->pe(0) < PeId(static_cast<std::uint32_t>(theirs.front())) ? mine.back() : theirs.back();
  theirs.pop_back();
  for (std::uint64_t pe : theirs)
    ATOLL_MPI_REQUIRE(local->rank_of(PeId(static_cast<std::uint32_t>(pe))) == MPI_UNDEFINED, MPI_ERR_COMM,
                      "the two groups of an inter-communicator have a process in common");
  return make<Comm>(number, local, make<Group>(as_pes(theirs)));
}

MPI_Comm& parent() {
  static MPI_Comm comm = MPI_COMM_NULL;
  return comm;
}

void comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
  Comm& left = need<Comm>(one);
  Comm& right = need<Comm>(other);
  if (&left == &right) {
    *result = MPI_IDENT;
    return;
  }
  if (left.is_inter() != right.is_inter()) {
    *result = MPI_UNEQUAL;
    return;
  }
  auto compare = [](const Group& a, const Group& b) {
    int found;
    group_compare(handle_of(a), handle_of(b), &found);
    return found;
  };
  int found = compare(*left.local(), *right.local());
  if (left.is_inter()) found = std::max(found, compare(*left.remote(), *right.remote()));
  *result = found == MPI_IDENT ? MPI_CONGRUENT : found;
}

void comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  Comm& from = need<Comm>(comm);
  dup(from, from.hints, copy);
}
void comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy) {
  Info::Entries hints = entries_of(info);
  dup(need<Comm>(comm), std::move(hints), copy);
}

void comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  Comm& from = need<Comm>(comm);
  ATOLL_MPI_REQUIRE(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG,
                    "a color of {}: it is at least 0, or MPI_UNDEFINED", color);
  Ref<Comm> made = split(from, color, key);
  if (made) inherit(*made, from);
  give_or_none(std::move(made), part);
}

void comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  Comm& from = need<Comm>(comm);
  Info::Entries hints = entries_of(info);
  const std::int64_t color = color_by_type(from, type, hints);
  Ref<Comm> made = split(from, color, key);
  if (made) {
    inherit(*made, from);
    made->hints = std::move(hints);
  }
  give_or_none(std::move(made), part);
}

void comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  Comm& from = need<Comm>(comm);
  Group& members = need<Group>(group);
  for (PeId pe : members.pes())
    ATOLL_MPI_REQUIRE(from.local()->rank_of(pe) != MPI_UNDEFINED, MPI_ERR_GROUP,
                      "the group has a process that the communicator has not");
  bool mine = members.rank_of(library().pe()) != MPI_UNDEFINED;
  Ref<Comm> result;
  if (from.is_inter()) {
    // Each side sends its own list. Ranks outside the new groups know no list, but leaders may be such ranks.
    std::vector<std::uint64_t> list = flat(members);
    Circle circle = from.circle();
    auto theirs = swap_sides(circle, 0, from.remote()->pe(0), circle.tag, list);
    std::uint64_t bits = from.next_bits();
    if (mine && !theirs.empty()) {
      Circle inside{&members.pes(), members.rank_of(library().pe()), bits};
      result = make_inter(inside, 0, PeId(static_cast<std::uint32_t>(theirs.front())), bits, Ref<Group>(members));
    }
  } else {
    std::uint64_t bits = from.next_bits();
    if (mine) result = make_intra(agree_in(members, bits), Ref<Group>(members), &from, bits, Comm::Heirs::all);
  }
  if (result) inherit(*result, from);
  give_or_none(std::move(result), made);
}

void comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  Comm& from = need_intra(comm);
  Group& members = need<Group>(group);
  ATOLL_MPI_REQUIRE(tag >= 0 && tag <= highest_tag, MPI_ERR_TAG, "a tag of {}: tags are 0 to {}", tag, highest_tag);
  if (members.size() == 0 || members.rank_of(library().pe()) == MPI_UNDEFINED) {
    *made = MPI_COMM_NULL;
    return;
  }
  const std::uint64_t bits = from.bits(tag, Talk::creation);
  auto result = make_intra(agree_in(members, bits), Ref<Group>(members), &from, bits, Comm::Heirs::some);
  inherit(*result, from);
  give(std::move(result), made);
}

void comm_create_from_group(MPI_Group group, const char* name, MPI_Info info, MPI_Errhandler errhandler,
                            MPI_Comm* made) {
  Group& members = need<Group>(group);
  std::uint64_t bits = bits_of_name(name);
  check_member(members);
  if (members.size() == 0) {
    *made = MPI_COMM_NULL;
    return;
  }
  auto result = make_intra(agree_in(members, bits), Ref<Group>(members), nullptr, bits, Comm::Heirs::some);
  finish_from_group(*result, members, info, errhandler);
  give(std::move(result), made);
}

void intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* made) {
  Comm& here = need_intra(local);
  ATOLL_MPI_REQUIRE(leader >= 0 && leader < here.size(), MPI_ERR_RANK, "the local leader is rank {} of {}", leader,
                    here.size());
  PeId across{0};
  std::uint64_t bits = 0;
  if (here.rank() == leader) {
    Comm& bridge = need<Comm>(peer);
    ATOLL_MPI_REQUIRE(remote_leader >= 0 && remote_leader < bridge.peers().size(), MPI_ERR_RANK,
                      "the remote leader is rank {} of {}", remote_leader, bridge.peers().size());
    ATOLL_MPI_REQUIRE(tag >= 0 && tag <= highest_tag, MPI_ERR_TAG, "a tag of {}: tags are 0 to {}", tag, highest_tag);
    across = bridge.pe_of(remote_leader);
    bits = bridge.bits(tag, Talk::creation);
  }
  auto result = make_inter(here.circle(), leader, across, bits, here.local());
  inherit(*result, here);
  give(std::move(result), made);
}

void intercomm_create_from_groups(MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char* name,
                                  MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* made) {
  Group& here = need<Group>(local);
  std::uint64_t bits = bits_of_name(name);
  check_member(here);
  if (here.size() == 0) {
    *made = MPI_COMM_NULL;
    return;
  }
  ATOLL_MPI_REQUIRE(leader >= 0 && leader < here.size(), MPI_ERR_RANK, "the local leader is rank {} of {}", leader,
                    here.size());
  Circle circle{&here.pes(), here.rank_of(library().pe()), bits};
  PeId across{0};
  if (circle.rank == leader) {
    Group& there = need<Group>(remote);
    ATOLL_MPI_REQUIRE(remote_leader >= 0 && remote_leader < there.size(), MPI_ERR_RANK,
                      "the remote leader is rank {} of {}", remote_leader, there.size());
    across = there.pe(remote_leader);
  }
  auto result = make_inter(circle, leader, across, bits, Ref<Group>(here));
  finish_from_group(*result, here, info, errhandler);
  give(std::move(result), made);
}

void intercomm_merge(MPI_Comm inter, int high, MPI_Comm* made) {
  Comm& from = need_inter(inter);
  std::uint64_t theirs = 0, mine = high != 0;
  Circle circle = from.circle();
  run(swap_between_leaders(circle, from.remote()->pe(0), circle.rank == 0, &mine, &theirs, sizeof(mine)));
  std::array<std::uint64_t, 2> both{mine, theirs};
  run(broadcast_bytes(circle, both.data(), sizeof(both)));
  bool first = both[0] == both[1] ? leads(from) : both[0] == 0;
  std::vector<PeId> pes = first ? from.local()->pes() : from.remote()->pes();
  const auto& others = first ? from.remote()->pes() : from.local()->pes();
  pes.insert(pes.end(), others.begin(), others.end());
  std::uint64_t number = 0;
  circle = from.circle();
  run(agree_on_number(from, circle, number));
  auto result = make_intra(number, make<Group>(std::move(pes)), &from, circle.tag, Comm::Heirs::all);
  inherit(*result, from);
  give(std::move(result), made);
}

void comm_free(MPI_Comm* comm) {
  Comm& object = need<Comm>(*comm);
  ATOLL_MPI_REQUIRE(!object.is_predefined(), MPI_ERR_COMM, "a predefined communicator cannot be freed");
  object.attributes()->clear(object);
  object.release();
  sweep_ways();
  if (*comm == parent()) parent() = MPI_COMM_NULL;
  *comm = MPI_COMM_NULL;
}

int comm_disconnect(MPI_Comm* comm) {
  Comm& object = need<Comm>(*comm);
  ATOLL_MPI_REQUIRE(!object.is_predefined(), MPI_ERR_COMM, "a predefined communicator cannot be disconnected");
  int code = MPI_SUCCESS;
  object.await_coll();
  try {
    run(barrier_of(object.circle()));
  } catch (const Failure& failure) {
    // The communicator is freed despite the error, so its error handler runs before that.
    code = object.errors()->get().meet(Call{"MPI_Comm_disconnect"}, failure, &object);
  }
  comm_free(comm);
  return code;
}

void comm_remote_size(MPI_Comm comm, int* size) { *size = need_inter(comm).remote()->size(); }
void comm_remote_group(MPI_Comm comm, MPI_Group* group) { give(Ref<Group>(need_inter(comm).remote()), group); }
void comm_get_name(MPI_Comm comm, char* name, int* length) {
  if (comm == MPI_COMM_NULL) get_name("MPI_COMM_NULL", name, length);
  else get_name(need<Comm>(comm), name, length);
}
void comm_get_info(MPI_Comm comm, MPI_Info* info) {
  const Info::Entries& hints = need<Comm>(comm).hints;
  Info::Entries known = in_use({{"mpi_assert_no_any_tag", "false"},
                                {"mpi_assert_no_any_source", "false"},
                                {"mpi_assert_exact_length", "false"},
                                {"mpi_assert_allow_overtaking", "false"},
                                {"mpi_assert_strict_persistent_collective_ordering", "false"}},
                               hints);
  // The hints by which it was split.
  for (const auto& hint : hints)
    if (hint.first == resource_key || hint.first == set_key) known.push_back(hint);
  add_memory_kinds(known, hints);
  give_info(known, info);
}
void comm_set_info(MPI_Comm comm, MPI_Info info) {
  Comm& object = need<Comm>(comm);
  Info merged(object.hints);
  for (const auto& [key, value] : entries_of(info)) merged.set(key, value);
  object.hints = merged.entries();
}

}  // namespace atl::mpi
