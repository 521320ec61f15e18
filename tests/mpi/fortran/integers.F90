! SPDX-License-Identifier: Apache-2.0
! Handles as integers: by the module mpi, or (HEADER) by mpif.h.
module told
  implicit none
  integer :: handled = 0
contains
  subroutine add_twice(in, inout, length, type)
    integer :: length, type
    integer :: in(length), inout(length)
    inout = inout + 2 * in
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code
    handled = handled + 1
  end subroutine
  subroutine query(extra, status, ierror)
    integer(kind=8) :: extra
    integer :: status(*), ierror
    ierror = 0
  end subroutine
  subroutine release(extra, ierror)
    integer(kind=8) :: extra
    integer :: ierror
    extra = extra + 1
    ierror = 0
  end subroutine
  subroutine give_up(extra, complete, ierror)
    integer(kind=8) :: extra
    logical :: complete
    integer :: ierror
    ierror = 0
  end subroutine
end module

program integers
#ifndef HEADER
  use mpi
#endif
  use told
  implicit none
#ifdef HEADER
  include 'mpif.h'
#endif
  integer :: rank, size, error, request, requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: right, left, got, sent, op, vector, errhandler, keyval, comm, length, position, i, total
  integer :: column(3), matrix(3, 4), handle, window, bytes
  integer(kind=MPI_ADDRESS_KIND) :: value, extra, extent, lower
  integer(kind=MPI_OFFSET_KIND) :: offset
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=12) :: short
  character(len=2000) :: space
  logical :: flag
  integer, external :: seen_in_c

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)

  ! A message around the ring, whose status is looked at and then ignored.
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, request, error)
  call MPI_Send(rank, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, error)
  call MPI_Wait(request, status, error)
  call check(got == left .and. status(MPI_SOURCE) == left .and. status(MPI_TAG) == 7, 1)
  call check(request == MPI_REQUEST_NULL, 2)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 8, got, 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call check(got == left, 3)

  ! Positions begin with 1.
  call MPI_Irecv(got, 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, requests(2), error)
  requests(1) = MPI_REQUEST_NULL
  sent = 41
  call MPI_Send(sent, 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, error)
  call MPI_Waitany(2, requests, position, status, error)
  call check(position == 2 .and. got == 41, 4)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Waitall(2, requests, statuses, error)
  call check(error == MPI_SUCCESS, 5)

  ! Operations of the program, and in place.
  call MPI_Op_create(add_twice, .true., op, error)
  got = 1
  call MPI_Reduce(rank, got, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) call check(got == size * (size - 1) / 2, 6)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  call check(total == size - 1, 7)
  got = 1
  call MPI_Reduce_local(1, got, 1, MPI_INTEGER, op, error)
  call check(got == 3, 8)
  call MPI_Op_free(op, error)
  call check(op == MPI_OP_NULL, 9)

  ! A row of a matrix.
  matrix = reshape([(i, i = 1, 12)], [3, 4])
  call MPI_Type_vector(4, 1, 3, MPI_INTEGER, vector, error)
  call MPI_Type_commit(vector, error)
  call MPI_Type_get_extent(vector, lower, extent, error)
  call check(extent == 40, 10)
  call MPI_Sendrecv(matrix(2, 1), 1, vector, rank, 1, column, 3, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status, error)
  call MPI_Recv(matrix(1, 1), 1, vector, rank, 1, MPI_COMM_WORLD, status, error)
  call check(all(matrix(1, :) == matrix(2, :)), 11)
  call MPI_Type_free(vector, error)

  ! Texts end in blanks.
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call check(seen_in_c(comm, MPI_INTEGER, status, MPI_STATUS_IGNORE, statuses) == 0, 23)
  call check(statuses(MPI_TAG, 1) == status(MPI_TAG) + 1, 24)
  call MPI_Comm_set_name(comm, 'a ring of   ', error)
  name = repeat('x', MPI_MAX_OBJECT_NAME)
  call MPI_Comm_get_name(comm, name, length, error)
  call check(length == 9 .and. name == 'a ring of', 12)
  call MPI_Info_create(handle, error)
  call MPI_Info_set(handle, ' colour ', 'blue', error)
  short = 'unchanged'
  call MPI_Info_get(handle, 'shape', 12, short, flag, error)
  call check(.not. flag .and. short == 'unchanged', 13)
  call MPI_Info_get(handle, 'colour', 12, short, flag, error)
  call check(flag .and. short == 'blue', 14)
  length = 12
  call MPI_Info_get_string(handle, 'colour', length, short, flag, error)
  call check(flag .and. short == 'blue' .and. length == 4, 22)
  call MPI_Info_free(handle, error)

  ! Attributes are integers.
  extra = 5
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, error)
  value = 2_MPI_ADDRESS_KIND ** 40
  call MPI_Comm_set_attr(comm, keyval, value, error)
  call MPI_Comm_dup(comm, handle, error)
  value = 0
  call MPI_Comm_get_attr(handle, keyval, value, flag, error)
  call check(flag .and. value == 2_MPI_ADDRESS_KIND ** 40, 15)
  call MPI_Comm_free(handle, error)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
  call check(flag .and. value >= 32767, 16)
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, bytes, flag, error)
  call check(flag .and. bytes == value, 17)

  ! Error handlers of the program.
  call MPI_Comm_create_errhandler(on_error, errhandler, error)
  call MPI_Comm_set_errhandler(comm, errhandler, error)
  call MPI_Send(rank, 1, MPI_INTEGER, size, 0, comm, error)
  call check(handled == 1 .and. error /= MPI_SUCCESS, 18)
  call MPI_Errhandler_free(errhandler, error)

  ! Windows and files.
  call MPI_Type_size(MPI_INTEGER, bytes, error)
  extent = bytes
  call MPI_Win_create(got, extent, bytes, MPI_INFO_NULL, comm, window, error)
  call MPI_Win_fence(0, window, error)
  lower = 0
  call MPI_Put(rank, 1, MPI_INTEGER, right, lower, 1, MPI_INTEGER, window, error)
  call MPI_Win_fence(0, window, error)
  call check(got == left, 19)
  call MPI_Win_free(window, error)
  call MPI_File_open(comm, 'fortran.dat', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, handle, error)
  offset = 4 * rank
  call MPI_File_write_at_all(handle, offset, rank, 1, MPI_INTEGER, status, error)
  call MPI_File_sync(handle, error)
  call MPI_Barrier(comm, error)
  offset = 4 * right
  call MPI_File_read_at_all(handle, offset, got, 1, MPI_INTEGER, status, error)
  call MPI_Get_count(status, MPI_INTEGER, bytes, error)
  call check(got == right .and. bytes == 1, 20)
  call MPI_File_close(handle, error)

  call check(MPI_Wtime() > 0.0d0 .and. PMPI_Wtime() > 0.0d0, 21)
  ! The address of a buffer is for mpi_f08 alone.
  call MPI_Buffer_attach(space, 2000, error)
  short = 'untouched'
  call MPI_Buffer_detach(short, length, error)
  call check(length == 2000 .and. short == 'untouched', 25)
  ! What a function makes of the extra state.
  extra = 41
  call MPI_Grequest_start(query, release, give_up, extra, request, error)
  call MPI_Grequest_complete(request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call check(extra == 42, 26)
  call MPI_Grequest_start(query, release, give_up, 41_MPI_ADDRESS_KIND, request, error)
  call MPI_Grequest_complete(request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call check(error == MPI_SUCCESS, 28)
  ! What MPI 3 removed.
  call MPI_Type_extent(MPI_DOUBLE_PRECISION, bytes, error)
  call MPI_Type_hindexed(2, [1, 1], [8, 0], MPI_INTEGER, vector, error)
  call MPI_Type_ub(vector, length, error)
  call check(bytes == 8 .and. length == 12 .and. MPI_LONG_LONG_INT == MPI_LONG_LONG, 27)
  call MPI_Type_free(vector, error)
  call MPI_Comm_free(comm, error)
  call MPI_Finalize(error)

contains
  include 'check.inc'
end program
