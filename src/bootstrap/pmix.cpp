// SPDX-License-Identifier: Apache-2.0
// PMIx through whatever libpmix is there at run time: best the very one that the launcher uses. The few types of its
// interface that we need are laid out here as its standard (versions 2 to 5) fixes them, so that building needs none
// of its headers.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>

#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"
#include "kinds.hpp"

namespace atl::runtime {
namespace {

// | offset | bytes | field                    |
// |--------|-------|--------------------------|
// |   0    |  256  | namespace, ends with 0   |
// |  256   |   4   | rank                     |
struct Process {
  char job[256];
  std::uint32_t rank;
};
static_assert(sizeof(Process) == 260);

// | offset | bytes | field                                             |
// |--------|-------|---------------------------------------------------|
// |   0    |   2   | type                                              |
// |   8    |  24   | bool, int, uint32 at 8; bytes: address 8, size 16 |
struct Value {
  std::uint16_t type;
  union {
    bool flag;
    int integer;
    std::uint32_t count;
    struct {
      char* address;
      std::size_t size;
    } bytes;
    char room[24];
  };
};
static_assert(sizeof(Value) == 32 && offsetof(Value, room) == 8);

// | offset | bytes | field |
// |--------|-------|-------|
// |   0    |  512  | key   |
// |  512   |   4   | flags |
// |  520   |  32   | value |
struct Info {
  char key[512];
  std::uint32_t flags;
  Value value;
};
static_assert(sizeof(Info) == 552 && offsetof(Info, value) == 520);

enum Type : std::uint16_t { type_bool = 1, type_int = 6, type_uint32 = 14, type_bytes = 27 };
constexpr std::uint8_t scope_global = 3;
constexpr std::uint32_t everybody = UINT32_MAX - 1;
constexpr int status_ok = 0, status_timeout = -24;

Info info_of(const char* key, Type type) {
  Info info{};
  std::strncpy(info.key, key, sizeof(info.key) - 1);
  info.value.type = type;
  return info;
}

Info info_of(const char* key, bool flag) {
  Info info = info_of(key, type_bool);
  info.value.flag = flag;
  return info;
}

Info info_of(const char* key, int number) {
  Info info = info_of(key, type_int);
  info.value.integer = number;
  return info;
}

// The library that one of our ancestors, the launcher's daemon, has loaded: it speaks the same version.
std::string library_of_launcher() {
  int pid = ::getppid();
  for (int generation = 0; generation < 5 && pid > 1; ++generation) {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    for (std::string line; std::getline(maps, line);) {
      std::size_t slash = line.find('/');
      std::size_t name = line.find("/libpmix.so");
      if (slash != std::string::npos && name != std::string::npos) return line.substr(slash);
    }
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(stat, line);
    std::size_t at = line.rfind(')');  // pid (name) state parent
    pid = at == std::string::npos || at + 4 >= line.size() ? 0 : std::atoi(line.c_str() + at + 4);
  }
  return {};
}

struct Library {
  int (*init)(Process*, Info*, std::size_t) = nullptr;
  int (*finalize)(const Info*, std::size_t) = nullptr;
  int (*put)(std::uint8_t scope, const char* key, Value*) = nullptr;
  int (*commit)() = nullptr;
  int (*fence)(const Process*, std::size_t, const Info*, std::size_t) = nullptr;
  int (*get)(const Process*, const char* key, const Info*, std::size_t, Value**) = nullptr;
  int (*abort)(int status, const char* message, Process*, std::size_t) = nullptr;
  const char* (*error_text)(int status) = nullptr;
};

Library load() {
  std::string tried;
  void* handle = nullptr;
  for (const std::string& name : {config::text(config::Variable::pmix_library), library_of_launcher(),
                                  std::string("libpmix.so.2"), std::string("libpmix.so")}) {
    if (name.empty()) continue;
    // Global: its plug-ins resolve their symbols against it.
    handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle != nullptr) break;
    tried += fmt::format("{}{}", tried.empty() ? "" : "; ", ::dlerror());
  }
  ATOLL_VALIDATE(handle != nullptr, SetupError,
                 "the launcher speaks PMIx, but libpmix cannot be loaded ({}). Install it (Debian: libpmix2), or set "
                 "ATOLL_PMIX_LIBRARY to its path",
                 tried);
  Library library;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    ATOLL_VALIDATE(function != nullptr, SetupError, "libpmix has no {}: it is older than version 2", name);
  };
  find(library.init, "PMIx_Init");
  find(library.finalize, "PMIx_Finalize");
  find(library.put, "PMIx_Put");
  find(library.commit, "PMIx_Commit");
  find(library.fence, "PMIx_Fence");
  find(library.get, "PMIx_Get");
  find(library.abort, "PMIx_Abort");
  find(library.error_text, "PMIx_Error_string");
  return library;
}

class Pmix final : public Bootstrap {
 public:
  Pmix() : library_(load()) {
    check(library_.init(&self_, nullptr, 0), "join the job");
    Process all = self_;
    all.rank = everybody;
    Value* value = nullptr;
    check(library_.get(&all, "pmix.job.size", nullptr, 0, &value), "say how many processes there are");
    size_ = value->count;
    std::free(value);
  }

  std::string_view name() const override { return "pmix"; }
  std::uint32_t rank() const override { return self_.rank; }
  std::uint32_t size() const override { return size_; }

  void publish(std::string_view key, std::string_view value) override {
    Value entry{};
    entry.type = type_bytes;
    entry.bytes = {const_cast<char*>(value.data()), value.size()};
    check(library_.put(scope_global, full(key).c_str(), &entry), "take an entry");
  }

  // One message to the daemon of this node; the daemons pass the data round in a tree.
  void exchange(Deadline deadline) override {
    check(library_.commit(), "take our entries");
    std::int64_t left = deadline.remaining_ns() / 1'000'000'000 + 1;
    Info wishes[] = {info_of("pmix.collect", true),
                     info_of("pmix.timeout", static_cast<int>(std::clamp<std::int64_t>(left, 1, 1'000'000)))};
    int status = library_.fence(nullptr, 0, wishes, deadline.remaining_ns() > 3'000'000'000'000'000 ? 1 : 2);
    ATOLL_VALIDATE(status != status_timeout, TimeoutError,
                   "not all {} processes of the job came together in time. Did one end before it used Atoll?", size_);
    check(status, "let all processes meet");
  }

  std::string lookup(std::uint32_t rank, std::string_view key) override {
    Process other = self_;
    other.rank = rank;
    Value* value = nullptr;
    Info wishes[] = {info_of("pmix.timeout", 60)};
    int status = library_.get(&other, full(key).c_str(), wishes, 1, &value);
    ATOLL_VALIDATE(status == status_ok && value != nullptr && value->type == type_bytes, SetupError,
                   "process {} has told the launcher nothing under '{}' ({}). Do all PEs run the same program?", rank,
                   key, library_.error_text(status));
    std::string found(value->bytes.address, value->bytes.size);
    std::free(value->bytes.address);
    std::free(value);
    return found;
  }

  void finalize() override { check(library_.finalize(nullptr, 0), "let us go"); }
  void abort(int status, std::string_view why) noexcept override {
    library_.abort(status, std::string(why).c_str(), nullptr, 0);
  }

 private:
  static std::string full(std::string_view key) { return fmt::format("atoll.{}", key); }
  void check(int status, const char* what) const {
    if (status != status_ok)
      raise<SetupError>(fmt::format("the launcher did not {} (PMIx: {})", what, library_.error_text(status)));
  }

  Library library_;
  Process self_{};
  std::uint32_t size_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> make_pmix() { return std::make_unique<Pmix>(); }

}  // namespace atl::runtime
