// SPDX-License-Identifier: Apache-2.0
#include "dynamic/meeting.hpp"

#include <algorithm>
#include <cstring>

#include "comm/create.hpp"
#include "core/failure.hpp"

namespace atl::mpi {
namespace {

// | offset | bytes | field   | valid when                  |
// |--------|-------|---------|-----------------------------|
// |   0    |  16   | meeting | code is MPI_SUCCESS         |
// |  16    |   4   | code    | always                      |
// |  20    |  492  | text    | otherwise; zero-terminated  |
struct Answer {
  std::uint64_t bits;
  std::uint32_t leader;
  std::int32_t processes;
  std::int32_t code;
  char text[492];
};
static_assert(sizeof(Answer) == 512);

}  // namespace

std::uint64_t new_bits() { return message_bits(new_number(), Talk::creation, 0); }

Meeting meet(Comm& comm, int root, const std::function<Meeting()>& prepare) {
  ATOLL_MPI_REQUIRE(root >= 0 && root < comm.size(), MPI_ERR_ROOT, "the root is rank {} of {}", root, comm.size());
  comm.check_usable();
  Answer answer{};
  if (comm.rank() == root) {
    try {
      Meeting meeting = prepare();
      answer.bits = meeting.bits;
      answer.leader = meeting.leader.value();
      answer.processes = meeting.processes;
    } catch (...) {
      Failure failure = current_failure();
      answer.code = failure.code;
      std::memcpy(answer.text, failure.text.data(), std::min(failure.text.size(), sizeof(answer.text) - 1));
    }
  }
  run(broadcast_bytes(comm.circle(), &answer, sizeof(answer), root));
  if (answer.code != MPI_SUCCESS) fail_with(answer.code, answer.text);
  return {PeId(answer.leader), answer.bits, answer.processes};
}

Ref<Comm> make_inter_after(const Meeting& meeting, Comm& comm, int root) {
  auto made = make_inter(comm.circle(), root, meeting.leader, meeting.bits, comm.local());
  *made->errors() = *comm.errors();
  return made;
}

}  // namespace atl::mpi
