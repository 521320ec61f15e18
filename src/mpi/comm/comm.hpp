// SPDX-License-Identifier: Apache-2.0
// Communicators.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "atoll/coll/collectives.hpp"
#include "comm/group.hpp"
#include "core/attribute.hpp"
#include "core/handler.hpp"
#include "core/info.hpp"
#include "flow/exchange.hpp"

namespace atl::mpi {

/// What a topology hangs on its communicator; see topology/.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual std::unique_ptr<Shape> copy() const = 0;
};
/// What buffered sends hang on it; see message/.
class Attached {
 public:
  virtual ~Attached() = default;
};

// The 64 bits of matching: | number of the communicator: 33 | what for: 2 | tag: 29 |
inline constexpr int tag_bits = 29;
inline constexpr int highest_tag = (1 << tag_bits) - 1;
inline constexpr std::uint64_t tag_mask = highest_tag;
enum class Talk : std::uint64_t { program = 0, library = 1, creation = 2, partitioned = 3 };

/// Collective calls on one communicator are made by one thread at a time, as the standard says; everything else by any.
class Comm : public Object {
 public:
  using Handle = MPI_Comm;
  static constexpr Kind kind = Kind::comm;
  static constexpr int error_class = MPI_ERR_COMM;
  static constexpr const char* what = "communicator";
  static Handle null_handle() { return MPI_COMM_NULL; }

  /// `remote`: null for an intra-communicator.
  Comm(std::uint64_t number, Ref<Group> local, Ref<Group> remote);

  int rank() const { return rank_; }
  int size() const { return local_->size(); }
  bool is_inter() const { return remote_.get() != nullptr; }
  /// Those to whom ranks of messages refer: the remote group, if there is one.
  const Group& peers() const { return *peers_; }
  const Ref<Group>& local() const { return local_; }
  const Ref<Group>& remote() const { return remote_; }
  PeId pe_of(int rank) const { return peers_->pe(rank); }
  int rank_of(PeId pe) const { return peers_->rank_of(pe); }
  std::uint64_t number() const { return number_; }

  /// The bits of a message with that tag.
  std::uint64_t bits(int tag, Talk talk = Talk::program) const {
    return number_ << (tag_bits + 2) | static_cast<std::uint64_t>(talk) << tag_bits | static_cast<std::uint64_t>(tag);
  }
  /// Bits of the library's own for the next collective call: the same on all members.
  std::uint64_t next_bits() { return next_bits(1); }
  /// The first of so many in a row.
  std::uint64_t next_bits(std::uint32_t count) {
    std::uint32_t first = calls_.load(std::memory_order_relaxed);
    if (first + count > tag_mask) first = 0;
    calls_.store(first + count, std::memory_order_relaxed);
    return bits(static_cast<int>(first), Talk::library);
  }
  /// Members of the local group, for one collective call.
  Circle circle() { return {&local_->pes(), rank_, next_bits()}; }

  /// Of an intra-communicator. Made by the first call, which is collective then.
  coll::Communicator& coll();
  /// Whether that has been: the same on all members.
  bool has_coll() const { return coll_.has_value(); }
  void end_coll() { coll_.reset(); }

  /// A communicator of the library's own with the same members, for windows and files. Collective.
  Ref<Comm> duplicate();

  ErrorSlot* errors() override { return errors_; }
  Attributes* attributes() override { return &attributes_; }
  std::string* name() override { return &name_; }
  std::optional<void*> own_attribute(int keyval) override;
  /// MPI_COMM_SELF's is that of errors that belong to nothing.
  void share_errors(ErrorSlot& slot) { errors_ = &slot; }

  Info::Entries hints;
  std::unique_ptr<Shape> shape;
  std::unique_ptr<Attached> attached;

 private:
  std::uint64_t number_;
  Ref<Group> local_, remote_;
  const Group* peers_;
  int rank_;
  std::atomic<std::uint32_t> calls_{0};
  std::optional<coll::Communicator> coll_;
  ErrorSlot own_errors_;
  ErrorSlot* errors_ = &own_errors_;
  Attributes attributes_;
  std::string name_;
};

/// Failure unless it is an intra-communicator.
Comm& need_intra(MPI_Comm comm);
Comm& need_inter(MPI_Comm comm);

// ---- lengths of arrays (see the table); 0 where they are not looked at
inline std::int64_t members(MPI_Comm comm) { return need<Comm>(comm).peers().size(); }
inline std::int64_t local_members(MPI_Comm comm) { return need<Comm>(comm).size(); }
/// Of an array that only the root gives.
std::int64_t root_members(int root, MPI_Comm comm);

/// A number for a new communicator, of this PE's own.
std::uint64_t new_number();

}  // namespace atl::mpi
