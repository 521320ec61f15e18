// SPDX-License-Identifier: Apache-2.0
// For each round r: a word that the message of that round is written to, and a counter of such writes; and a counter "so far" of
// rounds up to it that are complete, which two deferred additions raise: one when the message has come, one when the round before is
// complete. The message of round r + 1 is a deferred write on that counter. All count on from call to call.
#include "atoll/fabric/deferred.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_trigger.h>

#include <cstring>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "interfaces.hpp"
#include "lanes.hpp"
#include "station.hpp"

namespace atl::fabric {
namespace ofi {
namespace {

bool is_network(const Job& job) {
  return dynamic_cast<const Path*>(job.remote()) != nullptr || dynamic_cast<const Lanes*>(job.remote()) != nullptr;
}

bool has_work(const std::string& provider) { return provider == "sockets" || provider == "cxi"; }

Info ask(const fi_info& own) {
  Info hints(library().dupinfo(nullptr));
  if (!hints) throw MemoryError("no memory to ask libfabric for a provider");
  hints->caps = FI_MSG | FI_RMA | FI_RMA_EVENT | FI_TRIGGER;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = own.domain_attr->mr_mode | FI_MR_RMA_EVENT;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->addr_format = own.addr_format;
  hints->fabric_attr->prov_name = ::strdup(own.fabric_attr->prov_name);
  if (own.domain_attr->name != nullptr) hints->domain_attr->name = ::strdup(own.domain_attr->name);
  fi_info* found = nullptr;
  SignalsKept kept;
  int status = library().getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints.get(), &found);
  check(status, own, "has no triggered work after all");
  return Info(found);
}

class Rounds final : public DeferredRounds {
 public:
  Rounds(const fi_info& own, unsigned rounds) : info_(ask(own)), words_(rounds), rounds_(rounds) {
    ATOLL_EXPECT(rounds >= 1 && rounds <= most_rounds);
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_CONTEXT;
    SignalsKept kept;
    station_ = open_station(*info_, queue, "a queue of completions", " for triggered work");
    written_ = open_counter();
    for (Word& word : words_) open_word(word);
    address_bytes_ = address_.size();
    check(::fi_getname(&station_.endpoint->fid, address_.data(), &address_bytes_), *info_, "does not tell its address");
  }

  Card card() const override {
    Card card;
    std::memcpy(card.address.data(), address_.data(), address_bytes_);
    card.address_bytes = static_cast<std::uint32_t>(address_bytes_);
    for (unsigned round = 0; round < rounds_; ++round) {
      const Word& word = words_[round];
      card.base[round] = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(&word.landed) : 0;
      card.key[round] = ::fi_mr_key(word.region.get());
    }
    return card;
  }

  void connect(std::span<const Card> partners) override {
    for (unsigned round = 0; round < rounds_; ++round) {
      Word& word = words_[round];
      ATOLL_VALIDATE(::fi_av_insert(station_.peers.get(), partners[round].address.data(), 1, &word.peer, 0, nullptr) == 1, SetupError,
                     "the network's provider {} cannot use the address of a peer for triggered work", provider_name(*info_));
      word.target = {partners[round].base[round], sizeof(word.sent), partners[round].key[round]};
    }
  }

  void start() override {
    ++calls_;
    drain();
    // From behind: what is there already starts what it starts at once.
    for (unsigned round = rounds_; round-- > 0;) {
      if (round != 0) queue_write(round);
      queue_addition(round, words_[round].come_work, words_[round].come, calls_);
      if (round != 0) queue_addition(round, words_[round].before_work, words_[round - 1].so_far, complete(round - 1));
    }
    Word& first = words_[0];
    std::int64_t status;
    while ((status = ::fi_write(station_.endpoint.get(), &first.sent, sizeof(first.sent), ::fi_mr_desc(first.region.get()), first.peer, first.target.addr,
                                first.target.key, &first_context_)) == -FI_EAGAIN)
      drain();
    check(status, *info_, "cannot write");
  }

  bool is_done() override {
    drain();
    return ::fi_cntr_read(words_[rounds_ - 1].so_far.get()) >= complete(rounds_ - 1);
  }

 private:
  struct Work {
    fi_deferred_work work{};
    fi_op_cntr add{};
    fi_op_rma write{};
    iovec from{};
    fi_rma_iov to{};
    void* description = nullptr;
  };
  struct Word {
    std::uint64_t landed = 0, sent = 0;  // in one region
    Owned<fid_cntr> come, so_far;
    Owned<fid_mr> region;  // before the counter that it is bound to
    fi_addr_t peer = FI_ADDR_UNSPEC;
    fi_rma_iov target{};
    Work come_work, before_work, write_work;
  };

  // What `so_far` of a round says when this call has completed it.
  std::uint64_t complete(unsigned round) const { return round == 0 ? calls_ : 2 * calls_; }

  Owned<fid_cntr> open_counter() {
    fi_cntr_attr attributes{};
    attributes.events = FI_CNTR_EVENTS_COMP;
    fid_cntr* counter = nullptr;
    check(::fi_cntr_open(station_.domain.get(), &attributes, &counter, nullptr), *info_, "cannot open a counter");
    return Owned<fid_cntr>(counter);
  }
  void open_word(Word& word) {
    word.come = open_counter();
    word.so_far = open_counter();
    fid_mr* region = nullptr;
    const auto number = static_cast<std::uint64_t>(&word - words_.data());
    check(::fi_mr_reg(station_.domain.get(), &word.landed, 2 * sizeof(word.landed), FI_REMOTE_WRITE | FI_WRITE, 0, number + 1, FI_RMA_EVENT, &region, nullptr),
          *info_, "cannot register memory for triggered work");
    word.region.reset(region);
    check(::fi_mr_bind(region, &word.come->fid, FI_REMOTE_WRITE), *info_, "cannot count writes to memory");
    if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) check(::fi_mr_bind(region, &station_.endpoint->fid, 0), *info_, "cannot bind memory");
    if ((info_->domain_attr->mr_mode & (FI_MR_ENDPOINT | FI_MR_RMA_EVENT)) != 0) check(::fi_mr_enable(region), *info_, "cannot enable memory");
  }
  void queue(Work& one) { check(::fi_control(&station_.domain->fid, FI_QUEUE_WORK, &one.work), *info_, "refuses triggered work"); }

  void queue_addition(unsigned round, Work& one, const Owned<fid_cntr>& on, std::uint64_t threshold) {
    one.add = {words_[round].so_far.get(), 1};
    one.work = {};
    one.work.threshold = threshold;
    one.work.triggering_cntr = on.get();
    one.work.op_type = FI_OP_CNTR_ADD;
    one.work.op.cntr = &one.add;
    queue(one);
  }
  void queue_write(unsigned round) {
    Word& word = words_[round];
    Work& one = word.write_work;
    one.from = {&word.sent, sizeof(word.sent)};
    one.to = word.target;
    one.description = ::fi_mr_desc(word.region.get());
    one.write = {};
    one.write.ep = station_.endpoint.get();
    one.write.msg.msg_iov = &one.from;
    one.write.msg.desc = &one.description;
    one.write.msg.iov_count = 1;
    one.write.msg.addr = word.peer;
    one.write.msg.rma_iov = &one.to;
    one.write.msg.rma_iov_count = 1;
    one.write.msg.context = &one.work.context;
    one.work = {};
    one.work.threshold = complete(round - 1);
    one.work.triggering_cntr = words_[round - 1].so_far.get();
    one.work.completion_cntr = written_.get();
    one.work.op_type = FI_OP_WRITE;
    one.work.op.rma = &one.write;
    queue(one);
  }
  void drain() {
    fi_cq_entry entries[16];
    while (::fi_cq_read(station_.completions.get(), entries, std::size(entries)) > 0) {}
  }

  Info info_;
  Station station_;
  Owned<fid_cntr> written_;
  std::vector<Word> words_;
  fi_context2 first_context_{};
  std::array<std::byte, 64> address_{};
  std::size_t address_bytes_ = 0;
  unsigned rounds_;
  std::uint64_t calls_ = 0;
};

}  // namespace
}  // namespace ofi

bool has_deferred_work(const Job& job) {
  return ofi::is_network(job) && ofi::has_work(ofi::provider_name(*ofi::find_provider()[0]));
}

std::unique_ptr<DeferredRounds> open_deferred_rounds(Job& job, PeId self, unsigned rounds) {
  return std::make_unique<ofi::Rounds>(*ofi::interfaces_for(job.place_of(self))[0], rounds);
}

}  // namespace atl::fabric
