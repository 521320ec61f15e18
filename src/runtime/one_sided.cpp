// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/one_sided.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/config.hpp"

namespace atl::runtime {
namespace {

NodeInfo describe_node(const fabric::Job& job, PeId pe, unsigned threads) {
  NodeInfo node;
  node.pes = job.local_pes();
  node.pes += job.guests_here();
  node.rank = job.place_of(pe);
  node.cores = std::max(1u, job.control().cores);
  if (threads == 0) threads = static_cast<unsigned>(config::integer(config::Variable::threads));
  if (threads == 0) threads = job.control().threads_per_pe;
  if (threads == 0) threads = std::max(1u, node.cores / node.pes);
  node.threads = threads;
  node.oversubscribed = std::uint64_t{node.pes} * threads > node.cores;
  return node;
}

}  // namespace

OneSided::OneSided(std::shared_ptr<fabric::Job> job, PeId pe, unsigned threads)
    : job_(std::move(job)),
      pe_(pe),
      npes_(job_->cohort().count),
      segment_(job_->segment(pe)),
      endpoint_(job_, pe),
      node_(describe_node(*job_, pe, threads)),
      world_(Team::strided(job_->cohort().first.value(), 1, npes_, pe)) {}

std::unique_ptr<fabric::Endpoint> OneSided::make_endpoint() const {
  return std::make_unique<fabric::Endpoint>(job_, pe_);
}

}  // namespace atl::runtime
