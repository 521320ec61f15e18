// SPDX-License-Identifier: Apache-2.0
#include "io/access.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/staging.hpp"
#include "datatype/checked.hpp"
#include "flow/exchange.hpp"
#include "io/collective.hpp"
#include "io/file.hpp"
#include "io/report.hpp"
#include "request/background.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

using datatype::TypePtr;
using io::Count;
using io::Moved;
using io::Part;

/// State of one access. Holds references to the program's objects that it needs.
struct Job {
  Way way{};
  Ref<File> file;
  Part part{};      // counted in bytes of the file
  Count place = 0;  // counted in etypes
  Circle circle{};  // members of a collective access
  Moved moved;
  // The program's memory, when the file's data representation requires conversion.
  Ref<TypeObject> type;
  void* base = nullptr;
  Count count = 0;
  Count element = 0;  // bytes of an element in the file
  std::unique_ptr<std::byte[]> staged;  // of a device's buffer, `on_device`
  Part on_device{};
  std::unique_ptr<std::byte[]> converted;
  /// The error of this rank in a collective access: the rank takes part with no data, so that no rank waits for it, and
  /// then reports the error.
  std::optional<Failure> fault;

  bool together() const { return way.partners != Partners::none; }
  void refuse(Failure why) {
    fault = std::move(why);
    part = {way.writes, 0, datatype::named(datatype::byte_handle), 0, nullptr};
    place = 0, count = 0;
    converted.reset(), staged.reset();
  }
  Count etypes() const { return part.region().size() / file->view.unit; }
  /// Transferred bytes of the program's data.
  Count bytes() const {
    if (!converted) return moved.bytes;
    return element == 0 ? 0 : moved.bytes / element * type->type()->size();
  }
};

void check(const File& file, Way way, MPI_Offset offset, MPI_Count count) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "count is {}", count);
  ATOLL_MPI_REQUIRE(way.place != Place::given || offset >= 0, MPI_ERR_ARG, "offset is {}", offset);
  ATOLL_MPI_REQUIRE(!way.writes || file.may_write(), MPI_ERR_READ_ONLY, "'{}' was opened for reading only",
                    file.path());
  ATOLL_MPI_REQUIRE(way.writes || file.may_read(), MPI_ERR_ACCESS, "'{}' was opened for writing only", file.path());
  ATOLL_MPI_REQUIRE(way.place == Place::shared_pointer || (file.mode() & MPI_MODE_SEQUENTIAL) == 0,
                    MPI_ERR_UNSUPPORTED_OPERATION,
                    "'{}' was opened with MPI_MODE_SEQUENTIAL: its shared pointer alone may be used", file.path());
}

/// The data as consecutive bytes on the host, of a buffer in a device's memory.
void stage(Job& job) {
  const datatype::Region region = job.part.region();
  job.staged = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(region.size()));
  job.on_device = job.part;
  if (job.way.writes) staging::pack(region, job.base, 0, region.size(), job.staged.get());
  job.part = {job.way.writes, 0, datatype::named(datatype::byte_handle), region.size(), job.staged.get()};
}

/// Converts the data to the file's representation unless both are equal.
void convert(Job& job) {
  const io::Representation& how = *job.file->view.representation;
  const bool is_staged = staging::is_on_device(job.part.region(), job.base);
  if (!how.converts(job.way.writes)) {
    if (is_staged) stage(job);
    return;
  }
  ATOLL_MPI_REQUIRE(!is_staged, MPI_ERR_UNSUPPORTED_DATAREP,
                    "cuda:device memory is moved in the data representation 'native' only. Copy it to the host first?");
  job.element = how.size_of(handle_of(*job.type));
  const Count bytes = datatype::checked_multiply(job.count, job.element);
  job.converted = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
  if (job.way.writes) how.convert(true, job.base, handle_of(*job.type), job.count, job.converted.get());
  job.part = {job.way.writes, 0, datatype::named(datatype::byte_handle), bytes, job.converted.get()};
}

/// Checks and stores the program's arguments.
void describe(Job& job, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  const File& file = *job.file;
  check(file, job.way, offset, count);
  TypePtr type = share_type(datatype);
  auto* base = const_cast<void*>(buffer);  // a write only reads it
  job.part = {job.way.writes, 0, type, count, base}, job.place = offset;
  job.type = Ref<TypeObject>(find<TypeObject>(datatype)), job.base = base, job.count = count;
  detail::check_buffer(job.part.region(), base);
  convert(job);
  ATOLL_MPI_REQUIRE(job.part.region().size() % file.view.unit == 0, MPI_ERR_ARG,
                    "{} bytes are no whole number of etypes of {}", job.part.region().size(), file.view.unit);
  file.view.validate(job.way.place == Place::given         ? offset
                     : job.way.place == Place::own_pointer ? file.position
                                                           : 0,
                     job.etypes());
}

std::unique_ptr<Job> make_job(Way way, MPI_File handle, MPI_Offset offset, const void* buffer, MPI_Count count,
                              MPI_Datatype datatype) {
  auto& file = need<File>(handle);
  auto job = std::make_unique<Job>();
  job->way = way, job->file = Ref<File>(file);
  if (job->together()) job->circle = file.comm().circle();
  try {
    describe(*job, offset, buffer, count, datatype);
  } catch (...) {
    if (!job->together()) throw;
    job->refuse(current_failure());
    return job;
  }
  auto kind = job->together()                      ? io::Access::collective
              : way.place == Place::shared_pointer ? io::Access::shared
                                                   : io::Access::independent;
  file.statistics.count_call(kind, way.writes, job->part.region().size());
  return job;
}

/// Determines the position. File pointers advance at once, so that the next access may start.
void find_place(Job& job) {
  File& file = *job.file;
  if (job.way.place == Place::own_pointer) {
    job.place = file.position;
    file.position += job.etypes();
  } else if (job.way.place == Place::shared_pointer && job.way.partners == Partners::none) {
    job.place = file.shared.fetch_add(file.comm(), job.etypes());
  }
  job.part.at = file.view.position_of(job.place);
}

/// The position of an ordered access: behind those of lower ranks.
Flow find_place_in_order(Job& job) {
  File& file = *job.file;
  std::vector<Count> all(static_cast<std::size_t>(job.circle.size()));
  Count mine = job.etypes(), start = 0;
  co_await allgather_bytes(job.circle, &mine, sizeof mine, all.data());
  Count total = 0, before = 0;
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (static_cast<int>(m) == job.circle.rank) before = total;
    total = datatype::checked_add(total, all[m]);
  }
  if (job.circle.rank == 0) start = file.shared.fetch_add(file.comm(), total);
  co_await broadcast_bytes(job.circle, &start, sizeof start);
  job.place = datatype::checked_add(start, before);
  job.part.at = file.view.position_of(job.place);
}

Moved access_alone(Job& job) {
  File& file = *job.file;
  const io::Stream& stream = file.view.stream;
  Count bytes = job.part.region().size();
  std::optional<io::RangeLock> lock;
  if (file.atomic && bytes > 0) {
    Count low = stream.offset_of(job.part.at), high = stream.offset_of(job.part.at + bytes - 1) + 1;
    lock.emplace(file.fd(), low, high - low,
                 job.way.writes ? io::RangeLock::Mode::exclusive : io::RangeLock::Mode::shared);
  }
  return job.way.writes ? write_stream(file.device(), stream, job.part.at, job.part.region(), job.part.base)
                        : read_stream(file.device(), stream, job.part.at, job.part.region(), job.part.base);
}

void finish(Job& job) {
  File& file = *job.file;
  if (job.fault) throw std::move(*job.fault);
  if (job.staged && !job.way.writes && job.moved.bytes > 0) {
    const datatype::Region region = job.on_device.region();
    staging::unpack(region, job.base, 0, job.moved.bytes, job.staged.get());
    staging::settle(region, job.base);
  }
  if (file.statistics.due()) io::keep(file);
  if (job.moved.error != 0)
    fail_with(
        io::error_class_of(job.moved.error),
        fmt::format("{} {} bytes {} '{}' at etype {}: {}; {} bytes of them are there",
                    job.way.writes ? "writing" : "reading", job.part.region().size(), job.way.writes ? "to" : "from",
                    file.path(), job.place, io::sentence_of(job.moved.error), job.moved.bytes),
        &file);
  if (job.converted && !job.way.writes && job.element > 0)
    file.view.representation->convert(false, job.base, handle_of(*job.type), job.moved.bytes / job.element,
                                      job.converted.get());
}

Flow carry_out(Job& job) {
  if (job.way.partners == Partners::in_order) co_await find_place_in_order(job);
  if (job.way.partners == Partners::none || job.file->atomic) {
    job.moved = access_alone(job);
    if (job.way.partners != Partners::none) co_await barrier_of(job.circle);
  } else {
    co_await access_together(*job.file, job.part, job.circle, job.moved);
  }
  finish(job);
}

}  // namespace

namespace {

/// Increments File::under_way during its lifetime.
class UnderWay {
 public:
  explicit UnderWay(File& file) : file_(file) { file_.under_way.fetch_add(1, std::memory_order_relaxed); }
  ~UnderWay() {
    file_.under_way.fetch_sub(1, std::memory_order_release);
  }  // publishes the effects of the access; partner: File::settle()
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  File& file_;
};

Flow carry_out_counted(Job& job) {
  UnderWay counted(*job.file);
  co_await carry_out(job);
}

/// Sets the status to the transferred amount, also after an error.
template <class End>
void say_how_much(const Job& job, MPI_Status* status, End&& end) {
  try {
    end();
  } catch (...) {
    fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, job.bytes());
    throw;
  }
  fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, job.bytes());
}

/// A non-blocking access. Only the program's threads advance it, because it calls the program's conversion functions
/// and shares the file's statistics with blocking accesses.
class FileRequest : public FlowRequest {
 public:
  explicit FileRequest(std::unique_ptr<Job> job)
      : FlowRequest(carry_out_counted(*job), {.advanced_by = AdvancedBy::program}), job_(std::move(job)) {}
  void result(MPI_Status* status) override {
    say_how_much(*job_, status, [&] { FlowRequest::result(status); });
  }

 private:
  std::unique_ptr<Job> job_;
};

}  // namespace

void file_access(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype,
                 MPI_Status* status) {
  auto job = make_job(way, file, offset, buffer, count, datatype);
  find_place(*job);
  say_how_much(*job, status, [&] { run(carry_out(*job)); });
  // After a short read the file pointer stays at the end of the file.
  if (way.place == Place::own_pointer && !way.writes)
    job->file->position = job->place + job->moved.bytes / job->file->view.unit;
}

void file_start(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype,
                MPI_Request* request) {
  auto job = make_job(way, file, offset, buffer, count, datatype);
  if (request == nullptr) {
    Failure why{MPI_ERR_ARG, "no place for the request"};
    if (!job->together()) throw why;
    job->refuse(std::move(why));
  }
  find_place(*job);
  std::optional<Failure> fault = job->fault;
  auto started = make<FileRequest>(std::move(job));
  if (!fault) return give(std::move(started), request);
  // The other members wait for this rank's part, so it continues in the background.
  finish_in_background(*started.leak());
  throw std::move(*fault);
}

// Performs the whole access here, which the standard allows.
void file_begin(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  auto job = make_job(way, file, offset, buffer, count, datatype);
  File& of = *job->file;
  if (of.split && !job->fault)
    job->refuse({MPI_ERR_UNSUPPORTED_OPERATION,
                 fmt::format("a split collective operation on '{}' has begun and not ended", of.path())});
  find_place(*job);
  run(carry_out(*job));
  of.split = File::Split{buffer, way.writes, job->bytes()};
}

void file_end(Way way, MPI_File handle, const void* buffer, MPI_Status* status) {
  auto& file = need<File>(handle);
  ATOLL_MPI_REQUIRE(file.split && file.split->writes == way.writes && file.split->buffer == buffer,
                    MPI_ERR_UNSUPPORTED_OPERATION, "no such split collective operation on '{}' has begun", file.path());
  fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, file.split->bytes);
  file.split.reset();
}

}  // namespace atl::mpi
