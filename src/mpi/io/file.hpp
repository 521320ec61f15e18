// SPDX-License-Identifier: Apache-2.0
// File handles, and state that all file functions share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "comm/comm.hpp"
#include "core/handler.hpp"
#include "io/independent.hpp"
#include "io/shared_pointer.hpp"

namespace atl::mpi {

class File : public Object {
 public:
  using Handle = MPI_File;
  static constexpr Kind kind = Kind::file;
  static constexpr int error_class = MPI_ERR_FILE;
  static constexpr const char* what = "file";
  static Handle null_handle() { return MPI_FILE_NULL; }

  /// Collective over `comm`, which the file owns. Throws Failure on all members when one cannot open the file.
  File(Ref<Comm> comm, std::string name, int mode, const Info::Entries& hints);
  /// Collective.
  void close();

  ErrorSlot* errors() override { return &errors_; }
  Comm& comm() const { return *comm_; }
  coll::Communicator& coll() const { return comm_->coll(); }
  int fd() const { return fd_; }
  int mode() const { return mode_; }
  const std::string& path() const { return path_; }
  io::Device device() { return {fd_, hints, comm_->size() == 1 || atomic, statistics}; }
  bool may_write() const { return (mode_ & MPI_MODE_RDONLY) == 0; }
  bool may_read() const { return (mode_ & MPI_MODE_WRONLY) == 0; }
  /// Whether the file can be read, which sieved writes require.
  bool readable() const { return readable_; }
  io::Count size() const;

  io::Hints hints;
  io::View view;
  io::Count position = 0;  ///< individual file pointer, in etypes
  io::SharedPointer shared;
  bool atomic = false;
  io::Statistics statistics;
  /// The split collective in progress: the result that its end call returns.
  struct Split {
    const void* buffer;
    bool writes;
    io::Count bytes;
  };
  std::optional<Split> split;
  /// Number of non-blocking collective accesses in progress. They use view, hints and streams, so a call that changes
  /// these waits for them.
  std::atomic<int> under_way{0};
  void settle();
  /// Streams of all members, kept by aggregators.
  struct Streams {
    std::vector<io::Stream> of;
    bool disjoint = false;
  };
  /// Null until a collective access has needed them. Each access holds the streams with which it began, because several
  /// accesses may be in progress.
  std::shared_ptr<const Streams> streams() const {
    std::lock_guard lock(streams_mutex_);
    return streams_;
  }
  void set_streams(std::shared_ptr<const Streams> streams) {
    std::lock_guard lock(streams_mutex_);
    streams_ = std::move(streams);
  }

 private:
  ~File() override;
  void open_once(int& error, std::string& why);
  Ref<Comm> comm_;
  std::string path_;
  int mode_;
  int fd_ = -1;
  bool readable_ = false;
  mutable std::mutex streams_mutex_;
  std::shared_ptr<const Streams> streams_;
  ErrorSlot errors_{default_file_errors().get()};
};

// Bodies of the file chapter.
void file_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file);
void file_close(MPI_File* file);
void file_delete(const char* name, MPI_Info info);
void file_set_size(MPI_File file, MPI_Offset size);
void file_preallocate(MPI_File file, MPI_Offset size);
void file_get_size(MPI_File file, MPI_Offset* size);
void file_get_group(MPI_File file, MPI_Group* group);
void file_get_amode(MPI_File file, int* mode);
void file_set_info(MPI_File file, MPI_Info info);
void file_get_info(MPI_File file, MPI_Info* info);
void file_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                   const char* datarep, MPI_Info info);
void file_get_view(MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep);
void file_get_type_extent(MPI_File file, MPI_Datatype datatype, MPI_Count* extent);
void file_set_atomicity(MPI_File file, int flag);
void file_get_atomicity(MPI_File file, int* flag);
void file_sync(MPI_File file);
void file_seek(MPI_File file, MPI_Offset offset, int whence);
void file_get_position(MPI_File file, MPI_Offset* offset);
void file_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset* displacement);
void file_seek_shared(MPI_File file, MPI_Offset offset, int whence);
void file_get_position_shared(MPI_File file, MPI_Offset* offset);

}  // namespace atl::mpi
