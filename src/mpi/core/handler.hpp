// SPDX-License-Identifier: Apache-2.0
// Error handlers, and how a failed entry point ends.
#pragma once

#include "core/failure.hpp"
#include "core/object.hpp"

namespace atl::mpi {

/// The function a program called, for messages.
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

  /// `of`: the kind of object that its function is for.
  using Function = void (*)(void* handle, int* code, ...);
  ErrorHandler(Kind of, Function function) : Object(kind), of_(of), function_(function) {}
  enum class Way { fatal, abort, give_back };
  explicit ErrorHandler(Way way) : Object(kind), way_(way) {}

  /// Returns the code to return, or ends the program.
  int meet(Call call, const Failure& failure, Object* object);
  /// MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT.
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

/// Where errors go that belong to no object: the handler of MPI_COMM_SELF. Programs for MPI 3 have set that of
/// MPI_COMM_WORLD alone, which is meant then.
ErrorSlot& default_errors();
/// Of files that are not open (MPI_FILE_NULL).
ErrorSlot& default_file_errors();

// For the handler of an entry point: ends the exception in flight by the error handler of an object (of MPI_COMM_SELF
// without one).
int raise(Call call);
int raise(Call call, MPI_Comm comm);
int raise(Call call, MPI_Win win);
int raise(Call call, MPI_File file);
int raise(Call call, MPI_Session session);
/// Of functions that make something to which the handler will belong.
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
/// `object`: null for MPI_FILE_NULL.
void call_handler(ErrorSlot& slot, Object* object, int code);

/// Says the sentence and ends the job.
[[noreturn]] void end_job(Call call, std::string_view text, int status);

}  // namespace atl::mpi
