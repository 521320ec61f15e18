// SPDX-License-Identifier: Apache-2.0
#include "vis.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/runtime/one_sided.hpp"
#include "event.hpp"
#include "library.hpp"
#include "message.hpp"

namespace atl::gasnet {
namespace {

struct Piece {
  std::byte* at = nullptr;
  std::size_t bytes = 0;
};

// Iterators over the pieces of each form; they return none after the last piece.
class VectorPieces {
 public:
  VectorPieces(std::size_t count, const gex_Memvec_t* list) : count_(count), list_(list) {}
  std::optional<Piece> next() {
    if (at_ == count_) return std::nullopt;
    const gex_Memvec_t& piece = list_[at_++];
    return Piece{static_cast<std::byte*>(piece.gex_addr), piece.gex_len};
  }

 private:
  std::size_t count_, at_ = 0;
  const gex_Memvec_t* list_;
};

class IndexedPieces {
 public:
  IndexedPieces(std::size_t count, void* const* list, std::size_t bytes) : count_(count), list_(list), bytes_(bytes) {}
  std::optional<Piece> next() {
    if (at_ == count_) return std::nullopt;
    return Piece{static_cast<std::byte*>(list_[at_++]), bytes_};
  }

 private:
  std::size_t count_, at_ = 0;
  void* const* list_;
  std::size_t bytes_;
};

class StridedPieces {
 public:
  StridedPieces(void* begin, const std::ptrdiff_t* strides, std::size_t element, const std::size_t* count,
                std::size_t levels)
      : at_(static_cast<std::byte*>(begin)), strides_(strides), element_(element), count_(count), index_(levels) {
    // Levels that are contiguous with the elements below them are one piece.
    while (first_ < levels && strides[first_] == static_cast<std::ptrdiff_t>(element_)) element_ *= count[first_++];
    for (std::size_t level = 0; level < levels; ++level) over_ |= count[level] == 0;
  }
  std::optional<Piece> next() {
    if (over_ || element_ == 0) return std::nullopt;
    const Piece piece{at_, element_};
    over_ = true;
    for (std::size_t level = first_; level < index_.size(); ++level) {
      at_ += strides_[level];
      if (++index_[level] != count_[level]) {
        over_ = false;
        break;
      }
      at_ -= strides_[level] * static_cast<std::ptrdiff_t>(count_[level]);
      index_[level] = 0;
    }
    return piece;
  }

 private:
  std::byte* at_;
  const std::ptrdiff_t* strides_;
  std::size_t element_;
  const std::size_t* count_;
  std::vector<std::size_t> index_;
  std::size_t first_ = 0;  // level of the first non-contiguous stride
  bool over_ = false;
};

// The handler that runs at the target of this thread's next put.
struct Completion {
  gex_AM_Index_t handler = 0;  // 0: none
  const void* data = nullptr;
  std::size_t bytes = 0;
};
thread_local Completion completion;

enum class Direction { put, get };

template <class Remote, class Local>
Started transfer(Call call, gex_TM_t tm, gex_Rank_t rank, Direction direction, Remote remote, Local local) {
  Library& here = library(call);
  if (here.is_handling()) fail(call, "a handler may not put or get. Reply with the data?");
  runtime::OneSided& one_sided = here.one_sided();
  const PeId pe = here.pe_of(call, tm, rank);
  const bool mapped = one_sided.endpoint().maps(pe);
  const char* argument = direction == Direction::put ? "dst" : "src";
  Started started;
  Piece there, own;
  for (;;) {
    while (there.bytes == 0) {
      auto next = remote.next();
      if (!next) break;
      there = *next;
    }
    while (own.bytes == 0) {
      auto next = local.next();
      if (!next) break;
      own = *next;
    }
    const std::size_t bytes = std::min(there.bytes, own.bytes);
    if (bytes == 0) break;
    const HeapOffset at = here.locate(call, argument, pe, there.at, bytes);
    if (mapped) {
      std::byte* memory = one_sided.peer_pointer(pe, at, bytes);
      if (direction == Direction::put) std::memcpy(memory, own.at, bytes);
      else std::memcpy(own.at, memory, bytes);
    } else {
      started.is_far = true;
      if (direction == Direction::put) one_sided.put_nbi(pe, at, own.at, bytes);
      else one_sided.get_nbi(own.at, pe, at, bytes);
    }
    there = {there.at + bytes, there.bytes - bytes};
    own = {own.at + bytes, own.bytes - bytes};
  }
  if (there.bytes != 0 || own.bytes != 0)
    fail(call, "both sides differ in size. Pass lists of the same number of bytes?");
  if (direction == Direction::put) {
    if (mapped) one_sided.notify(pe);
    if (completion.handler != 0) {
      if (started.is_far) one_sided.quiet_far();
      const Completion due = std::exchange(completion, {});
      send_completion(call, pe, due.handler, due.data, due.bytes);
    }
  }
  return started;
}

}  // namespace

gex_Event_t event(Started started) { return started.is_far ? far_event() : GEX_EVENT_INVALID; }

int implicit(Started started) {
  if (started.is_far) note_far_implicit();
  return GASNET_OK;
}

int blocking(Started started) {
  if (started.is_far) library({"gex_VIS"}).one_sided().quiet_far();
  return GASNET_OK;
}

Started put_vector(Call call, gex_TM_t tm, gex_Rank_t rank, std::size_t to_count, const gex_Memvec_t* to,
                   std::size_t from_count, const gex_Memvec_t* from) {
  return transfer(call, tm, rank, Direction::put, VectorPieces(to_count, to), VectorPieces(from_count, from));
}
Started get_vector(Call call, gex_TM_t tm, std::size_t to_count, const gex_Memvec_t* to, gex_Rank_t rank,
                   std::size_t from_count, const gex_Memvec_t* from) {
  return transfer(call, tm, rank, Direction::get, VectorPieces(from_count, from), VectorPieces(to_count, to));
}
Started put_indexed(Call call, gex_TM_t tm, gex_Rank_t rank, std::size_t to_count, void* const* to,
                    std::size_t to_bytes, std::size_t from_count, void* const* from, std::size_t from_bytes) {
  return transfer(call, tm, rank, Direction::put, IndexedPieces(to_count, to, to_bytes),
                  IndexedPieces(from_count, from, from_bytes));
}
Started get_indexed(Call call, gex_TM_t tm, std::size_t to_count, void* const* to, std::size_t to_bytes,
                    gex_Rank_t rank, std::size_t from_count, void* const* from, std::size_t from_bytes) {
  return transfer(call, tm, rank, Direction::get, IndexedPieces(from_count, from, from_bytes),
                  IndexedPieces(to_count, to, to_bytes));
}
Started put_strided(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const std::ptrdiff_t* to_strides, void* from,
                    const std::ptrdiff_t* from_strides, std::size_t element, const std::size_t* count,
                    std::size_t levels) {
  return transfer(call, tm, rank, Direction::put, StridedPieces(to, to_strides, element, count, levels),
                  StridedPieces(from, from_strides, element, count, levels));
}
Started get_strided(Call call, gex_TM_t tm, void* to, const std::ptrdiff_t* to_strides, gex_Rank_t rank, void* from,
                    const std::ptrdiff_t* from_strides, std::size_t element, const std::size_t* count,
                    std::size_t levels) {
  return transfer(call, tm, rank, Direction::get, StridedPieces(from, from_strides, element, count, levels),
                  StridedPieces(to, to_strides, element, count, levels));
}

void set_completion(Call call, gex_AM_Index_t handler, const void* data, std::size_t bytes) {
  (void)library(call);
  if (bytes > GEX_VIS_MAX_PEERCOMPLETION)
    fail(call, "argument 'nbytes': {} bytes are too many (at most {}). Send a message instead?", bytes,
         GEX_VIS_MAX_PEERCOMPLETION);
  completion = {handler, data, bytes};
}

}  // namespace atl::gasnet
