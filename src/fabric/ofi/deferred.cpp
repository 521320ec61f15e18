// SPDX-License-Identifier: Apache-2.0
// Each step of a run raises a counter of its own when it is complete (sends that follow one another share that of the
// first), and the step after it is triggered by that. Steps that also wait for a message, or for leave to send, have
// another counter, which two deferred additions raise, and are triggered by its second. Arrivals are counted by the
// memory region that it comes to, one for each channel, so that regions lie over one another. A value is combined by an
// atomic from the PE to itself. All count on from run to run. No counter raises itself by way of others: in the
// provider `sockets` each holds a lock while it starts what it triggers.
#include "atoll/fabric/deferred.hpp"

#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_trigger.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
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
  if (!hints) raise<MemoryError>("no memory to ask libfabric for a provider");
  hints->caps = FI_MSG | FI_RMA | FI_ATOMIC | FI_RMA_EVENT | FI_TRIGGER;
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

constexpr fi_datatype numbers[] = {FI_INT8,   FI_INT16,  FI_INT32,  FI_INT64, FI_UINT8,
                                   FI_UINT16, FI_UINT32, FI_UINT64, FI_FLOAT, FI_DOUBLE};
constexpr std::size_t number_bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
constexpr fi_op operations[] = {FI_SUM, FI_PROD, FI_MIN, FI_MAX, FI_BAND, FI_BOR, FI_BXOR};

class Work final : public DeferredWork {
 public:
  Work(const fi_info& own, std::span<const Channel> channels) : info_(ask(own)), lines_(channels.size()) {
    ATOLL_EXPECT(!channels.empty() && channels.size() <= most_channels);
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_CONTEXT;
    SignalsKept kept;
    station_ = open_station(*info_, {}, queue, "a queue of completions", " for triggered work");
    value_region_ = open_region(value_.data(), most_bytes, nullptr);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      Line& line = lines_[i];
      line.kind = channels[i];
      line.come = open_counter();
      line.granted = open_counter();
      if (line.kind == Channel::combined) line.beside.resize(most_bytes);
      std::byte* where = line.kind == Channel::signal  ? line.signal.data()
                         : line.kind == Channel::value ? value_.data()
                                                       : line.beside.data();
      line.landing = where;
      line.landing_region =
          open_region(where, line.kind == Channel::signal ? line.signal.size() : most_bytes, &line.come);
      line.grant_region = open_region(line.grant.data(), line.grant.size(), &line.granted);
    }
    address_bytes_ = address_.size();
    check(::fi_getname(&station_.endpoint->fid, address_.data(), &address_bytes_), *info_, "does not tell its address");
    self_ = peer(address_.data());
  }

  Card card() const override {
    Card card;
    std::memcpy(card.address.data(), address_.data(), address_bytes_);
    card.address_bytes = static_cast<std::uint32_t>(address_bytes_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      card.landing[i] = place(lines_[i].landing, lines_[i].landing_region);
      card.grant[i] = place(lines_[i].grant.data(), lines_[i].grant_region);
    }
    return card;
  }

  void connect(unsigned channel, const Card* to, const Card* from) override {
    Line& line = lines_[channel];
    if (to != nullptr) line.to = peer(to->address.data()), line.there = to->landing[channel];
    if (from != nullptr) line.from = peer(from->address.data()), line.leave = from->grant[channel];
  }

  std::byte* value() override { return value_.data(); }

  bool combines(Number number, Operation operation, std::size_t count) const override {
    std::size_t most = 0;
    return ::fi_atomicvalid(station_.endpoint.get(), numbers[static_cast<std::size_t>(number)],
                            operations[static_cast<std::size_t>(operation)], &most) == 0 &&
           count <= most;
  }

  void start(const Run& run) override {
    drain();
    for (const Step& step : run.steps)
      if (Line& line = lines_[step.channel]; !step.sends && line.kind != Channel::signal) write_now(line);
    while (stages_.size() < run.steps.size()) stages_.emplace_back().done = open_counter();
    auto first_of = [&](std::size_t i) {
      while (i > 0 && run.steps[i].sends && run.steps[i - 1].sends) --i;
      return i;
    };
    for (std::size_t i = 0; i < run.steps.size(); ++i) ++stages_[first_of(i)].complete;
    // From behind: what is there already starts what it starts at once.
    for (std::size_t i = run.steps.size(); i-- > 0;) {
      const std::size_t first = first_of(i);
      queue_step(run, run.steps[i], stages_[i], stages_[first].done,
                 first == 0 ? nullptr : &stages_[first_of(first - 1)]);
    }
    last_ = run.steps.empty() ? nullptr : &stages_[first_of(run.steps.size() - 1)];
  }

  bool is_done() override {
    drain();
    return last_ == nullptr || ::fi_cntr_read(last_->done.get()) >= last_->complete;
  }

 private:
  struct Item {
    fi_deferred_work work{};
    fi_op_cntr add{};
    fi_op_rma write{};
    fi_op_atomic combine{};
    iovec from{};
    fi_rma_iov to{};
    fi_ioc elements{};
    fi_rma_ioc into{};
    void* description = nullptr;
  };
  // Of a step, by its number in the run.
  struct Stage {
    Owned<fid_cntr> done, both;  // both: the step before is complete, and what else is waited for is there
    std::uint64_t complete = 0;  // what `done` says when all is
    std::uint64_t uses = 0;  // of `both`
    Item step, first, second;
  };
  struct Line {
    Channel kind{};
    std::array<std::byte, 8> signal{}, grant{};
    std::vector<std::byte> beside;
    std::byte* landing = nullptr;
    Owned<fid_cntr> come, granted;
    Owned<fid_mr> landing_region, grant_region;  // before the counters that they are bound to
    fi_addr_t to = FI_ADDR_UNSPEC, from = FI_ADDR_UNSPEC;
    Place there, leave;
    std::uint64_t received = 0, sent = 0;
    fi_context2 grant_context{};
  };

  Owned<fid_cntr> open_counter() {
    fi_cntr_attr attributes{};
    attributes.events = FI_CNTR_EVENTS_COMP;
    fid_cntr* counter = nullptr;
    check(::fi_cntr_open(station_.domain.get(), &attributes, &counter, nullptr), *info_, "cannot open a counter");
    return Owned<fid_cntr>(counter);
  }
  Owned<fid_mr> open_region(std::byte* where, std::size_t bytes, const Owned<fid_cntr>* counter) {
    fid_mr* region = nullptr;
    check(::fi_mr_reg(station_.domain.get(), where, bytes, FI_REMOTE_WRITE | FI_REMOTE_READ | FI_WRITE | FI_READ, 0,
                      ++last_key_, counter != nullptr ? FI_RMA_EVENT : 0, &region, nullptr),
          *info_, "cannot register memory for triggered work");
    Owned<fid_mr> owned(region);
    if (counter != nullptr)
      check(::fi_mr_bind(region, &(*counter)->fid, FI_REMOTE_WRITE), *info_, "cannot count writes to memory");
    if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0)
      check(::fi_mr_bind(region, &station_.endpoint->fid, 0), *info_, "cannot bind memory");
    if ((info_->domain_attr->mr_mode & (FI_MR_ENDPOINT | FI_MR_RMA_EVENT)) != 0)
      check(::fi_mr_enable(region), *info_, "cannot enable memory");
    return owned;
  }
  Place place(const std::byte* where, const Owned<fid_mr>& region) const {
    return {(info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(where) : 0,
            ::fi_mr_key(region.get())};
  }
  fi_addr_t peer(const std::byte* address) {
    fi_addr_t number = FI_ADDR_UNSPEC;
    ATOLL_VALIDATE(::fi_av_insert(station_.peers.get(), address, 1, &number, 0, nullptr) == 1, SetupError,
                   "the network's provider {} cannot use the address of a peer for triggered work",
                   provider_name(*info_));
    return number;
  }

  // Permits the sender to send.
  void write_now(Line& line) {
    std::int64_t status;
    while ((status = ::fi_write(station_.endpoint.get(), line.grant.data(), line.grant.size(),
                                ::fi_mr_desc(line.grant_region.get()), line.from, line.leave.base, line.leave.key,
                                &line.grant_context)) == -FI_EAGAIN)
      drain();
    check(status, *info_, "cannot write");
  }
  void queue(Item& item, const Owned<fid_cntr>& on, std::uint64_t threshold) {
    item.work.threshold = threshold;
    item.work.triggering_cntr = on.get();
    check(::fi_control(&station_.domain->fid, FI_QUEUE_WORK, &item.work), *info_, "refuses triggered work");
  }
  void queue_addition(Item& item, const Owned<fid_cntr>& to, const Owned<fid_cntr>& on, std::uint64_t threshold) {
    item.add = {to.get(), 1};
    item.work = {};
    item.work.op_type = FI_OP_CNTR_ADD;
    item.work.op.cntr = &item.add;
    queue(item, on, threshold);
  }
  // Raises `done`; after `before`, if that is not null.
  void queue_step(const Run& run, const Step& step, Stage& own, const Owned<fid_cntr>& done, const Stage* before) {
    Line& line = lines_[step.channel];
    const Owned<fid_cntr>* on = &own.done;  // at 0: nothing is waited for
    std::uint64_t threshold = 0;
    if (!step.sends) on = &line.come, threshold = ++line.received;
    else if (line.kind != Channel::signal) on = &line.granted, threshold = ++line.sent;
    if (before != nullptr && threshold == 0) {
      on = &before->done, threshold = before->complete;
    } else if (before != nullptr) {
      if (own.both == nullptr) own.both = open_counter();
      queue_operation(run, step, own.step, done, own.both, 2 * ++own.uses);
      queue_addition(own.second, own.both, *on, threshold);
      return queue_addition(own.first, own.both, before->done, before->complete);
    }
    queue_operation(run, step, own.step, done, *on, threshold);
  }
  void queue_operation(const Run& run, const Step& step, Item& item, const Owned<fid_cntr>& done,
                       const Owned<fid_cntr>& on, std::uint64_t threshold) {
    Line& line = lines_[step.channel];
    if (step.sends) queue_write(item, line, run.bytes, done, on, threshold);
    else if (line.kind == Channel::combined) queue_combination(item, line, run, done, on, threshold);
    else queue_addition(item, done, on, threshold);
  }
  // What a write and a combination have alike: `from` of this region goes into `into` of that peer.
  template <class Operation, class From, class Into>
  void fill_in(Item& item, Operation& operation, const From& from, const Into& into, const Owned<fid_mr>& region,
               fi_addr_t to, const Owned<fid_cntr>& done) {
    item.description = ::fi_mr_desc(region.get());
    operation = {};
    operation.ep = station_.endpoint.get();
    operation.msg.msg_iov = &from;
    operation.msg.desc = &item.description;
    operation.msg.iov_count = 1;
    operation.msg.addr = to;
    operation.msg.rma_iov = &into;
    operation.msg.rma_iov_count = 1;
    operation.msg.context = &item.work.context;
    item.work = {};
    item.work.completion_cntr = done.get();
  }
  void queue_write(Item& item, Line& line, std::size_t bytes, const Owned<fid_cntr>& done, const Owned<fid_cntr>& on,
                   std::uint64_t threshold) {
    const bool signal = line.kind == Channel::signal;
    item.from = {signal ? line.grant.data() : value_.data(), signal ? line.signal.size() : bytes};
    item.to = {line.there.base, item.from.iov_len, line.there.key};
    fill_in(item, item.write, item.from, item.to, signal ? line.grant_region : value_region_, line.to, done);
    item.work.op_type = FI_OP_WRITE;
    item.work.op.rma = &item.write;
    queue(item, on, threshold);
  }
  void queue_combination(Item& item, Line& line, const Run& run, const Owned<fid_cntr>& done, const Owned<fid_cntr>& on,
                         std::uint64_t threshold) {
    const auto number = static_cast<std::size_t>(run.number);
    item.elements = {line.beside.data(), run.bytes / number_bytes[number]};
    const Place own = place(value_.data(), value_region_);
    item.into = {own.base, item.elements.count, own.key};
    fill_in(item, item.combine, item.elements, item.into, line.landing_region, self_, done);
    item.combine.msg.datatype = numbers[number];
    item.combine.msg.op = operations[static_cast<std::size_t>(run.operation)];
    item.work.op_type = FI_OP_ATOMIC;
    item.work.op.atomic = &item.combine;
    queue(item, on, threshold);
  }
  void drain() {
    fi_cq_entry entries[16];
    while (::fi_cq_read(station_.completions.get(), entries, std::size(entries)) > 0) {}
  }

  Info info_;
  Station station_;
  std::array<std::byte, most_bytes> value_{};
  Owned<fid_mr> value_region_;
  std::vector<Line> lines_;
  fi_addr_t self_ = FI_ADDR_UNSPEC;
  std::array<std::byte, 64> address_{};
  std::size_t address_bytes_ = 0;
  std::uint64_t last_key_ = 0;
  std::deque<Stage> stages_;
  const Stage* last_ = nullptr;  // of the run
};

}  // namespace
}  // namespace ofi

bool has_deferred_work(const Job& job) {
  return ofi::is_network(job) && ofi::has_work(ofi::provider_name(*ofi::find_provider()[0]));
}

std::unique_ptr<DeferredWork> open_deferred_work(Job& job, PeId self, std::span<const DeferredWork::Channel> channels) {
  return std::make_unique<ofi::Work>(*ofi::interfaces_for(job.place_of(self))[0], channels);
}

}  // namespace atl::fabric
