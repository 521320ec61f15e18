// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/guests.hpp"

namespace atl::runtime {
namespace {

std::uint32_t whole_number(config::Variable variable, const char* name) {
  std::string text = config::text(variable);
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  ATOLL_VALIDATE(error == std::errc{} && end == text.data() + text.size(), SetupError,
                 "ATOLL_JOB is set, but {}='{}' is not a whole number. Start with `atoll run`, or unset ATOLL_JOB",
                 name, text);
  return value;
}

// ATOLL_GUESTS is first:count:note.
std::optional<fabric::Cohort> cohort_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::uint32_t first = 0, count = 0;
  const char* end = text.data() + text.size();
  const char* at = std::from_chars(text.data(), end, first).ptr;
  if (at != end) std::from_chars(at + 1, end, count);
  return fabric::Cohort{PeId(first), count};
}

fabric::Cohort cohort_from_environment(const fabric::Job& job) {
  const std::string text = config::text(config::Variable::guests);
  const auto found = cohort_of(text);
  if (!found) return {PeId(0), job.npes()};
  const std::uint32_t first = found->first.value();
  ATOLL_VALIDATE(
      first >= job.npes() && first <= job.places() && found->count >= 1 && found->count <= job.places() - first,
      SetupError, "ATOLL_GUESTS='{}' does not fit the job. It is set by MPI_Comm_spawn", text);
  return *found;
}

}  // namespace

std::string note_for_guest() {
  std::string text = config::text(config::Variable::guests);
  for (int part = 0; part < 2; ++part) {
    auto end = text.find(':');
    text.erase(0, end == std::string::npos ? end : end + 1);
  }
  return text;
}

std::optional<Membership> join_from_environment() {
  std::string name = config::text(config::Variable::job);
  if (name.empty()) {
    auto bootstrap = bootstrap_from_environment();
    if (!bootstrap) return std::nullopt;
    if (auto cohort = cohort_of(config::text(config::Variable::guests)))
      return join_as_guest(std::move(bootstrap), *cohort);
    Membership membership = join_through(std::move(bootstrap));
    if (membership.pe == PeId(0)) config::warn_of_unknown_names();
    return membership;
  }
  std::uint32_t pe = whole_number(config::Variable::pe, "ATOLL_PE");
  std::uint32_t npes = whole_number(config::Variable::npes, "ATOLL_NPES");
  auto validate_place = [&](bool there) {
    ATOLL_VALIDATE(there, SetupError, "ATOLL_PE={} is not one of ATOLL_NPES={} PEs. Start with `atoll run`", pe, npes);
  };
  validate_place(pe < npes || !config::text(config::Variable::guests).empty());  // whether or not there is such a job
  auto job = fabric::Job::join_shm(name);
  ATOLL_VALIDATE(job->npes() == npes, SetupError, "ATOLL_NPES={}, but the job has {} PEs. Start with `atoll run`", npes,
                 job->npes());
  job->set_cohort(cohort_from_environment(*job));
  std::uint32_t place = pe - job->cohort().first.value();
  validate_place(pe >= job->cohort().first.value() && place < job->cohort().count);
  return Membership{std::move(job), PeId(pe)};
}

bool in_job() { return !config::text(config::Variable::job).empty() || started_by_foreign_launcher(); }

Membership single_job(const fabric::JobOptions& options) {
  ATOLL_EXPECT(options.npes == 1);
  return {fabric::Job::create_loop(options), PeId(0)};
}

ProcessSeat::ProcessSeat(Membership (*alone)()) : owner_(::getpid()) {
  if (auto membership = join_from_environment()) {
    membership_ = *std::move(membership);
  } else {
    config::warn_of_unknown_names();
    membership_ = alone();
  }
}

ProcessSeat::~ProcessSeat() {
  if (::getpid() != owner_) new Membership(std::move(membership_));
}

std::vector<std::pair<std::string, std::string>> environment_of(const fabric::Job& job, PeId pe, unsigned threads) {
  return {{"ATOLL_JOB", job.join_name()},
          {"ATOLL_PE", fmt::format("{}", pe.value())},
          {"ATOLL_NPES", fmt::format("{}", job.npes())},
          {"ATOLL_THREADS", fmt::format("{}", threads)}};
}

}  // namespace atl::runtime
