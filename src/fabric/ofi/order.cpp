// SPDX-License-Identifier: Apache-2.0
// The order and completion of operations, and the peers of a path: fence, quiet, progress, admission and departure.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "path.hpp"

namespace atl::fabric::ofi {

// Messages stay in order by themselves, and behind writes. Only a write can overtake messages.
void Path::fence() {
  Hold hold(*this);
  for (std::uint32_t pe : dirty_)
    if (peers_[pe].complete != peers_[pe].sent) peers_[pe].fenced = true;
  std::uint64_t writes = writes_.generation();
  if (!writes_.has_finished(writes)) wait(hold, [&] { return writes_.has_finished(writes); });
}

void Path::quiet() {
  Hold hold(*this);
  // Until here: what other threads begin meanwhile is not waited for.
  std::uint64_t writes = writes_.generation(), gets = gets_.generation();
  std::vector<Sent> sent;
  for (std::uint32_t pe : dirty_) {
    ask_for_all(PeId(pe));
    if (!settled(peers_[pe])) sent.push_back(sent_to(PeId(pe)));
  }
  wait(hold, [&] {
    std::erase_if(sent, [&](const Sent& one) { return settled(one); });
    return sent.empty() && writes_.has_finished(writes) && gets_.has_finished(gets);
  });
  if (std::exchange(gets_abandoned_, false)) [[unlikely]]
    job_.check();
  std::erase_if(dirty_, [&](std::uint32_t pe) {
    Peer& to = peers_[pe];
    if (!settled(to) || (to.unflushed && !to.gone)) return false;  // another thread goes on
    to.dirty = to.fenced = to.answers = false;
    return true;
  });
}

// Places in between are of PEs that have not come, or come later.
void Path::meet_peer(PeId pe, const std::string& card) {
  while (peers_end() <= pe.value()) {
    const std::uint32_t number = peers_end();
    peers_.emplace_back().number = number;
  }
  if (job_.is_local(pe) || (card.empty() && pe.value() >= job_.npes())) return;
  const RemoteMemory memory = meet(*device_, job_, self_, pe, card, lane_);
  longest_message_ = std::min(longest_message_, memory.longest_message);
  peer(pe).memory = memory;
}

void Path::admit(PeId pe, const std::string& card) {
  Hold hold(*this);
  meet_peer(pe, card);
}

void Path::dismiss(PeId pe) {
  Hold hold(*this);
  if (is_far(pe.value()) && !peer(pe).gone) take_leave_of(pe);
}

bool Path::has_left(PeId pe) {
  Hold hold(*this);
  return peer(pe).gone;
}

bool Path::progress(const Inbox::Taker* taker) {
  if (is_held_here()) return false;
  count_poll();
  if (!owner_.try_take()) return false;
  bool any = false;
  {
    Hold hold(*this, std::adopt_lock);
    if (taker == nullptr) return poll();
    bool is_first = inbox_.is_empty() && parked_.empty() && in_hand_.operation == nullptr;
    Meanwhile now(hand_, is_first ? Hand::free : Hand::none);
    any = poll();
  }
  if (in_hand_.operation == nullptr) return any;
  // The path is not held while a handler runs, which may take long.
  struct GiveBack {
    Path& path;
    // Release: it has been read. Partner: collect_receive().
    ~GiveBack() { path.given_back_.store(std::exchange(path.in_hand_.operation, nullptr), std::memory_order_release); }
  } give_back{*this};
  taker->take(taker->object, in_hand_.message);
  return true;
}

// A thread that has polled repeatedly stops: the agent polls from now on, without having to detect that first.
void Path::stop_polling() {
  // Sequentially consistent: the agent says that it naps, and then looks at this; partner: run_agent().
  take_over_.store(true, std::memory_order_seq_cst);
  if (!napping_.load(std::memory_order_seq_cst)) return;
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(wake_, &one, sizeof(one));
}

void Path::tell(const News& news) noexcept {
  try {
    NewsRecord record{};
    record.kind = static_cast<std::uint32_t>(news.kind);
    record.pe = news.pe.value();
    record.pid = news.pid;
    record.status = news.status;
    record.bytes = static_cast<std::uint32_t>(std::min(news.text.size(), sizeof(record.text)));
    std::memcpy(record.text, news.text.data(), record.bytes);
    Hold hold(*this);
    for (std::uint32_t pe = 0; pe < peers_end(); ++pe)
      if (is_far(pe) && !peers_[pe].gone)
        send(PeId(pe), header_of(MessageType::news), std::as_bytes(std::span(&record, 1)), {});
  } catch (const std::exception&) {
    // Best effort: PEs that are not notified detect the failure by themselves.
  }
}

}  // namespace atl::fabric::ofi
