// SPDX-License-Identifier: Apache-2.0
// Error handlers, and how entry points handle failures.
#pragma once

#include "core/failure.hpp"
#include "core/object.hpp"

namespace atl::mpi {

/// The MPI function that the program called, for error messages.
struct Call {
  const char* name;
};

class ErrorHandler : public Object {
 public:
  using Handle = MPI_Errhandler;
  static constexpr Kind kind = Kind::errhandler;
  static constexpr int error_class = MPI_ERR_ERRHANDLER;
  static constexpr const char* what = "error handler";
  static Handle null_handle() { return MPI_ERRHANDLER_NULL; }

  /// `of`: the kind of object for which `function` is written.
  using Function = void (*)(void* handle, int* code, ...);
  ErrorHandler(Kind of, Function function) : Object(kind), of_(of), function_(function) {}
  enum class Way { fatal, abort, give_back };
  explicit ErrorHandler(Way way) : Object(kind), way_(way) {}

  /// Handles a failure: returns the code for the program, or ends the job.
  int meet(Call call, const Failure& failure, Object* object);
  /// True for MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT.
  bool ends_job() const { return function_ == nullptr && way_ != Way::give_back; }
  bool fits(Kind of) const { return function_ == nullptr || of == of_; }

 private:
  Kind of_ = Kind::freed;
  Function function_ = nullptr;
  Way way_ = Way::fatal;
};

/// The error handler of an object.
class ErrorSlot {
 public:
  ErrorSlot();  ///< MPI_ERRORS_ARE_FATAL
  explicit ErrorSlot(ErrorHandler& handler) : handler_(handler) {}
  ErrorHandler& get() const { return *handler_; }
  void set(ErrorHandler& handler) {
    handler_ = Ref<ErrorHandler>(handler);
    is_set_ = true;
  }
  bool is_set() const { return is_set_; }

 private:
  Ref<ErrorHandler> handler_;
  bool is_set_ = false;
};

/// The handler of errors without an object: that of MPI_COMM_SELF, or that of MPI_COMM_WORLD when the program, like
/// programs for MPI 3, has set only the latter.
ErrorSlot& default_errors();
/// The handler of MPI_FILE_NULL: for errors of files that are not open.
ErrorSlot& default_file_errors();

// For the catch block of an entry point: handles the exception in flight with the error handler of the object, or of
// MPI_COMM_SELF without one. Returns the code for the program.
int raise(Call call);
int raise(Call call, MPI_Comm comm);
int raise(Call call, MPI_Win win);
int raise(Call call, MPI_File file);
int raise(Call call, MPI_Session session);
/// For functions that create an object with this error handler.
int raise(Call call, MPI_Errhandler handler);
int raise_inactive(Call call);

// Bodies of the error chapter.
void create_handler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
void create_win_handler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler);
void create_file_handler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
void create_session_handler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler);
ErrorSlot& errors_of(MPI_File file);
template <class Handle>
ErrorSlot& errors_of(Handle handle) {
  return *any(handle).errors();
}
void set_handler(Kind of, ErrorSlot& slot, MPI_Errhandler errhandler);
void get_handler(const ErrorSlot& slot, MPI_Errhandler* errhandler);
void free_handler(MPI_Errhandler* errhandler);
/// `object` is null for MPI_FILE_NULL.
void call_handler(ErrorSlot& slot, Object* object, int code);

/// Prints the message and ends the job.
[[noreturn]] void end_job(Call call, std::string_view text, int status);

}  // namespace atl::mpi
