// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/static_data.hpp"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/private_pages.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::runtime {
namespace {

// The one instance: global data is the process's, and so is what fork() does with it.
std::atomic<StaticData*> instance{nullptr};

const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

struct Part {
  std::uintptr_t begin;      // all multiples of the page size
  std::uintptr_t from_file;  // up to here pages have contents from the file
  std::uintptr_t end;
};

std::uintptr_t page_down(std::uintptr_t at) { return at / page * page; }
std::uintptr_t page_up(std::uintptr_t at) { return round_up<std::uintptr_t>(at, page); }

bool is_system_library(std::string_view path) {
  static constexpr std::array folders{"/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
  for (std::string_view folder : folders)
    if (path.starts_with(folder)) return true;
  // Compilers and their libraries may be installed anywhere; the kernel's vdso has no folder.
  static constexpr std::array names{
      "linux-vdso", "ld-linux", "libc.",      "libm.",      "libpthread.", "libdl.",   "librt.",       "libgcc_s.",
      "libstdc++.", "libc++",   "libunwind.", "libatomic.", "libgomp.",    "libomp.",  "libgfortran.", "libquadmath.",
      "libasan.",   "libtsan.", "libubsan.",  "liblsan.",   "libfmt.",     "libhwloc."};
  path.remove_prefix(path.rfind('/') + 1);
  for (std::string_view name : names)
    if (path.starts_with(name)) return true;
  return false;
}

bool holds_this_code(const dl_phdr_info& object) {
  auto here = reinterpret_cast<std::uintptr_t>(&is_system_library);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& header = object.dlpi_phdr[i];
    std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && here >= begin && here < begin + header.p_memsz) return true;
  }
  return false;
}

// Writable pages of one object, without those that the loader makes read-only after relocation.
void add_parts(const dl_phdr_info& object, std::vector<Part>& parts) {
  std::uintptr_t sealed_begin = 0, sealed_end = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      sealed_begin = page_down(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
      sealed_end = page_down(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr + object.dlpi_phdr[i].p_memsz);
    }
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0 || header.p_memsz == 0) continue;
    std::uintptr_t start = object.dlpi_addr + header.p_vaddr;
    Part part{page_down(start), page_up(start + header.p_filesz), page_up(start + header.p_memsz)};
    // A linker puts the sealed pages first, so what follows them is one piece.
    if (sealed_begin <= part.begin && sealed_end > part.begin) part.begin = std::min(sealed_end, part.end);
    part.from_file = std::clamp(part.from_file, part.begin, part.end);
    if (part.begin != part.end) parts.push_back(part);
  }
}

std::vector<Part> find_parts() {
  struct Search {
    std::vector<Part> parts;
    bool first = true;
  } search;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* state) {
        auto& search = *static_cast<Search*>(state);
        bool program = std::exchange(search.first, false);  // the executable comes first
        if (program || (!is_system_library(object->dlpi_name) && !holds_this_code(*object)))
          add_parts(*object, search.parts);
        return 0;
      },
      &search);
  return std::move(search.parts);
}

std::size_t bytes_of(const std::vector<Part>& parts) {
  std::size_t bytes = 0;
  for (const Part& part : parts) bytes += part.end - part.begin;
  return bytes;
}

// By words, and unseen by the sanitizers, which guard the gaps between variables.
__attribute__((no_sanitize("address", "thread"))) void copy_pages(std::byte* into, const std::byte* from,
                                                                  std::size_t bytes) {
  auto* out = reinterpret_cast<volatile std::uint64_t*>(into);
  auto* in = reinterpret_cast<const volatile std::uint64_t*>(from);
  for (std::size_t i = 0; i < bytes / 8; ++i) out[i] = in[i];
}

// Copies those pages of .bss that were ever used. Nothing is known without the kernel's page map: then it copies all
// that is not zero.
class UsedPages {
 public:
  UsedPages() : file_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~UsedPages() {
    if (file_ >= 0) ::close(file_);
  }
  UsedPages(const UsedPages&) = delete;
  UsedPages& operator=(const UsedPages&) = delete;

  void copy(std::byte* into, std::uintptr_t begin, std::uintptr_t end) const {
    std::array<std::uint64_t, 512> entries;
    while (begin < end) {
      std::size_t pages = std::min<std::size_t>((end - begin) / page, entries.size());
      ssize_t got = ::pread(file_, entries.data(), pages * 8, static_cast<off_t>(begin / page * 8));
      bool known = got == static_cast<ssize_t>(pages * 8);
      for (std::size_t i = 0; i < pages; ++i, begin += page, into += page) {
        auto* from = reinterpret_cast<const std::byte*>(begin);
        constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
        if (known ? (entries[i] & present_or_swapped) != 0 : !is_zero(from)) copy_pages(into, from, page);
      }
    }
  }

 private:
  __attribute__((no_sanitize("address", "thread"))) static bool is_zero(const std::byte* from) {
    auto* in = reinterpret_cast<const volatile std::uint64_t*>(from);
    for (std::size_t i = 0; i < page / 8; ++i)
      if (in[i] != 0) return false;
    return true;
  }
  int file_;
};

// Changes by a signal handler between copy and exchange of the pages would be lost.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void validate_alike(Context& context, const std::vector<Part>& parts) {
  auto bytes = context.exchange(bytes_of(parts));
  std::uint64_t digest = 0;
  for (const Part& part : parts) digest = digest * 0x9E3779B97F4A7C15ull + (part.end - part.begin);
  auto digests = context.exchange(digest);
  for (std::uint32_t pe = 1; pe < context.npes(); ++pe)
    ATOLL_VALIDATE(
        bytes[pe] == bytes[0] && digests[pe] == digests[0], ValueError,
        "global data differs among PEs: PE 0 has {} bytes of it, PE {} has {}{}. Run the same program on all "
        "PEs",
        bytes[0], pe, bytes[pe], bytes[pe] == bytes[0] ? ", in other pieces" : "");
}

}  // namespace

std::size_t StaticData::bytes_needed() { return bytes_of(find_parts()); }

StaticData::StaticData(Context& context) : context_(context) {
  ATOLL_VALIDATE(context.job().kind() == fabric::Kind::shm, ValueError,
                 "PEs that are threads share their global data already");
  ATOLL_VALIDATE(instance.load(std::memory_order_relaxed) == nullptr, ValueError,
                 "this process's global data is in a segment already");
  std::vector<Part> parts = find_parts();
  validate_alike(context, parts);
  ATOLL_VALIDATE(bytes_of(parts) <= context.static_area_bytes(), SetupError,
                 "{} of global data do not fit into {}: a library was loaded in between", format_bytes(bytes_of(parts)),
                 format_bytes(context.static_area_bytes()));
  HeapOffset at = context.static_area();
  for (const Part& part : parts) {
    regions_.push_back({reinterpret_cast<std::byte*>(part.begin), part.end - part.begin, at});
    at = HeapOffset(at.value() + (part.end - part.begin));
  }
  copies_.resize(regions_.size());
  static const int registered = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  ATOLL_VALIDATE(registered == 0, SetupError, "no memory to watch fork()");
  {
    UsedPages used;
    SignalsBlocked blocked;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      std::byte* into = context.local_pointer(regions_[i].at);
      copy_pages(into, regions_[i].begin, parts[i].from_file - parts[i].begin);
      used.copy(into + (parts[i].from_file - parts[i].begin), parts[i].from_file, parts[i].end);
      context.job().map_over(context.pe(), regions_[i].at, regions_[i].begin, regions_[i].bytes);
    }
  }
  instance.store(this, std::memory_order_release);  // partner: the fork handlers
  context.barrier();                                // from here on peers may use it
}

StaticData::~StaticData() {
  if (instance.load(std::memory_order_acquire) != this) return;  // a child of fork(): private already
  make_private();
  instance.store(nullptr, std::memory_order_release);
  // Zero again, for a next one.
  ::madvise(context_.local_pointer(context_.static_area()), context_.static_area_bytes(), MADV_REMOVE);
}

// Null: no memory. Allocates nothing else: malloc may be in the state that fork() found it in.
std::byte* StaticData::copy_of(const StaticRegion& region) const {
  std::byte* copy = fabric::private_pages(region.bytes);
  if (copy == nullptr) return nullptr;
  const std::byte* segment = context_.local_pointer(HeapOffset(0));
  std::uint64_t end = region.at.value() + region.bytes;
  for (std::uint64_t at = region.at.value(); at < end;) {
    auto extent = context_.job().touched(context_.pe(), HeapOffset(at), end - at);
    if (extent.bytes == 0) break;
    copy_pages(copy + (extent.at.value() - region.at.value()), segment + extent.at.value(), extent.bytes);
    at = extent.at.value() + extent.bytes;
  }
  return copy;
}

void StaticData::make_private() {
  SignalsBlocked blocked;
  for (const StaticRegion& region : regions_) {
    std::byte* copy = copy_of(region);
    // Without memory the shared pages stay: they last as long as the process.
    if (copy != nullptr && !fabric::move_pages(copy, region.begin, region.bytes))
      fabric::release_pages(copy, region.bytes);
  }
}

// The child must not see what the parent and its peers do from now on, nor they what the child does. So the copy is
// made before there are two.
void StaticData::before_fork() {
  StaticData* data = instance.load(std::memory_order_acquire);
  if (data == nullptr) return;
  data->forking_.lock();
  for (std::size_t i = 0; i < data->regions_.size(); ++i) data->copies_[i] = data->copy_of(data->regions_[i]);
}

void StaticData::after_fork_in_parent() {
  StaticData* data = instance.load(std::memory_order_acquire);
  if (data == nullptr) return;
  for (std::size_t i = 0; i < data->regions_.size(); ++i)
    if (data->copies_[i] != nullptr) fabric::release_pages(data->copies_[i], data->regions_[i].bytes);
  data->forking_.unlock();
}

void StaticData::after_fork_in_child() {
  StaticData* data = instance.load(std::memory_order_acquire);
  if (data == nullptr) return;
  for (std::size_t i = 0; i < data->regions_.size(); ++i) {
    const StaticRegion& region = data->regions_[i];
    if (data->copies_[i] != nullptr && fabric::move_pages(data->copies_[i], region.begin, region.bytes)) continue;
    static constexpr std::string_view text = "atoll: no memory for the global data of a child process\n";
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(127);
  }
  data->forking_.unlock();
  instance.store(nullptr, std::memory_order_release);
}

}  // namespace atl::runtime
