// SPDX-License-Identifier: Apache-2.0
#include "check/call_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/library.hpp"
#include "op/operation.hpp"
#include "type/type.hpp"

namespace atl::mpi::check {
namespace {

template <std::size_t size>
void put(char (&to)[size], std::string_view text) {
  std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

std::uint32_t number_of_op(MPI_Op op) {
  if (op == MPI_OP_NULL) return 0;
  auto value = reinterpret_cast<std::uintptr_t>(op);
  return value < detail::first_address ? static_cast<std::uint32_t>(value) : 1;
}

std::string name_of_op(std::uint32_t number) {
  if (number == 0) return "no operation";
  if (number == 1) return "an operation of the program's";
  auto* found = find<Operation>(reinterpret_cast<MPI_Op>(static_cast<std::uintptr_t>(number)));
  return found == nullptr ? "no operation" : fmt::format("operation {:#x}", number);
}

constexpr std::int64_t unsaid = -1;

}  // namespace

CallRecord::CallRecord(Comm& comm, const char* function, int root, MPI_Op op) : comm_(comm) {
  for (int rank = 0; rank < (comm.is_inter() ? comm.peers().size() : comm.size()); ++rank) {
    if (!comm.is_inter() && rank == comm.rank()) continue;
    pes_.push_back(comm.pe_of(rank));
    ranks_.push_back(rank);
  }
  Said said{};
  put(said.function, function);
  said.root = comm.is_inter() ? no_root : root;  // the sides of an inter-communicator pass different roots
  said.op = number_of_op(op);
  said.gives.bytes = said.takes.bytes = unsaid;
  mine_.assign(std::max<std::size_t>(pes_.size(), 1), said);
  theirs_.resize(pes_.size());
}

CallRecord::Share CallRecord::share_of(MPI_Count count, MPI_Datatype handle) {
  Share share{count, unsaid, 0, {}};
  auto* object = find<TypeObject>(handle);
  if (object == nullptr || count < 0) return share;  // the MPI call reports it
  const datatype::Type& type = *object->type();
  share.bytes = count * type.size();
  share.signature = count == 0 ? 0 : type.signature().repeated(count).hash;
  std::string* name = object->name();
  if (type.element() != nullptr) put(share.type, type.element()->name);
  else if (name != nullptr && !name->empty()) put(share.type, *name);
  else put(share.type, fmt::format("a type of {} bytes", type.size()));
  return share;
}

std::string CallRecord::text_of(const Share& share) {
  return fmt::format("{} x {} ({} bytes)", share.count, share.type, share.bytes);
}

void CallRecord::gives(int rank, MPI_Count count, MPI_Datatype type) {
  auto found = std::ranges::find(ranks_, rank);
  if (found != ranks_.end()) mine_[static_cast<std::size_t>(found - ranks_.begin())].gives = share_of(count, type);
}
void CallRecord::takes(int rank, MPI_Count count, MPI_Datatype type) {
  auto found = std::ranges::find(ranks_, rank);
  if (found != ranks_.end()) mine_[static_cast<std::size_t>(found - ranks_.begin())].takes = share_of(count, type);
}

void CallRecord::call() {
  const std::uint64_t bits = comm_->next_bits();
  runtime::Matcher& matcher = library().matcher();
  for (std::size_t i = 0; i < pes_.size(); ++i) {
    awaited_.push_back(
        matcher.receive({.source = pes_[i], .tag = bits}, std::as_writable_bytes(std::span(&theirs_[i], 1))));
    sent_.push_back(matcher.send(pes_[i], bits, std::as_bytes(std::span(&mine_[i], 1))));
  }
}

bool CallRecord::ready() {
  bool all = true;
  for (auto* requests : {&sent_, &awaited_})
    for (runtime::Request& request : *requests)
      if (!request.empty() && !library().matcher().test(request)) all = false;
  return all;
}

std::vector<PeId> CallRecord::missing() const {
  std::vector<PeId> pes;
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (!awaited_[i].empty()) pes.push_back(pes_[i]);
  return pes;
}

std::string CallRecord::name_of(std::size_t index) const {
  return fmt::format("rank {}{}", ranks_[index], comm_->is_inter() ? " of the other group" : "");
}

void CallRecord::judge() const {
  const int me = comm_->rank();
  for (std::size_t i = 0; i < pes_.size(); ++i) {
    const Said &mine = mine_[i], &theirs = theirs_[i];
    if (theirs.function[0] == '\0') continue;  // the member has failed
    ATOLL_MPI_REQUIRE(std::strcmp(mine.function, theirs.function) == 0, MPI_ERR_OTHER,
                      "check: rank {} has called {}, {} {}, as their next collective on one communicator", me,
                      mine.function, name_of(i), theirs.function);
    ATOLL_MPI_REQUIRE(mine.root == theirs.root, MPI_ERR_ROOT, "check: {}: the root is {} on rank {}, {} on {}",
                      mine.function, mine.root, me, theirs.root, name_of(i));
    ATOLL_MPI_REQUIRE(mine.op == theirs.op, MPI_ERR_OP, "check: {}: {} on rank {}, {} on {}", mine.function,
                      name_of_op(mine.op), me, name_of_op(theirs.op), name_of(i));
    if (mine.takes.bytes == unsaid || theirs.gives.bytes == unsaid) continue;
    ATOLL_MPI_REQUIRE(mine.takes.bytes == theirs.gives.bytes, MPI_ERR_COUNT,
                      "check: {}: {} gives {}, and rank {} takes {}", mine.function, name_of(i), text_of(theirs.gives),
                      me, text_of(mine.takes));
    ATOLL_MPI_REQUIRE(mine.takes.signature == theirs.gives.signature, MPI_ERR_TYPE,
                      "check: {}: {} gives {}, and rank {} takes {}", mine.function, name_of(i), text_of(theirs.gives),
                      me, text_of(mine.takes));
  }
}

}  // namespace atl::mpi::check
