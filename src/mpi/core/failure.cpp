// SPDX-License-Identifier: Apache-2.0
#include "core/failure.hpp"

#include <new>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "core/library.hpp"
#include "mpi-ext.h"

namespace atl::mpi {

void fail_with(int code, std::string text, Object* owner) { throw Failure{code, std::move(text), owner}; }

Failure current_failure() {
  try {
    throw;
  } catch (Failure& failure) { return std::move(failure); } catch (const PeFailedError& error) {
    // When the job continues, the operation itself needs a process that has failed.
    const bool goes_on = is_active() && !library().job().is_ending();
    return {goes_on ? MPIX_ERR_PROC_FAILED : MPI_ERR_PROC_ABORTED, error.what()};
  } catch (const MemoryError& error) { return {MPI_ERR_NO_MEM, error.what()}; } catch (const OverflowError& error) {
    return {MPI_ERR_VALUE_TOO_LARGE, error.what()};
  } catch (const Error& error) { return {MPI_ERR_OTHER, error.what()}; } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, "out of memory"};
  } catch (const std::exception& error) { return {MPI_ERR_INTERN, error.what()}; }
}

}  // namespace atl::mpi
