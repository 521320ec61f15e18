! SPDX-License-Identifier: Apache-2.0
! Handles with types: the module mpi_f08, its optional errors and large counts.
module told
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: erased = 0
contains
  subroutine last(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: from(:), to(:)
    if (type /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 2)
    call c_f_pointer(in, from, [length])
    call c_f_pointer(inout, to, [length])
    to = 10 * from + to
  end subroutine
  subroutine erase(comm, keyval, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    erased = int(value + extra)
    ierror = MPI_SUCCESS
  end subroutine
end module

program types
  use told
  implicit none
  integer :: rank, size, right, left, got, i, keyval, number, indices(2), done
  integer :: many(4), numbers(MPI_STATUS_SIZE)
  integer(kind=MPI_COUNT_KIND) :: count, elements
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  type(MPI_Status) :: status, both(2)
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comm
  type(MPI_Win) :: window
  type(MPI_Op) :: op
  type(MPI_Datatype) :: type
  type(c_ptr) :: base
  integer, pointer :: shared(:)
  double precision :: x(3, 3), y(3)
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call MPI_Get_library_version(version, number)
  call check(index(version, 'Atoll') == 1 .and. len_trim(version) == number, 1)

  ! Counts of both kinds; arrays, parts of arrays, scalars.
  count = 3
  x = rank
  y = -1
  call MPI_Irecv(y, 3, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Send(x(:, 2), count, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD)
  call MPI_Wait(requests(1), status)
  call check(all(y == left) .and. status%MPI_SOURCE == left .and. status%MPI_TAG == 1, 2)
  call MPI_Status_f082f(status, numbers)
  call check(numbers(MPI_SOURCE) == left .and. numbers(MPI_TAG) == 1, 13)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, elements)
  call check(elements == 3, 3)
  call MPI_Sendrecv(x(2, :), 3, MPI_DOUBLE_PRECISION, rank, 2, y, 3, MPI_DOUBLE_PRECISION, rank, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
  call check(all(y == rank), 4)

  call MPI_Irecv(many, 4, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend([(10 * rank + i, i = 1, 4)], 4, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitsome(2, requests, done, indices, both)
  call check(done >= 1 .and. all(indices(:done) >= 1 .and. indices(:done) <= 2), 5)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(requests(1) == MPI_REQUEST_NULL, 6)

  ! Operations that do not commute, by order of ranks.
  call MPI_Op_create(last, .false., op)
  got = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
  number = 1
  do i = 2, size
    number = 10 * number + i
  end do
  call check(got == number, 7)
  call MPI_Op_free(op)

  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, erase, keyval, 30_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(comm, keyval, 12_MPI_ADDRESS_KIND)
  call MPI_Comm_delete_attr(comm, keyval)
  call check(erased == 42, 8)

  bytes = 4
  call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, comm, base, window)
  call c_f_pointer(base, shared, [1])
  shared(1) = -1
  call MPI_Win_fence(0, window)
  call MPI_Put(rank, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
  call MPI_Win_fence(0, window)
  call check(shared(1) == left, 9)
  call MPI_Win_free(window)

  call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], [MPI_INTEGER, MPI_DOUBLE_PRECISION], type)
  call MPI_Type_size(type, number)
  call check(number == 12, 10)
  call MPI_Type_free(type)
  call MPI_Initialized(flag)
  call check(flag, 11)
  call MPI_Comm_free(comm)
  call check(comm == MPI_COMM_NULL, 12)
  call MPI_Finalize()

contains
  include 'check.inc'
end program
