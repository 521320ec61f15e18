// SPDX-License-Identifier: Apache-2.0
// Random access to a table spread over the PEs, as in Bale's indexgather and histo: through the aggregators, through
// their message path alone, and by a hand-written loop on the bare shared mapping ("limit"), alternating in one run,
// answers checked. One JSON record per line; rates are per PE.
//
//     atoll-run -n 2 --bind core bench_aggregation [--trials K] [--table BYTES] [--requests N] [--memory BYTES]
//
// On several nodes: straight to every PE ("one-hop"), or by relays ("two-hops"), and how many messages a PE sent. Over
// the loopback interface with --hosts a:2,b:2 --address 127.0.0.1 --launch-agent "env ATOLL_NODE_NAME={host}".
#include <fmt/format.h>

#include <atomic>
#include <bit>

#include "atoll/agg/function.hpp"
#include "atoll/agg/memory.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/validate.hpp"
#include "job.hpp"

namespace {

using namespace atl;
using coll::Communicator;

struct Contender {
  std::string name;
  std::function<void()> run;
};

class Bench {
 public:
  Bench(runtime::Context& context, std::uint64_t trials, std::uint64_t table_bytes, std::uint64_t requests,
        std::uint64_t memory_bytes)
      : context_(context), trials_(trials), all_(context), hub_(all_), requests_(requests) {
    ATOLL_VALIDATE(table_bytes / 8 >= context.npes(), ValueError, "--table: give at least 8 bytes for each PE");
    shift_ = static_cast<unsigned>(std::bit_width(table_bytes / 8 / context.npes())) - 1;
    count_ = std::uint64_t{1} << shift_;
    offset_ = context.allocate_symmetric(count_ * 8);
    table_ = context.local_pointer<std::uint64_t>(offset_);
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
      bases_.push_back(context.peer_pointer<std::uint64_t>(PeId(pe), offset_));
    mask_ = count_ - 1;
    const bool mapped = context.job().nodes() == 1;
    first_.memory_bytes = second_.memory_bytes = memory_bytes;
    if (mapped) {
      second_.path = agg::Path::message;
    } else {
      first_.hops = agg::Hops::one;
      second_.hops = agg::Hops::two;
    }
    first_name_ = mapped ? "atoll" : "one-hop";
    second_name_ = mapped ? "atoll-message" : "two-hops";
    for (std::uint64_t i = 0; i < requests_.size(); ++i)
      requests_[i] = to_bounded(random_bits(context.pe().value() + 1, i), context.npes() * count_);
    got_.resize(requests_.size());
  }

  void everything() {
    gather();
    count();
    call_functions();
    scatter();
  }
  bool failed = false;

 private:
  using Word = std::atomic_ref<std::uint64_t>;

  void gather() {
    agg::GetAggregator<std::uint64_t> gets(hub_, table_, count_, first_), messages(hub_, table_, count_, second_);
    auto through = [&](auto& aggregator) {
      for (std::uint64_t i = 0; i < requests_.size(); ++i)
        aggregator.push(member(requests_[i]), requests_[i] & mask_, &got_[i]);
      aggregator.finish();
    };
    compare(
        "indexgather",
        {{first_name_, [&] { through(gets); }},
         {second_name_, [&] { through(messages); }},
         {"limit",
          [&] {
            for (std::uint64_t i = 0; i < requests_.size(); ++i)
              got_[i] = bases_[requests_[i] >> shift_][requests_[i] & mask_];
            all_.barrier();
          }}},
        [this] { fill(); },
        [&] {
          for (std::uint64_t i = 0; i < requests_.size(); ++i)
            if (got_[i] != random_bits(77, requests_[i])) return false;
          return true;
        });
  }

  void count() {
    agg::AddAggregator<std::uint64_t> adds(hub_, table_, count_, first_), messages(hub_, table_, count_, second_);
    auto through = [&](auto& aggregator) {
      for (std::uint64_t request : requests_) aggregator.push(member(request), request & mask_, 1);
      aggregator.finish();
    };
    compare(
        "histo",
        {{first_name_, [&] { through(adds); }},
         {second_name_, [&] { through(messages); }},
         {"limit",
          [&] { update_each([](Word word, std::uint64_t) { word.fetch_add(1, std::memory_order_relaxed); }); }}},
        [this] { clear_table(); }, [this] { return has_counted_all(); });
  }

  void call_functions() {
    auto count_one = [&](const std::uint64_t& index, int) { ++table_[index]; };
    agg::FunctionAggregator<std::uint64_t> calls(hub_, count_one, first_), messages(hub_, count_one, second_);
    auto through = [&](auto& aggregator) {
      for (std::uint64_t request : requests_) aggregator.push(member(request), request & mask_);
      aggregator.finish();
    };
    compare(
        "function", {{first_name_, [&] { through(calls); }}, {second_name_, [&] { through(messages); }}},
        [this] { clear_table(); }, [this] { return has_counted_all(); });
  }

  void scatter() {
    agg::PutAggregator<std::uint64_t> puts(hub_, table_, count_, first_), messages(hub_, table_, count_, second_);
    auto through = [&](auto& aggregator) {
      for (std::uint64_t request : requests_) aggregator.push(member(request), request & mask_, request + 1);
      aggregator.finish();
    };
    compare(
        "put",
        {{first_name_, [&] { through(puts); }},
         {second_name_, [&] { through(messages); }},
         {"limit",
          [&] {
            update_each([](Word word, std::uint64_t request) { word.store(request + 1, std::memory_order_relaxed); });
          }}},
        [this] { clear_table(); },
        [&] {
          for (std::uint64_t request : requests_)
            if (bases_[request >> shift_] != nullptr && bases_[request >> shift_][request & mask_] != request + 1)
              return false;
          return true;
        });
  }

  /// The hand-written loop: updates the word of each request, which is prefetched some requests before.
  template <class Update>
  void update_each(Update&& update) {
    const std::uint64_t ahead = 32, n = requests_.size();
    for (std::uint64_t i = 0; i < n; ++i) {
      if (i + ahead < n) prefetch_for_write(&bases_[requests_[i + ahead] >> shift_][requests_[i + ahead] & mask_]);
      update(Word(bases_[requests_[i] >> shift_][requests_[i] & mask_]), requests_[i]);
    }
    all_.barrier();
  }

  int member(std::uint64_t request) const { return static_cast<int>(request >> shift_); }
  void fill() {
    for (std::uint64_t i = 0; i < count_; ++i) table_[i] = random_bits(77, context_.pe().value() * count_ + i);
    std::fill(got_.begin(), got_.end(), 0);
    all_.barrier();
  }
  void clear_table() {
    std::fill(table_, table_ + count_, 0);
    all_.barrier();
  }
  /// Whether the table has a one for each request.
  bool has_counted_all() {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) sum += table_[i];
    return all_.allreduce_sum(sum) == requests_.size() * context_.npes();
  }

  void compare(const std::string& name, std::vector<Contender> contenders, const std::function<void()>& prepare,
               const std::function<bool()>& correct) {
    if (context_.job().nodes() > 1) contenders.resize(2);  // the limit is of one node
    std::vector<std::vector<double>> seconds(contenders.size());
    std::vector<std::uint64_t> messages(contenders.size());
    for (std::uint64_t trial = 0; trial <= trials_; ++trial)  // the first warms up
      for (std::size_t k = 0; k < contenders.size(); ++k) {
        prepare();
        all_.barrier();
        std::uint64_t sent = context_.endpoint().traffic().am_messages;
        std::int64_t begin = now_ns();
        contenders[k].run();
        double taken = all_.allreduce_max(1e-9 * static_cast<double>(now_ns() - begin));
        if (trial > 0) seconds[k].push_back(taken);
        messages[k] = context_.endpoint().traffic().am_messages - sent;
        if (!all_.all(correct())) {
          failed = true;
          if (all_.rank() == 0) std::fprintf(stderr, "%s: %s is wrong\n", name.c_str(), contenders[k].name.c_str());
        }
        all_.barrier();
      }
    for (std::size_t k = 0; k < contenders.size(); ++k)
      bench::record(context_, name, contenders[k].name,
                    fmt::format("\"bytes\": {}, \"table_bytes\": {}, \"requests_per_second\": {:.4g}, \"messages\": {}",
                                requests_.size() * 8, count_ * 8 * context_.npes(),
                                static_cast<double>(requests_.size()) / bench::median(seconds[k]), messages[k]),
                    seconds[k]);
  }

  runtime::Context& context_;
  std::uint64_t trials_;
  agg::Options first_, second_;
  std::string first_name_, second_name_;
  std::uint64_t mask_ = 0;
  Communicator all_;
  agg::Hub hub_;
  std::vector<std::uint64_t> requests_, got_;
  unsigned shift_ = 0;
  std::uint64_t count_ = 0;
  HeapOffset offset_;
  std::uint64_t* table_ = nullptr;
  std::vector<std::uint64_t*> bases_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, {{"trials", 7}, {"table", 8 << 20}, {"requests", 1'000'000}, {"memory", 4 << 20}},
                    [](runtime::Context& context, const bench::Options& options) {
                      Bench bench(context, options.at("trials"), options.at("table"), options.at("requests"),
                                  options.at("memory"));
                      bench.everything();
                      return !bench.failed;
                    });
}
