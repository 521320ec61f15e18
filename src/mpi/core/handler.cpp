// SPDX-License-Identifier: Apache-2.0
#include "core/handler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "atoll/base/config.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/codes.hpp"
#include "core/library.hpp"
#include "mpi-ext.h"

namespace atl::mpi {
namespace {

ErrorHandler& predefined_handler(std::uintptr_t constant, ErrorHandler::Way way) {
  auto& handler = *new ErrorHandler(way);
  handler.predefine(constant);
  return handler;
}

struct Predefined {
  ErrorHandler& fatal =
      predefined_handler(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ARE_FATAL), ErrorHandler::Way::fatal);
  ErrorHandler& abort =
      predefined_handler(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ABORT), ErrorHandler::Way::abort);
  ErrorHandler& give_back =
      predefined_handler(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_RETURN), ErrorHandler::Way::give_back);
};
// Created at first use and never destroyed: programs may name handlers at any time.
Predefined& handlers() {
  static auto& all = *new Predefined;
  return all;
}
[[maybe_unused]] const bool made = (handlers(), true);

int handle(Call call, Failure failure, Object* object, ErrorSlot& slot) {
  if (failure.owner != nullptr && failure.owner->errors() != nullptr) {
    object = failure.owner;
    return object->errors()->get().meet(call, failure, object);
  }
  return slot.get().meet(call, failure, object);
}

ErrorSlot& errors_of_nothing() {
  Object* world = mpi::detail::predefined[reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD)];
  const bool meant = !default_errors().is_set() && world != nullptr && world->errors()->is_set();
  return meant ? *world->errors() : default_errors();
}

int handle(Call call, Object* object, ErrorSlot& fallback) {
  ErrorSlot* slot = object == nullptr ? nullptr : object->errors();
  Failure failure = current_failure();
  // The program may call again until it hears that another has revoked: calls that are refused at once must hear
  // messages, too.
  if (failure.code == MPIX_ERR_PROC_FAILED) library().progress().progress();
  if (slot == nullptr || (failure.is_of_nothing && !slot->is_set()))
    return handle(call, std::move(failure), nullptr, fallback);
  return handle(call, std::move(failure), object, *slot);
}

// The object of any kind: the type of the handle determines the kind. It may have been freed, see find().
[[gnu::no_sanitize("vptr")]] Object* behind(const void* handle) {
  auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < detail::first_address) return detail::predefined[value];
  if (value % alignof(Object) != 0) return nullptr;
  auto* object = const_cast<Object*>(static_cast<const Object*>(handle));
  switch (object->kind()) {
    case Kind::comm:
    case Kind::win:
    case Kind::file:
    case Kind::session: return object;
    default: return nullptr;
  }
}

}  // namespace

ErrorSlot::ErrorSlot() : handler_(handlers().fatal) {}

ErrorSlot& default_errors() {
  static auto& slot = *new ErrorSlot;
  return slot;
}

ErrorSlot& default_file_errors() {
  static auto& slot = *new ErrorSlot(handlers().give_back);
  return slot;
}

int ErrorHandler::meet(Call call, const Failure& failure, Object* object) {
  if (function_ != nullptr) {
    const int told = failure.cause != MPI_SUCCESS ? failure.cause : failure.code;
    int code = told;
    // The error handler may free the object.
    std::uintptr_t handle = object == nullptr ? reinterpret_cast<std::uintptr_t>(MPI_COMM_SELF) : object->handle();
    function_(&handle, &code);
    return code == told ? failure.code : code;  // the function may have changed the code
  }
  if (way_ == Way::give_back) return failure.code;
  end_job(call, failure.text, failure.code & 0xFF ? failure.code & 0xFF : 1);
}

int raise(Call call) { return handle(call, nullptr, errors_of_nothing()); }
int raise(Call call, MPI_Comm comm) { return handle(call, behind(comm), errors_of_nothing()); }
int raise(Call call, MPI_Win win) { return handle(call, behind(win), errors_of_nothing()); }
int raise(Call call, MPI_File file) { return handle(call, behind(file), default_file_errors()); }
int raise(Call call, MPI_Session session) { return handle(call, behind(session), errors_of_nothing()); }
int raise(Call call, MPI_Errhandler handler) {
  auto* given = find<ErrorHandler>(handler);
  return given == nullptr ? raise(call) : given->meet(call, current_failure(), nullptr);
}

// ---- the error chapter ----

namespace {
template <class Function>
void create(Kind of, Function* function, MPI_Errhandler* errhandler) {
  ATOLL_MPI_REQUIRE(function != nullptr, MPI_ERR_ARG, "the error handler's function is null");
  give(make<ErrorHandler>(of, reinterpret_cast<ErrorHandler::Function>(function)), errhandler);
}
}  // namespace

void create_handler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  create(Kind::comm, function, errhandler);
}
void create_win_handler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  create(Kind::win, function, errhandler);
}
void create_file_handler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  create(Kind::file, function, errhandler);
}
void create_session_handler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler) {
  create(Kind::session, function, errhandler);
}

ErrorSlot& errors_of(MPI_File file) { return file == MPI_FILE_NULL ? default_file_errors() : *any(file).errors(); }

void set_handler(Kind of, ErrorSlot& slot, MPI_Errhandler errhandler) {
  auto& handler = need<ErrorHandler>(errhandler);
  ATOLL_MPI_REQUIRE(handler.fits(of), MPI_ERR_ERRHANDLER, "the error handler was made for another kind of object");
  slot.set(handler);
  // A program that asks for returned errors expects the job to continue after them.
  if (is_active() && !handler.ends_job()) library().job().survive(fabric::Survival::goes_on);
}

void get_handler(const ErrorSlot& slot, MPI_Errhandler* errhandler) { give(Ref<ErrorHandler>(slot.get()), errhandler); }

void free_handler(MPI_Errhandler* errhandler) {
  ATOLL_MPI_REQUIRE(errhandler != nullptr, MPI_ERR_ARG, "no place for the error handler");
  auto& handler = need<ErrorHandler>(*errhandler);
  handler.release();
  *errhandler = MPI_ERRHANDLER_NULL;
}

void call_handler(ErrorSlot& slot, Object* object, int code) {
  slot.get().meet(Call{"the program's call of the error handler"}, Failure{code, error_text(code)}, object);
}

int raise_inactive(Call call) {
  end_job(call, "MPI is not initialized: call MPI_Init or MPI_Session_init first, and nothing after the last finalize",
          1);
}

namespace {

// Whether this process exits without asking for the end of the job.
bool ends_alone(const std::string& cause) {
  fabric::Job& job = library().job();
  // The launcher ends the job because of the death that it reports. A request of this process could overtake the report
  // and replace its exit status. On one host a spawned process is not the launcher's child, so it has to request the
  // end.
  if (job.survival() == fabric::Survival::none) return job.has_failed() && (!job.is_guest() || job.nodes() > 1);
  // A spawned process of a program that survives failures counts as failed to it.
  if (!job.is_guest()) return false;
  for (std::uint32_t rank = 0; rank < library().npes(); ++rank)
    job.mark_failed(library().one_sided().world().pe_of(rank), 0, cause);
  return true;
}

}  // namespace

void end_job(Call call, std::string_view text, int status) {
  std::string rank = config::text(config::Variable::pe);
  if (is_active()) rank = fmt::format("{}", library().pe().value());
  if (auto wanted = is_active() ? library().job().exit_requested() : std::nullopt) {
    // The launcher must know of the request before this process ends, or it takes this end for the cause.
    library().job().request_exit(*wanted);
    std::_Exit(*wanted & 0xFF);
  }
  std::string line = fmt::format("atoll-mpi: rank {}: {}: {}\n", rank.empty() ? "?" : rank, call.name, text);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
  if (is_active() && !ends_alone(fmt::format("ended by {}", call.name))) library().job().request_exit(status);
  std::_Exit(status);
}

}  // namespace atl::mpi
