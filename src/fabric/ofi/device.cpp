// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <poll.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/layout.hpp"
#include "station.hpp"

namespace atl::fabric::ofi {
namespace {

constexpr std::size_t most_receives = Posted::most;
constexpr std::size_t most_spares = 16;
// So many receives are posted while long messages of several peers come, for they are filled in turn, and are in the
// cache when they are few: 256 KiB and back took 122 us with 64 of them, 96 with 8, 90 with 4. One is enough for those
// of one peer, which come one after the other: another 10 us less. Twice as many each time that a burst of short ones
// has used them up.
constexpr std::size_t fewest_receives = 4;
constexpr std::size_t most_sends = 128;
// Longer active messages are worth asking the receiver first, for room to write them to. Where the network must know
// what is sent from, they are copied before, and where it must know what is received into, the buffers' pages are
// pinned.
constexpr std::size_t longest_in_place = std::size_t{1} << 20, longest_copied = std::size_t{1} << 18;
// Between buffers, so that their distance is no power of two: the first lines of all would compete for one place of the
// cache.
constexpr std::size_t receive_gap = 4096 + 3 * 64;
static_assert(receive_gap >= sizeof(Header) && receive_gap % cache_line == 0);
// What tcp sends, the kernel copies behind the provider's header, most often to the start of a page. From where that is
// up to `too_near` ahead in its page, loads wait for stores that look as if they were to the same place: 256 KiB at the
// start of a page were read in 200 us, elsewhere in 105. Behind pieces with a header each, the rest is farther. From
// `worth_pieces` on that is seen.
constexpr std::size_t page_bytes = 4096, header_bytes = 16, too_near = 32, piece_bytes = 64, worth_pieces = 147456;
// Each that is done is a sign of life of a slow network.
constexpr std::size_t longest_transfer = std::size_t{32} << 20;
constexpr std::uint64_t segment_key = 1, buffers_key = 2, slots_key = 3, private_key = 4;
// Shorter ones are made of messages: pinning pages, and letting them go, costs about as much as copying so much.
constexpr std::size_t worth_registering = std::size_t{256} << 10;
// Libfabric's own layer over sockets has a handful of descriptors to sleep on.
constexpr std::size_t most_descriptors = 16;
// Its list has only what it wakes itself with until it has looked for the first time, which a sleep of a millisecond
// may miss.
constexpr int most_first_looks = 20;
// Choices of ATOLL_FABRIC_RMA.
enum Rma { rma_auto, rma_off, rma_register, rma_refuse };

constexpr std::uint64_t flag_of(Device::Until until) {
  return until == Device::Until::delivered ? FI_DELIVERY_COMPLETE : FI_INJECT_COMPLETE;
}

// No two processes are at the same nanosecond since their hosts' starts with the same number, but for chance.
std::uint32_t make_tag() {
  return static_cast<std::uint32_t>(
      random_bits(static_cast<std::uint64_t>(now_ns()), static_cast<std::uint64_t>(::getpid())));
}

}  // namespace

Device::Device(Info info, const tcp::Identity& identity, std::byte* segment, std::size_t segment_bytes,
               std::uint32_t npes)
    : segment_(segment),
      segment_bytes_(segment_bytes),
      info_(std::move(info)),
      tag_(make_tag()),
      registrations_(
          [this](void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key) {
            bool refuse = config::choice(config::Variable::fabric_rma) == rma_refuse;
            return refuse ? nullptr : expose(memory, bytes, access, key);
          },
          key_of(private_key)) {
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  over_sockets_ = is_over_sockets(*info_);
  queue.wait_obj = over_sockets_ ? FI_WAIT_POLLFD : FI_WAIT_FD;
  queue.size = info_->tx_attr->size + info_->rx_attr->size;
  SignalsKept kept;
  Station station = open_station(*info_, identity, queue, "a queue that a thread can sleep on");
  fabric_ = std::move(station.fabric);
  domain_ = std::move(station.domain);
  peers_ = std::move(station.peers);
  completions_ = std::move(station.completions);
  endpoint_ = std::move(station.endpoint);
  find_descriptors();
  local_registration_ =
      (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0 || config::choice(config::Variable::fabric_rma) >= rma_register;
  sends_in_place_ = !local_registration_ && info_->tx_attr->iov_limit >= 3;
  constexpr std::uint64_t behind_writes = FI_ORDER_SAW | FI_ORDER_WAW;
  writes_in_order_ = (info_->tx_attr->msg_order & behind_writes) == behind_writes;
  inject_bytes_ = info_->tx_attr->inject_size;
  most_transfer_ = std::min(info_->ep_attr->max_msg_size, longest_transfer);
  ATOLL_VALIDATE(
      info_->ep_attr->max_msg_size >= most_message, SetupError,
      "the network's provider {} takes messages of at most {} bytes, and Atoll needs {}. Choose another with "
      "ATOLL_FABRIC_PROVIDER",
      provider_name(*info_), info_->ep_attr->max_msg_size, most_message);
  open_segment();
  tell_ = info_->domain_attr->cq_data_size != 0 ? FI_REMOTE_CQ_DATA : 0;
  static_assert(most_pes - 1 <= Note::most_source);
  // In the order of what is sent, before and after; and a note, or the number of a slot, goes with the completion.
  constexpr std::uint64_t order = FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_WAS | FI_ORDER_WAW;
  bool ordered = segment_region_ && (info_->tx_attr->msg_order & order) == order;
  has_notes_ = ordered && info_->domain_attr->cq_data_size >= sizeof(std::uint64_t);
  if (ordered && info_->tx_attr->rma_iov_limit >= 2 && info_->tx_attr->iov_limit >= 2 &&
      info_->domain_attr->cq_data_size >= sizeof(std::uint32_t) && identity.pe < npes)
    open_slots(npes);
  make_buffers();
}

// A single descriptor of a provider's is an epoll over its others, of which the kernel tells it whether anybody sleeps
// or not: of each packet, 0.3 us of 9 at 4 KiB. So these are asked for where that works.
void Device::find_descriptors() {
  if (!over_sockets_) {
    descriptors_.resize(1);
    return check(::fi_control(&completions_->fid, FI_GETWAIT, descriptors_.data()), *info_,
                 "cannot tell what to sleep on");
  }
  for (int look = 0; descriptors_.size() < 2 && look < most_first_looks; ++look) {
    fi_cq_data_entry none;
    (void)::fi_cq_sread(completions_.get(), &none, 1, nullptr, 1);  // nothing can come yet
    pollfd list[most_descriptors];
    fi_wait_pollfd found{.change_index = 0, .nfds = most_descriptors, .fd = list};
    check(::fi_control(&completions_->fid, FI_GETWAIT, &found), *info_, "cannot tell what to sleep on");
    descriptors_.clear();
    for (const pollfd& one : std::span(list, found.nfds)) descriptors_.push_back(one.fd);
  }
}

// Writes to a process that had the address before must not find memory of this one.
std::uint64_t Device::key_of(std::uint64_t kind) const {
  bool long_enough = info_->domain_attr->mr_key_size >= sizeof(kind);
  return long_enough ? std::uint64_t{tag_} << 32 | kind : kind;
}

Owned<fid_mr> Device::expose(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key) {
  fid_mr* region = nullptr;
  int status = ::fi_mr_reg(domain_.get(), memory, bytes, access, 0, key, 0, &region, nullptr);
  if (status != 0) {
    log(LogLevel::info, "the network cannot register {} bytes: {}", bytes, error_text(status));
    return nullptr;
  }
  Owned<fid_mr> made(region);
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    check(::fi_mr_bind(region, &endpoint_->fid, 0), *info_, "cannot bind memory");
    check(::fi_mr_enable(region), *info_, "cannot enable memory");
  }
  return made;
}

// Without it every transfer is made of messages.
void Device::open_segment() {
  if ((info_->caps & FI_RMA) == 0 || config::choice(config::Variable::fabric_rma) == rma_off) return;
  segment_region_ =
      expose(segment_, segment_bytes_, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE, key_of(segment_key));
  if (!segment_region_)
    log(LogLevel::warning,
        "the network cannot reach the segment by itself: long transfers will be slow. A smaller "
        "ATOLL_HEAP_SIZE may help");
}

// Without them long puts are a write and a message. Guests have none and are given none: slots for all numbers that
// guests can have would be 128 MiB, which some networks lock in memory.
void Device::open_slots(std::uint32_t npes) {
  slot_count_ = std::size_t{npes} * slots_per_peer;
  slots_ = std::make_unique_for_overwrite<Header[]>(slot_count_);  // untouched pages cost nothing
  slots_region_ = expose(slots_.get(), slot_count_ * sizeof(Header), FI_REMOTE_WRITE, key_of(slots_key));
}

void Device::make_buffers() {
  std::size_t receives = std::min(most_receives, info_->rx_attr->size),
              sends = std::min(most_sends, info_->tx_attr->size);
  std::size_t longest = local_registration_ ? longest_copied : longest_in_place;
  longest_message_ = std::min(longest, info_->ep_attr->max_msg_size - sizeof(Header));
  receive_bytes_ = longest + receive_gap;
  std::size_t bytes = (receives + most_spares) * receive_bytes_ + sends * most_message;
  buffers_ = Buffer<std::byte>(memory_, bytes);  // untouched pages cost nothing
  if (local_registration_) {
    buffers_region_ = expose(buffers_.data(), bytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, key_of(buffers_key));
    ATOLL_VALIDATE(buffers_region_ != nullptr, SetupError,
                   "the network cannot register {} bytes of buffers. Raise the limit "
                   "of locked memory (ulimit -l)",
                   bytes);
  }
  std::byte* at = buffers_.data();
  wanted_receives_ = fewest_receives;
  receives_.resize(receives);
  for (Operation& one : receives_) {
    one.kind = Operation::Kind::receive;
    one.buffer = at;
    at += receive_bytes_;
    idle_receives_.push_back(&one);
  }
  for (std::size_t i = 0; i < most_spares; ++i, at += receive_bytes_) spares_.give_back(at);
  sends_.resize(sends);
  for (Operation& one : sends_) {
    one.kind = Operation::Kind::send;
    one.buffer = at;
    at += most_message;
    free_sends_.push_back(&one);
  }
}

Card Device::card() const {
  Card card{};
  card.magic = card_magic;
  card.version = wire_version;
  std::size_t bytes = sizeof(card.address);
  int status = ::fi_getname(&endpoint_->fid, card.address, &bytes);
  ATOLL_VALIDATE(status == 0 && bytes <= sizeof(card.address), SetupError,
                 "the network's provider {} has addresses of {} bytes: "
                 "at most {} are possible",
                 provider_name(*info_), bytes, sizeof(card.address));
  card.address_bytes = static_cast<std::uint32_t>(bytes);
  card.segment_bytes = segment_bytes_;
  card.longest_message = longest_message_;
  card.tag = tag_;
  bool virtual_addresses = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  card.has_rma = segment_region_ != nullptr;
  if (segment_region_) {
    card.segment_base = virtual_addresses ? reinterpret_cast<std::uint64_t>(segment_) : 0;
    card.segment_key = ::fi_mr_key(segment_region_.get());
  }
  card.has_slots = slots_region_ != nullptr;
  if (slots_region_) {
    card.slots_base = virtual_addresses ? reinterpret_cast<std::uint64_t>(slots_.get()) : 0;
    card.slots_key = ::fi_mr_key(slots_region_.get());
  }
  std::string provider = provider_name(*info_).substr(0, sizeof(card.provider) - 1);
  std::memcpy(card.provider, provider.data(), provider.size());
  return card;
}

fi_addr_t Device::add_peer(const Card& card) {
  fi_addr_t address = FI_ADDR_UNSPEC;
  int inserted = ::fi_av_insert(peers_.get(), card.address, 1, &address, 0, nullptr);
  return inserted == 1 ? address : FI_ADDR_UNSPEC;
}

void Device::want_receives(std::size_t bytes, From from) {
  if (bytes >= long_message) wanted_receives_ = from == From::same ? 1 : fewest_receives;
  else if (posted_receives_.size() == 0) wanted_receives_ = std::min(2 * wanted_receives_, receives_.size());
  if (from == From::another) wanted_receives_ = std::max(wanted_receives_, fewest_receives);
}

void Device::expect_several() {
  wanted_receives_ = std::max(wanted_receives_, fewest_receives);
  replenish();
}

void Device::post_receives() {
  while (posted_receives_.size() < filling_receives_ + wanted_receives_ && !idle_receives_.empty()) {
    post_receive(*idle_receives_.back());
    posted_receives_.add(idle_receives_.back());
    idle_receives_.pop_back();
  }
}

void Device::post_receive(Operation& operation) {
  for (;;) {
    auto status = ::fi_recv(endpoint_.get(), operation.buffer, receive_bytes_, buffers_descriptor(), FI_ADDR_UNSPEC,
                            &operation.context);
    if (status == 0) return;
    ATOLL_VALIDATE(status == -FI_EAGAIN, Error, "the network takes no more receives: {}", error_text(status));
    (void)::fi_cq_read(completions_.get(), nullptr, 0);  // progress alone
  }
}

int Device::send_in_place(Operation& operation, const MessageParts& parts, fi_addr_t to) {
  iovec list[3] = {{operation.buffer, sizeof(Header)}};
  std::size_t count = 1;
  for (auto part : {parts.first, parts.second})
    if (!part.empty()) list[count++] = {const_cast<std::byte*>(part.data()), part.size()};
  fi_msg message{list, nullptr, count, to, &operation.context, 0};
  return static_cast<int>(::fi_sendmsg(endpoint_.get(), &message, FI_COMPLETION | FI_INJECT_COMPLETE));
}

// With an event at the target: an unobserved arrival could not be distinguished from none.
int Device::start_write(const void* from, void* descriptor, std::size_t bytes, const RemoteMemory& to,
                        std::uint64_t offset, Until until, Operation& operation, std::uint64_t note) {
  iovec source{const_cast<void*>(from), bytes};
  fi_rma_iov target{to.base + offset, bytes, to.key};
  fi_msg_rma message{&source, &descriptor, 1, to.address, &target, 1, &operation.context, note};
  return static_cast<int>(::fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | tell_ | flag_of(until)));
}

int Device::put(Operation& operation, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
                std::uint64_t note) {
  return start_write(operation.buffer, buffers_descriptor(), bytes, to, offset, until, operation, note);
}

int Device::fetch(Operation& operation, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset) {
  return static_cast<int>(::fi_read(endpoint_.get(), operation.buffer, bytes, buffers_descriptor(), from.address,
                                    from.base + offset, from.key, &operation.context));
}

Operation& Device::take_transfer() {
  if (free_transfers_.empty()) {
    transfers_.push_back(std::make_unique<Operation>());
    transfers_.back()->kind = Operation::Kind::transfer;
    free_transfers_.push_back(transfers_.back().get());
  }
  Operation* taken = free_transfers_.back();
  free_transfers_.pop_back();
  return *taken;
}

void Device::release(const std::function<bool(const Pending*)>& is_such, Pending* instead) {
  auto release_one = [&](Operation& one) {
    if (one.pending == nullptr || !is_such(one.pending)) return;
    if (instead != nullptr) one.pending = instead;
    one.to = nullptr;
    if (tcp::is_own(*info_)) (void)::fi_cancel(&endpoint_->fid, &one.context);
  };
  for (auto& one : transfers_) release_one(*one);
  for (Operation& one : sends_) release_one(one);
}

bool Device::lend(const void* memory, std::size_t bytes, std::uint64_t access, Registrations::Loan& loan) {
  if (!local_registration_ || in_segment(memory, bytes)) return true;
  if (bytes < worth_registering) return false;
  loan = registrations_.lend(memory, bytes, access);
  return loan != nullptr;
}

void* Device::local_descriptor(const void* memory, std::size_t bytes, std::uint64_t access, Operation& operation) {
  if (!local_registration_) return nullptr;
  if (in_segment(memory, bytes)) return ::fi_mr_desc(segment_region_.get());
  operation.loan = registrations_.find(memory, bytes, access);
  ATOLL_EXPECT(operation.loan != nullptr);
  return ::fi_mr_desc(operation.loan->handle.get());
}

int Device::write(const void* from, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
                  Operation& operation, std::uint64_t note) {
  return start_write(from, local_descriptor(from, bytes, FI_WRITE, operation), bytes, to, offset, until, operation,
                     note);
}

int Device::write_with_header(Operation& operation, const void* from, std::size_t bytes, const RemoteMemory& to,
                              std::uint64_t offset, std::uint32_t slot) {
  iovec sources[2] = {{operation.buffer, sizeof(Header)}, {const_cast<void*>(from), bytes}};
  void* descriptors[2] = {buffers_descriptor(), local_descriptor(from, bytes, FI_WRITE, operation)};
  fi_rma_iov targets[2] = {{to.slots_base + slot * sizeof(Header), sizeof(Header), to.slots_key},
                           {to.base + offset, bytes, to.key}};
  fi_msg_rma message{sources, descriptors, 2, to.address, targets, 2, &operation.context, slot + 1};
  return static_cast<int>(
      ::fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | FI_REMOTE_CQ_DATA | FI_INJECT_COMPLETE));
}

int Device::read(void* to, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset, Operation& operation) {
  void* descriptor = local_descriptor(to, bytes, FI_READ, operation);
  return static_cast<int>(::fi_read(endpoint_.get(), to, bytes, descriptor, from.address, from.base + offset, from.key,
                                    &operation.context));
}

bool Device::is_slow_behind(std::size_t before, std::uint64_t from) const {
  std::uint64_t ahead = (header_bytes + before - from) % page_bytes;
  return over_sockets_ && ahead > 0 && ahead < too_near;
}

std::size_t Device::next_read(const RemoteMemory& from, std::uint64_t offset, std::size_t done,
                              std::size_t bytes) const {
  std::size_t left = bytes - done;
  bool slow = left >= worth_pieces && is_slow_behind(done / piece_bytes * header_bytes, from.base + offset);
  return slow ? piece_bytes : std::min(left, most_transfer_);
}

// Of one operation, if of any.
std::span<const Completion> Device::take_failure(std::int64_t status) {
  ATOLL_VALIDATE(status == -FI_EAVAIL, Error, "the network fails: {}", error_text(status));
  fi_cq_err_entry error{};
  if (::fi_cq_readerr(completions_.get(), &error, 0) <= 0 || (error.op_context == nullptr && !tcp::is_own(*info_)))
    return {};
  finished_[0] = {};
  if (error.op_context == nullptr) {
    finished_[0].flags = peer_failed;
    finished_[0].data = error.data;
    finished_[0].len = static_cast<std::size_t>(error.err);
    return {finished_.data(), 1};
  }
  finished_[0].op_context = error.op_context;
  finished_[0].flags = operation_failed;
  finished_[0].data = static_cast<std::uint64_t>(error.err);
  return {finished_.data(), 1};
}

bool Device::may_block() {
  fid* object = &completions_->fid;
  return ::fi_trywait(fabric_.get(), &object, 1) == 0;
}

}  // namespace atl::fabric::ofi
