// SPDX-License-Identifier: Apache-2.0
// PMI-1 and PMI-2 over the socket that the launcher left in PMI_FD. PMI-1 is lines of `key=value` words; PMI-2 is
// six characters of length, and then `key=value;` items.
#include <fmt/format.h>

#include <map>

#include "atoll/base/config.hpp"
#include "atoll/base/raise.hpp"
#include "kinds.hpp"
#include "table.hpp"
#include "wire.hpp"

namespace atl::runtime {
namespace {

using Answer = std::map<std::string, std::string>;

Answer parse(std::string_view text, char separator) {
  Answer answer;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) answer.emplace(item.substr(0, equals), item.substr(equals + 1));
  }
  return answer;
}

std::string value_of(const Answer& answer, const std::string& key) {
  auto at = answer.find(key);
  return at == answer.end() ? std::string() : at->second;
}

// One answer should take microseconds. A launcher that is alive and silent is stuck.
Deadline soon() {
  double limit = config::seconds(config::Variable::peer_timeout);
  return limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
}

class Pmi : public TableBootstrap {
 public:
  Pmi(const PmiPlace& place, std::string_view protocol)
      : TableBootstrap(place.rank, place.size),
        protocol_(protocol),
        wire_(place.descriptor, fmt::format("the launcher ({} over PMI_FD={})", protocol, place.descriptor)) {}

  std::string_view name() const override { return protocol_; }

 protected:
  [[noreturn]] void refuse(const std::string& request, const Answer& answer) {
    std::string reason = value_of(answer, "msg").empty() ? value_of(answer, "errmsg") : value_of(answer, "msg");
    raise<SetupError>(
        fmt::format("{} refused '{}': {}", wire_.whose(), request, reason.empty() ? "no reason given" : reason));
  }
  std::string_view protocol_;
  Wire wire_;
};

class Pmi1 final : public Pmi {
 public:
  explicit Pmi1(const PmiPlace& place) : Pmi(place, "pmi1") {
    expect("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", soon());
    Answer most = expect("cmd=get_maxes", "maxes", soon());
    unsigned long value = std::strtoul(value_of(most, "vallen_max").c_str(), nullptr, 10);
    if (value >= 64) value_bytes_ = std::min<unsigned long>(value - 1, 60'000);
    table_ = value_of(expect("cmd=get_my_kvsname", "my_kvsname", soon()), "kvsname");
  }

  void finalize() override { expect("cmd=finalize", "finalize_ack", soon()); }
  void abort(int status, std::string_view) noexcept override {
    try {
      wire_.write(fmt::format("cmd=abort exitcode={}\n", status), Deadline::after_seconds(1));
    } catch (...) {  // the launcher is gone
    }
  }

 protected:
  void put(const std::string& key, const std::string& value) override {
    expect(fmt::format("cmd=put kvsname={} key={} value={}", table_, key, value), "put_result", soon());
  }
  void fence(Deadline deadline) override { expect("cmd=barrier_in", "barrier_out", deadline); }
  std::optional<std::string> get(const std::string& key) override {
    Answer answer = ask(fmt::format("cmd=get kvsname={} key={}", table_, key), "get_result", soon());
    if (value_of(answer, "rc") != "0" || value_of(answer, "found") == "FALSE") return std::nullopt;
    return value_of(answer, "value");
  }

 private:
  Answer ask(const std::string& request, std::string_view reply, Deadline deadline) {
    wire_.write(request + "\n", deadline);
    Answer answer = parse(wire_.read_line(deadline), ' ');
    if (value_of(answer, "cmd") != reply) refuse(request, answer);
    return answer;
  }
  Answer expect(const std::string& request, std::string_view reply, Deadline deadline) {
    Answer answer = ask(request, reply, deadline);
    std::string code = value_of(answer, "rc");
    if (!code.empty() && code != "0") refuse(request, answer);
    return answer;
  }

  std::string table_;
};

class Pmi2 final : public Pmi {
 public:
  explicit Pmi2(const PmiPlace& place) : Pmi(place, "pmi2") {
    value_bytes_ = 1000;  // PMI2_MAX_VALLEN is 1024
    // The first exchange is in the form of PMI-1, so that both sides can agree on a version.
    wire_.write("cmd=init pmi_version=2 pmi_subversion=0\n", soon());
    Answer answer = parse(wire_.read_line(soon()), ' ');
    if (value_of(answer, "rc") != "0" || value_of(answer, "pmi_version") != "2") refuse("init", answer);
    expect("fullinit",
           fmt::format("pmijobid={};pmirank={};threaded=FALSE;", config::launcher_variable("PMI_JOBID"), place.rank),
           soon());
  }

  void finalize() override { expect("finalize", "", soon()); }
  void abort(int, std::string_view why) noexcept override {
    try {
      std::string text(why);
      for (char& one : text)
        if (one == ';' || one == '\n') one = ',';
      say("abort", fmt::format("isworld=TRUE;msg={};", text), Deadline::after_seconds(1));
    } catch (...) {  // the launcher is gone
    }
  }

 protected:
  void put(const std::string& key, const std::string& value) override {
    expect("kvs-put", fmt::format("key={};value={};", key, value), soon());
  }
  void fence(Deadline deadline) override { expect("kvs-fence", "", deadline); }
  std::optional<std::string> get(const std::string& key) override {
    Answer answer =
        ask("kvs-get", fmt::format("jobid={};srcid=-1;key={};", config::launcher_variable("PMI_JOBID"), key), soon());
    if (value_of(answer, "flag") == "FALSE" || !answer.contains("value")) return std::nullopt;
    return value_of(answer, "value");
  }

 private:
  void say(const std::string& command, const std::string& items, Deadline deadline) {
    std::string text = fmt::format("cmd={};{}", command, items);
    wire_.write(fmt::format("{:6}{}", text.size(), text), deadline);
  }
  Answer ask(const std::string& command, const std::string& items, Deadline deadline) {
    say(command, items, deadline);
    std::string count = wire_.read_exactly(6, deadline);
    Answer answer = parse(wire_.read_exactly(std::strtoul(count.c_str(), nullptr, 10), deadline), ';');
    if (value_of(answer, "cmd") != command + "-response") refuse(command, answer);
    return answer;
  }
  void expect(const std::string& command, const std::string& items, Deadline deadline) {
    Answer answer = ask(command, items, deadline);
    if (value_of(answer, "rc") != "0") refuse(command, answer);
  }
};

}  // namespace

std::unique_ptr<Bootstrap> make_pmi1(const PmiPlace& place) { return std::make_unique<Pmi1>(place); }
std::unique_ptr<Bootstrap> make_pmi2(const PmiPlace& place) { return std::make_unique<Pmi2>(place); }

}  // namespace atl::runtime
