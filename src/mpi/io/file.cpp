// SPDX-License-Identifier: Apache-2.0
// All file functions except reading and writing.
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "atoll/base/log.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "core/memory_kinds.hpp"
#include "datatype/checked.hpp"
#include "io/report.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

using io::Count;
using io::Representation;

/// An error in one member's own arguments is a Failure on all members: no member waits for one that does not take
/// part.
template <class Checks>
void check_together(coll::Communicator& members, const std::string& path, Checks&& checks) {
  std::optional<Failure> mine;
  try {
    checks();
  } catch (...) { mine = current_failure(); }
  std::int64_t worst = members.allreduce_max(mine ? mine->code : MPI_SUCCESS);
  if (mine) throw std::move(*mine);
  ATOLL_MPI_REQUIRE(worst == MPI_SUCCESS, static_cast<int>(worst),
                    "another rank has given something wrong for '{}', and says what", path);
}

/// The file of a collective call. Runs this rank's argument checks; a failed check throws Failure on all members.
template <class Checks>
File& collective_on(MPI_File handle, Checks&& checks) {
  auto& file = need<File>(handle);
  check_together(file.coll(), file.path(), [&] {
    ATOLL_MPI_REQUIRE(!file.split, MPI_ERR_UNSUPPORTED_OPERATION,
                      "a split collective operation on '{}' has begun and not ended", file.path());
    checks(file);
  });
  return file;
}
File& collective_on(MPI_File handle) {
  return collective_on(handle, [](File&) {});
}

struct Given {
  std::int64_t value;
  const char* what;
};

/// Throws Failure on all members unless the values are equal on all. One maximum reduction over each value and its
/// complement gives the greatest and the least.
template <std::size_t count>
void need_same(File& file, const Given (&given)[count]) {
  std::int64_t mine[2 * count], most[2 * count];
  for (std::size_t i = 0; i < count; ++i) {
    mine[2 * i] = given[i].value;
    mine[2 * i + 1] = ~given[i].value;
  }
  file.coll().allreduce(mine, most, 2 * count, coll::reduction_of<std::int64_t>(coll::Op::max));
  for (std::size_t i = 0; i < count; ++i)
    ATOLL_MPI_REQUIRE(most[2 * i] == ~most[2 * i + 1], MPI_ERR_NOT_SAME, "ranks give different {}: from {} to {}",
                      given[i].what, ~most[2 * i + 1], most[2 * i]);
}

void check_mode(int mode) {
  bool read = mode & MPI_MODE_RDONLY, write = mode & MPI_MODE_WRONLY, both = mode & MPI_MODE_RDWR;
  ATOLL_MPI_REQUIRE(read + write + both == 1, MPI_ERR_AMODE,
                    "the mode {:#x} needs one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR", mode);
  ATOLL_MPI_REQUIRE(
      !read || (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) == 0, MPI_ERR_AMODE,
      "MPI_MODE_CREATE and MPI_MODE_EXCL cannot be combined with MPI_MODE_RDONLY (a new file must be written)");
  ATOLL_MPI_REQUIRE(!both || (mode & MPI_MODE_SEQUENTIAL) == 0, MPI_ERR_AMODE,
                    "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR");
}

std::string path_of(const char* name) {
  ATOLL_MPI_REQUIRE(*name != 0, MPI_ERR_BAD_FILE, "the file has no name");
  std::string_view path = name;
  // ROMIO's file-system prefixes.
  for (std::string_view prefix : {"ufs:", "nfs:", "unix:"})
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
  return std::string(path);
}

}  // namespace

File::File(Ref<Comm> comm, std::string name, int mode, const Info::Entries& entries)
    : Object(kind), comm_(std::move(comm)), path_(std::move(name)), mode_(mode) {
  hints.take(entries);
  need_same(*this, {{mode, "modes"}});
  check_mode(mode);
  // Rank 0 creates the file; the others open it.
  int error = 0;
  std::string why;
  if (comm_->rank() == 0) open_once(error, why);
  error = coll().broadcast_value(error, 0);
  if (error == 0 && comm_->rank() != 0) {
    mode_ &= ~(MPI_MODE_CREATE | MPI_MODE_EXCL);
    open_once(error, why);
    mode_ = mode;
  }
  error = coll().allreduce_max(error);
  if (error != 0) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    fail(io::error_class_of(error), "cannot open '{}': {}", path_, io::sentence_of(error));
  }
  shared.make(*comm_);
  if ((mode & MPI_MODE_APPEND) != 0) {
    position = size();
    if (comm_->rank() == 0) shared.set(*comm_, position);
    coll().barrier();
  }
  if (hints.statistics || io::statistics_wanted()) statistics.enable();
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

void File::open_once(int& error, std::string&) {
  int flags = O_CLOEXEC;
  if ((mode_ & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
  if ((mode_ & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
  bool only_read = (mode_ & MPI_MODE_RDONLY) != 0;
  readable_ = true;
  fd_ = ::open(path_.c_str(), flags | (only_read ? O_RDONLY : O_RDWR), hints.permissions);
  if (fd_ < 0 && errno == EACCES && (mode_ & MPI_MODE_WRONLY) != 0) {
    readable_ = false;
    fd_ = ::open(path_.c_str(), flags | O_WRONLY, hints.permissions);
  }
  error = fd_ < 0 ? errno : 0;
  struct stat about{};
  if (fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISDIR(about.st_mode)) error = EISDIR;
}

void File::settle() {
  library().progress().wait(
      [this] { return under_way.load(std::memory_order_acquire) == 0; });  // partner: the end of an access
}

void File::close() {
  settle();
  if (statistics.enabled()) io::report(*this);
  coll().barrier();
  ::close(fd_);
  fd_ = -1;
  shared.release(*comm_);
  if ((mode_ & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    if (comm_->rank() == 0) ::unlink(path_.c_str());
    coll().barrier();
  }
}

Count File::size() const {
  struct stat about{};
  ATOLL_MPI_REQUIRE(::fstat(fd_, &about) == 0, io::error_class_of(errno), "cannot see the size of '{}': {}", path_,
                    io::sentence_of(errno));
  return about.st_size;
}

void file_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  Ref<Comm> own = need_intra(comm).duplicate();
  std::string path;
  Info::Entries entries;
  check_together(own->coll(), name == nullptr ? "" : name, [&] {
    ATOLL_MPI_REQUIRE(file != nullptr, MPI_ERR_ARG, "no place for the file");
    ATOLL_MPI_REQUIRE(name != nullptr, MPI_ERR_ARG, "the file's name is a null pointer");
    path = path_of(name);
    entries = entries_of(info);
  });
  give(make<File>(std::move(own), std::move(path), mode, entries), file);
}

void file_close(MPI_File* handle) {
  ATOLL_MPI_REQUIRE(handle != nullptr, MPI_ERR_ARG, "no file");
  File& file = collective_on(*handle);
  file.close();
  file.release();
  *handle = MPI_FILE_NULL;
}

void file_delete(const char* name, MPI_Info) {
  std::string path = path_of(name);
  ATOLL_MPI_REQUIRE(::unlink(path.c_str()) == 0, io::error_class_of(errno), "cannot delete '{}': {}", path,
                    io::sentence_of(errno));
}

namespace {

void need_writable(const File& file) {
  ATOLL_MPI_REQUIRE(file.may_write(), MPI_ERR_READ_ONLY, "'{}' was opened for reading only", file.path());
}

/// Runs `change` on rank 0 and throws its error on all members.
template <class Change>
void change_once(File& file, const char* what, Change&& change) {
  int error = 0;
  if (file.comm().rank() == 0) error = change();
  error = file.coll().broadcast_value(error, 0);
  ATOLL_MPI_REQUIRE(error == 0, io::error_class_of(error), "cannot {} '{}': {}", what, file.path(),
                    io::sentence_of(error));
}

}  // namespace

void file_set_size(MPI_File handle, MPI_Offset size) {
  File& file = collective_on(handle, need_writable);
  need_same(file, {{size, "sizes"}});
  ATOLL_MPI_REQUIRE(size >= 0, MPI_ERR_ARG, "a file of {} bytes", size);
  change_once(file, "resize", [&] { return ::ftruncate(file.fd(), size) == 0 ? 0 : errno; });
}

void file_preallocate(MPI_File handle, MPI_Offset size) {
  File& file = collective_on(handle, need_writable);
  need_same(file, {{size, "sizes"}});
  ATOLL_MPI_REQUIRE(size >= 0, MPI_ERR_ARG, "a file of {} bytes", size);
  change_once(file, "reserve space for", [&] { return size == 0 ? 0 : ::posix_fallocate(file.fd(), 0, size); });
}

void file_get_size(MPI_File handle, MPI_Offset* size) { *size = need<File>(handle).size(); }

void file_get_group(MPI_File handle, MPI_Group* group) { give(Ref<Group>(need<File>(handle).comm().local()), group); }

void file_get_amode(MPI_File handle, int* mode) { *mode = need<File>(handle).mode(); }

void file_set_info(MPI_File handle, MPI_Info info) {
  Info::Entries entries;
  File& file = collective_on(handle, [&](File&) { entries = entries_of(info); });
  file.settle();
  file.hints.take(entries);
  if (file.hints.statistics) file.statistics.enable();
  file.set_streams(nullptr);
}

void file_get_info(MPI_File handle, MPI_Info* info) {
  File& file = need<File>(handle);
  Info::Entries entries = file.hints.entries();
  entries.emplace_back("filename", file.path());
  add_memory_kinds(entries, file.hints.assertions);
  give_info(entries, info);
}

namespace {

/// Throws Failure when the arguments do not define a valid view.
io::View view_of(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                 std::string_view datarep) {
  datatype::TypePtr element = share_type(etype), pattern = share_type(filetype);
  if (displacement == MPI_DISPLACEMENT_CURRENT) {
    ATOLL_MPI_REQUIRE((file.mode() & MPI_MODE_SEQUENTIAL) != 0, MPI_ERR_ARG,
                      "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL");
    displacement = file.view.stream.offset_of(file.view.position_of(file.shared.get(file.comm())));
  }
  ATOLL_MPI_REQUIRE(displacement >= 0, MPI_ERR_ARG, "a view begins at {}", displacement);
  ATOLL_MPI_REQUIRE(element->size() > 0 && pattern->size() % element->size() == 0, MPI_ERR_ARG,
                    "a filetype of {} bytes is not made of etypes of {}", pattern->size(), element->size());
  for (const datatype::TypePtr& type : {element, pattern}) io::check_order(*type, (file.mode() & MPI_MODE_RDONLY) == 0);
  const Representation* how = io::find_representation(datarep);
  ATOLL_MPI_REQUIRE(how != nullptr, MPI_ERR_UNSUPPORTED_DATAREP,
                    "'{}' is no representation of data: native, internal, external32, or one that was registered",
                    datarep);
  io::View view(displacement, std::move(element), std::move(pattern));
  view.representation = how;
  view.unit = how->size_of(etype);
  ATOLL_MPI_REQUIRE(view.unit > 0 && (view.unit == view.etype->size() || view.stream.contiguous()),
                    MPI_ERR_UNSUPPORTED_DATAREP,
                    "'{}' gives the etype another size, which a filetype with gaps cannot have", datarep);
  return view;
}

}  // namespace

void file_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                   const char* datarep, MPI_Info info) {
  io::View view;
  Info::Entries entries;
  File& file = collective_on(handle, [&](File& of) {
    of.settle();
    ATOLL_MPI_REQUIRE(datarep != nullptr, MPI_ERR_ARG, "the representation's name is a null pointer");
    view = view_of(of, displacement, etype, filetype, datarep);
    entries = entries_of(info);
  });
  need_same(file, {{view.etype->extent(), "extents of etypes"},
                   {static_cast<int>(view.representation->kind), "representations"}});
  file.hints.take(entries);
  file.view = std::move(view);
  file.position = 0;
  file.set_streams(nullptr);
  if (file.comm().rank() == 0) file.shared.set(file.comm(), 0);
  file.coll().barrier();
}

void file_get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
                   char* datarep) {
  const File& file = need<File>(handle);
  *displacement = file.view.stream.displacement;
  *etype = handle_of_type(file.view.etype);
  *filetype = handle_of_type(file.view.filetype);
  std::strcpy(datarep, file.view.representation->name.c_str());
}

void file_get_type_extent(MPI_File handle, MPI_Datatype datatype, MPI_Count* extent) {
  const File& file = need<File>(handle);
  const datatype::Type& type = need_type(datatype);
  const Representation& how = *file.view.representation;
  bool dense = type.size() == type.extent() || how.kind == Representation::Kind::registered;
  bool same = how.kind == Representation::Kind::native || how.kind == Representation::Kind::internal;
  *extent = dense && !same ? how.size_of(datatype) : type.extent();
}

void file_set_atomicity(MPI_File handle, int flag) {
  File& file = collective_on(handle);
  need_same(file, {{flag != 0, "atomicities"}});
  file.atomic = flag != 0;
  file.coll().barrier();
}

void file_get_atomicity(MPI_File handle, int* flag) { *flag = need<File>(handle).atomic; }

void file_sync(MPI_File handle) {
  File& file = collective_on(handle);
  // One fsync per node is enough: the kernel holds the writes of all its ranks.
  file.coll().barrier();
  int error = 0;
  bool first = file.coll().placement().index_in_node(file.comm().rank()) == 0;
  if (first && file.may_write() && ::fsync(file.fd()) != 0 && errno != EINVAL) error = errno;
  error = file.coll().allreduce_max(error);
  ATOLL_MPI_REQUIRE(error == 0, io::error_class_of(error), "cannot sync '{}': {}", file.path(), io::sentence_of(error));
}

namespace {

void need_random_access(const File& file) {
  ATOLL_MPI_REQUIRE((file.mode() & MPI_MODE_SEQUENTIAL) == 0, MPI_ERR_UNSUPPORTED_OPERATION,
                    "'{}' was opened with MPI_MODE_SEQUENTIAL: its shared pointer alone may be used", file.path());
}

/// Number of etypes of the view inside the file, including a partial one at its end.
Count etypes_in_file(const File& file) {
  Count bytes = file.view.stream.bytes_below(file.size());
  return (bytes + file.view.unit - 1) / file.view.unit;
}

Count sought(File& file, MPI_Offset offset, int whence, Count current) {
  ATOLL_MPI_REQUIRE(whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END, MPI_ERR_ARG,
                    "{} is no place to seek from", whence);
  const Count to = datatype::checked_add(offset, whence == MPI_SEEK_SET   ? 0
                                                 : whence == MPI_SEEK_CUR ? current
                                                                          : etypes_in_file(file));
  ATOLL_MPI_REQUIRE(to >= 0, MPI_ERR_ARG, "a pointer would be at {}", to);
  return to;
}

}  // namespace

void file_seek(MPI_File handle, MPI_Offset offset, int whence) {
  File& file = need<File>(handle);
  need_random_access(file);
  file.position = sought(file, offset, whence, file.position);
}

void file_get_position(MPI_File handle, MPI_Offset* offset) {
  const File& file = need<File>(handle);
  need_random_access(file);
  *offset = file.position;
}

void file_get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset* displacement) {
  const File& file = need<File>(handle);
  need_random_access(file);
  ATOLL_MPI_REQUIRE(offset >= 0, MPI_ERR_ARG, "offset is {}", offset);
  file.view.validate(offset, 0);
  *displacement = file.view.stream.offset_of(file.view.position_of(offset));
}

void file_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
  File& file = collective_on(handle);
  need_same(file, {{offset, "offsets"}, {whence, "places to seek from"}});
  file.coll().barrier();
  Count to = sought(file, offset, whence, file.shared.get(file.comm()));
  file.coll().barrier();
  if (file.comm().rank() == 0) file.shared.set(file.comm(), to);
  file.coll().barrier();
}

void file_get_position_shared(MPI_File handle, MPI_Offset* offset) {
  File& file = need<File>(handle);
  *offset = file.shared.get(file.comm());
}

}  // namespace atl::mpi
