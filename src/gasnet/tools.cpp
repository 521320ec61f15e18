// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <execinfo.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "atoll/base/clock.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

std::atomic<const gasnett_backtrace_type_t*> users_backtrace{nullptr};

}  // namespace

const char* error_name(int code) {
  switch (code) {
    case GASNET_OK: return "GASNET_OK";
    case GASNET_ERR_NOT_INIT: return "GASNET_ERR_NOT_INIT";
    case GASNET_ERR_RESOURCE: return "GASNET_ERR_RESOURCE";
    case GASNET_ERR_BAD_ARG: return "GASNET_ERR_BAD_ARG";
    case GASNET_ERR_NOT_READY: return "GASNET_ERR_NOT_READY";
    case GASNET_ERR_BARRIER_MISMATCH: return "GASNET_ERR_BARRIER_MISMATCH";
    default: return "no known error";
  }
}

const char* error_text(int code) {
  switch (code) {
    case GASNET_OK: return "no error";
    case GASNET_ERR_NOT_INIT: return "the library is not initialized";
    case GASNET_ERR_RESOURCE: return "something needed is not there";
    case GASNET_ERR_BAD_ARG: return "an argument is invalid";
    case GASNET_ERR_NOT_READY: return "the operation is not complete";
    case GASNET_ERR_BARRIER_MISMATCH: return "the names of a barrier differ";
    default: return "no known error";
  }
}

gasnett_tick_t ticks() { return static_cast<gasnett_tick_t>(now_ns()); }

int sleep_ns(std::uint64_t ns) {
  if (ns == 0) return 0;
  const timespec length{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  return ::nanosleep(&length, nullptr);
}

int processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                        : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

const char* host_name() {
  static const std::string name = [] {
    char text[HOST_NAME_MAX + 1] = {};
    return std::string(::gethostname(text, sizeof(text) - 1) == 0 ? text : "localhost");
  }();
  return name.c_str();
}

const char* program_name() {
  static const std::string name = [] {
    char text[PATH_MAX] = {};
    const ssize_t length = ::readlink("/proc/self/exe", text, sizeof(text) - 1);
    return std::string(text, length < 0 ? 0 : static_cast<std::size_t>(length));
  }();
  return name.c_str();
}

std::uint64_t microseconds() {
  timeval now{};
  (void)::gettimeofday(&now, nullptr);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_usec);
}

// FNV-1a.
std::uint64_t checksum(const void* data, int bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (int i = 0; i < bytes; ++i) sum = (sum ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  return sum;
}

std::size_t count_zeros(const void* data, std::size_t bytes) {
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < bytes; ++i) zeros += static_cast<const unsigned char*>(data)[i] == 0 ? 1 : 0;
  return zeros;
}

std::size_t copy_and_count_zeros(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
  return count_zeros(to, bytes);
}

void* map_memory(std::uintptr_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

gasnett_sighandlerfn_t set_signal_handler(int signal, gasnett_sighandlerfn_t handler) {
  return ::signal(signal, handler);
}

int bind_thread(int rank) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(rank) % static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN)), &set);
  return ::sched_setaffinity(0, sizeof(set), &set);
}

void raise_limits() {
  for (auto what : {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK}) {
    rlimit limit{};
    if (::getrlimit(what, &limit) != 0 || limit.rlim_cur == limit.rlim_max) continue;
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(what, &limit);
  }
}

void flush_streams() { (void)std::fflush(nullptr); }

void close_streams() {
  for (FILE* stream : {stdin, stdout, stderr}) (void)std::fclose(stream);
}

void end_process(int status) { std::_Exit(status); }

void prepare_backtrace(const gasnett_backtrace_type_t* users) {
  users_backtrace.store(users, std::memory_order_release);  // partner: print_backtrace()
}

int print_backtrace(int descriptor) {
  const auto* users = users_backtrace.load(std::memory_order_acquire);  // partner: prepare_backtrace()
  if (users != nullptr && users->fnp(descriptor) == 0) return 0;
  void* calls[64];
  const int count = ::backtrace(calls, 64);
  ::backtrace_symbols_fd(calls, count, descriptor);
  return count > 0 ? 0 : 1;
}

}  // namespace atl::gasnet

// Written by hand: its arguments vary.
extern "C" void gasnet_atoll_fatal(const char* function, const char* file, int line, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char text[2048];
  (void)std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  std::string where = function == nullptr ? std::string() : fmt::format(" in {} at {}:{}", function, file, line);
  std::fflush(nullptr);
  std::fprintf(stderr, "*** FATAL ERROR%s: %s\n", where.c_str(), text);
  (void)atl::gasnet::print_backtrace(STDERR_FILENO);
  std::abort();
}
