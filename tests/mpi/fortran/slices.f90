! SPDX-License-Identifier: Apache-2.0
! Array slices that are not contiguous as buffers of mpi_f08: blocking, non-blocking and persistent calls, collectives,
! windows, files.
program slices
  use mpi_f08
  implicit none
  integer :: rank, size, right, left

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  if (MPI_SUBARRAYS_SUPPORTED) then
    call messages()
    call datatypes()
    call persistent_messages()
    call collectives()
    call non_blocking_collectives()
    call reductions()
    call windows()
    call files()
    call packing()
    call assumed_size([left], 1)
  end if
  call MPI_Finalize()

contains
  include 'check.inc'

  subroutine messages()
    integer :: a(10), b(10), i
    integer :: m(6, 5), n(6, 5)
    double precision :: cube(4, 5, 6), there(4, 5, 6)
    character(len=3) :: words(4), others(4)
    integer, allocatable :: heap(:, :)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status

    a = [(100 * rank + i, i = 1, 10)]
    b = -1
    call MPI_Sendrecv(a(1:10:2), 5, MPI_INTEGER, right, 1, b(2:10:2), 5, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
    call check(all(b(2:10:2) == [(100 * left + i, i = 1, 9, 2)]) .and. all(b(1:9:2) == -1), 1)
    call MPI_Get_count(status, MPI_INTEGER, i)
    call check(i == 5 .and. status%MPI_SOURCE == left, 2)

    ! Without a copy: what is received after the call has returned is in the array.
    b = -1
    call MPI_Irecv(b(10:1:-3), 4, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Isend(a(4:1:-1), 4, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b(10:1:-3) == [(100 * left + i, i = 4, 1, -1)]) .and. count(b == -1) == 6, 3)

    ! Fewer elements than the slice has: whole columns and a part of one.
    m = reshape([(100 * rank + i, i = 1, 30)], [6, 5])
    n = -1
    call MPI_Irecv(n(2:6:2, 1:5:2), 7, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Send(m(1:5:2, 2:4), 7, MPI_INTEGER, right, 3, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all(n(2:6:2, 1) == 100 * left + [7, 9, 11]) .and. all(n(2:6:2, 3) == 100 * left + [13, 15, 17]), 4)
    call check(n(2, 5) == 100 * left + 19 .and. count(n == -1) == 23, 5)

    ! Of three dimensions, in four pieces of one plane.
    cube = reshape([(rank + 0.5d0 * i, i = 1, 120)], [4, 5, 6])
    there = -1
    call MPI_Irecv(there(2:3, 1:5:4, 2:6:2), 12, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Issend(cube(1:3:2, 2:3, 4:6), 12, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(there(2:3, 1:5:4, 2:6:2) == cube(1:3:2, 2:3, 4:6) - rank + left) .and. count(there == -1) == 108, 6)

    ! Characters: an element is a string. Their datatype is shorter than an element.
    words = ['abc', 'def', 'ghi', 'jkl']
    others = '---'
    call MPI_Sendrecv(words(1:4:2), 5, MPI_CHARACTER, right, 5, others(2:4:2), 5, MPI_CHARACTER, left, 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(others == ['---', 'abc', '---', 'gh-']), 7)

    allocate(heap(3, 4))
    heap = reshape([(100 * rank + i, i = 1, 12)], [3, 4])
    call MPI_Sendrecv_replace(heap(2, :), 4, MPI_INTEGER, right, 6, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(heap(2, :) == 100 * left + [2, 5, 8, 11]) .and. all(heap(1, :) == 100 * rank + [1, 4, 7, 10]), 8)
    call MPI_Isendrecv(heap(1, ::2), 2, MPI_INTEGER, right, 7, heap(3, ::3), 2, MPI_INTEGER, left, 7, MPI_COMM_WORLD, &
                       requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all(heap(3, :) == [100 * left + 1, 100 * rank + 6, 100 * rank + 9, 100 * left + 7]), 9)
  end subroutine

  ! A datatype describes the elements of the slice as if they were contiguous.
  subroutine datatypes()
    type(MPI_Datatype) :: every_second, pair, mixed
    real :: x(24), y(24)
    integer :: i
    type(MPI_Request) :: request

    x = [(100.0 * rank + i, i = 1, 24)]
    y = -1
    call MPI_Type_vector(3, 1, 2, MPI_REAL, every_second)
    call MPI_Type_commit(every_second)
    ! Elements 1, 3, 5 of x(1:24:2), and 6, 8, 10: the extent is that of five.
    call MPI_Irecv(y, 6, MPI_REAL, left, 1, MPI_COMM_WORLD, request)
    call MPI_Send(x(1:24:2), 2, every_second, right, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(y(1:6) == 100.0 * left + [1, 5, 9, 11, 15, 19]), 20)
    y = -1
    call MPI_Irecv(y(2:24:2), 2, every_second, left, 1, MPI_COMM_WORLD, request)
    call MPI_Send(x, 6, MPI_REAL, right, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(y([2, 6, 10, 12, 16, 20]) == 100.0 * left + [1, 2, 3, 4, 5, 6]) .and. count(y == -1) == 18, 21)

    ! An element of the datatype is longer than one of the slice.
    call MPI_Type_contiguous(2, MPI_REAL, pair)
    call MPI_Type_commit(pair)
    y = -1
    call MPI_Sendrecv(x(1:24:3), 3, pair, right, 2, y(4:24:4), 3, pair, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(y(4:24:4) == 100.0 * left + [1, 4, 7, 10, 13, 16]) .and. count(y == -1) == 18, 22)

    ! Several predefined types.
    call MPI_Type_create_struct(2, [1, 2], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], [MPI_REAL, MPI_INTEGER], mixed)
    call MPI_Type_commit(mixed)
    y = -1
    call MPI_Sendrecv(x(1:24:2), 1, mixed, right, 3, y(1:24:3), 1, mixed, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(y([1, 7, 10]) == 100.0 * left + [1, 5, 7]) .and. count(y == -1) == 21, 23)
    call MPI_Type_free(every_second)
    call MPI_Type_free(pair)
    call MPI_Type_free(mixed)
  end subroutine

  subroutine persistent_messages()
    integer :: a(9), b(9), i, round, part
    type(MPI_Request) :: requests(2)
    b = -1
    call MPI_Send_init(a(1:9:4), 3, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Recv_init(b(2:8:3), 3, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(2))
    do round = 1, 3
      a = [(100 * rank + 10 * round + i, i = 1, 9)]
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call check(all(b(2:8:3) == 100 * left + 10 * round + [1, 5, 9]) .and. count(b == -1) == 6, 30)
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))

    b = -1
    call MPI_Psend_init(a(1:9:2), 2, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(b(9:1:-2), 2, 2_MPI_COUNT_KIND, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do part = 1, 0, -1
      call MPI_Pready(part, requests(1))
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b(9:3:-2) == 100 * left + 30 + [1, 3, 5, 7]) .and. count(b == -1) == 5, 31)
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine collectives()
    integer :: a(20), i, counts(size), places(size), root
    integer :: all_of(2, 0:3 * size), part(2, 0:3 * size)

    root = size - 1
    a = -1
    if (rank == root) a(1:20:2) = [(i, i = 1, 10)]
    call MPI_Bcast(a(1:20:2), 10, MPI_INTEGER, root, MPI_COMM_WORLD)
    call check(all(a(1:20:2) == [(i, i = 1, 10)]) .and. all(a(2:20:2) == -1), 40)

    all_of = -1
    part = rank
    call MPI_Gather(part(2, 0:2), 3, MPI_INTEGER, all_of(1, :), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) call check(all(all_of(1, :3 * size - 1) == [(i / 3, i = 0, 3 * size - 1)]), 41)
    call check(all(all_of(2, :) == -1) .and. (rank == 0 .or. all(all_of == -1)), 42)
    all_of = -1
    call MPI_Allgather(part(2, 0:2), 3, MPI_INTEGER, all_of(1, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(1, :3 * size - 1) == [(i / 3, i = 0, 3 * size - 1)]) .and. all(all_of(2, :) == -1), 43)
    ! In place.
    all_of(2, 3 * rank:3 * rank + 2) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of(2, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(2, :3 * size - 1) == [(i / 3, i = 0, 3 * size - 1)]), 44)

    counts = 2
    places = [(3 * i + 1, i = 0, size - 1)]
    all_of = -1
    call MPI_Allgatherv(part(1, 0:1), 2, MPI_INTEGER, all_of(2, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(2, 1:3 * size - 1) == [(merge(-1, i / 3, mod(i, 3) == 0), i = 1, 3 * size - 1)]), 45)
    call check(all_of(2, 0) == -1 .and. all(all_of(1, :) == -1), 46)

    all_of(1, :) = [(10 * rank + i / 3, i = 0, 3 * size)]
    part = -1
    call MPI_Alltoall(all_of(1, :), 3, MPI_INTEGER, part(2, :), 3, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(part(2, :3 * size - 1) == [(10 * (i / 3) + rank, i = 0, 3 * size - 1)]) .and. all(part(1, :) == -1), 47)
    part = -1
    call MPI_Scatter(all_of(1, :), 3, MPI_INTEGER, part(1, 0:2), 3, MPI_INTEGER, root, MPI_COMM_WORLD)
    call check(all(part(1, 0:2) == 10 * root + rank) .and. all(part(2, :) == -1), 48)
    part = -1
    call MPI_Scatterv(all_of(1, :), counts, places, MPI_INTEGER, part(2, 1:2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call check(all(part(2, 1:2) == rank) .and. all(part(1, :) == -1), 49)
  end subroutine

  subroutine non_blocking_collectives()
    integer :: a(0:2 * size - 1, 3), b(0:2 * size - 1, 3), i, counts(size), places(size)
    type(MPI_Request) :: request
    type(MPI_Datatype) :: types(size)

    counts = 1
    places = [(2 * i, i = 0, size - 1)]
    a = -1
    a(0::2, 2) = [(10 * rank + i, i = 0, size - 1)]
    b = -1
    call MPI_Ialltoall(a(::2, 2), 1, MPI_INTEGER, b(1::2, 3), 1, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(1::2, 3) == [(10 * i + rank, i = 0, size - 1)]) .and. count(b == -1) == 5 * size, 60)

    b = -1
    call MPI_Ialltoallv(a(:, 1:2), counts, 2 * size + places, MPI_INTEGER, b(:, 1:3:2), counts, 2 * size + places, &
                        MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(::2, 3) == [(10 * i + rank, i = 0, size - 1)]) .and. count(b == -1) == 5 * size, 61)

    types = MPI_INTEGER
    b = -1
    call MPI_Ialltoallw(a(:, 2), counts, 4 * places, types, b(:, 3:1:-2), counts, 4 * places, types, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(::2, 3) == [(10 * i + rank, i = 0, size - 1)]) .and. count(b == -1) == 5 * size, 62)

    b = -1
    call MPI_Ibcast(a(::2, 2), size, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(a(::2, 2) == [(i, i = 0, size - 1)]) .and. count(a == -1) == 5 * size, 63)
    call MPI_Igather(a(rank * 2, 2:3), 1, MPI_INTEGER, b(1::2, 2), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) call check(all(b(1::2, 2) == [(i, i = 0, size - 1)]), 64)
    call check(count(b == -1) == merge(5, 6, rank == 0) * size, 65)
  end subroutine

  subroutine reductions()
    real :: x(4, 4), y(4, 4), expected(4)
    integer :: i, round
    type(MPI_Request) :: request

    x = reshape([(real(rank + i), i = 1, 16)], [4, 4])
    expected = [(real(size * (size - 1)) / 2 + size * i, i = 1, 16, 4)]
    y = -1
    call MPI_Allreduce(x(1, :), y(3, :), 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
    call check(all(y(3, :) == expected) .and. count(y == -1) == 12, 70)
    y = -1
    call MPI_Iallreduce(x(1, :), y(2, :), 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(y(2, :) == expected) .and. count(y == -1) == 12, 71)
    y = -1
    y(4, :) = x(1, :)
    call MPI_Iallreduce(MPI_IN_PLACE, y(4, :), 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(y(4, :) == expected) .and. count(y == -1) == 12, 72)
    call MPI_Reduce_local(x(1, :), y(4, :), 4, MPI_REAL, MPI_SUM)
    call check(all(y(4, :) == expected + x(1, :)) .and. count(y == -1) == 12, 73)

    y = -1
    call MPI_Allreduce_init(x(1, :), y(1, :), 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 3
      x(1, :) = x(1, :) + round
      expected = expected + size * round
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(y(1, :) == expected) .and. count(y == -1) == 12, 74)
    end do
    call MPI_Request_free(request)
  end subroutine

  subroutine windows()
    integer :: a(3, 4), i
    integer, target :: exposed(12)
    type(MPI_Win) :: win
    type(MPI_Request) :: request

    exposed = [(100 * rank + i, i = 1, 12)]
    call MPI_Win_create(exposed, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    a = -1
    call MPI_Win_fence(0, win)
    call MPI_Get(a(2, :), 4, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(a(2, :) == 100 * right + [1, 2, 3, 4]) .and. count(a == -1) == 8, 80)
    call MPI_Put(a(2, :), 4, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(exposed(5:8) == 100 * rank + [1, 2, 3, 4]), 81)
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(a(2, :), 4, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call check(all(exposed(5:8) == 2 * (100 * rank + [1, 2, 3, 4])), 82)
    call MPI_Win_lock_all(0, win)
    call MPI_Rget(a(1:3:2, 3), 2, MPI_INTEGER, left, 8_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(a(1:3:2, 3) == 100 * left + [9, 10]) .and. count(a == -1) == 6, 83)
    call MPI_Get_accumulate(a(2, ::2), 2, MPI_INTEGER, a(3, ::3), 2, MPI_INTEGER, right, 10_MPI_ADDRESS_KIND, 2, &
                            MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_flush(right, win)
    call check(all(a(3, ::3) == 100 * right + [11, 12]), 84)
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
  end subroutine

  subroutine files()
    integer :: a(4, 6), b(4, 6), i
    integer(kind=MPI_OFFSET_KIND) :: mine
    type(MPI_File) :: file
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    character(len=*), parameter :: path = 'slices_file'

    a = reshape([(100 * rank + i, i = 1, 24)], [4, 6])
    mine = 24 * rank
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, mine, a(3, :), 6, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, i)
    call check(i == 6, 90)
    b = -1
    call MPI_File_read_at(file, mine, b(2:4:2, 2:6:2), 6, MPI_INTEGER, status)
    call check(all(b(2:4:2, 2:6:2) == reshape(a(3, :), [2, 3])) .and. count(b == -1) == 18, 91)
    b = -1
    call MPI_File_iread_at(file, mine, b(1, :), 6, MPI_INTEGER, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(1, :) == a(3, :)) .and. count(b == -1) == 18, 92)
    call MPI_File_seek(file, mine, MPI_SEEK_SET)
    call MPI_File_iwrite(file, a(4, ::2), 3, MPI_INTEGER, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    b = -1
    call MPI_File_read_at_all_begin(file, mine, b(4, 2:), 3, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, b(4, 2:), MPI_STATUS_IGNORE)
    call check(all(b(4, 2:4) == a(4, ::2)) .and. count(b == -1) == 21, 93)
    call MPI_File_close(file)
  end subroutine

  subroutine packing()
    integer :: a(3, 4), b(3, 4), i, place
    integer(kind=MPI_ADDRESS_KIND) :: external_place
    integer :: packed(2, 8)
    a = reshape([(i, i = 1, 12)], [3, 4])
    packed = -1
    place = 0
    call MPI_Pack(a(2, :), 4, MPI_INTEGER, packed(1, :), 32, place, MPI_COMM_WORLD)
    call check(place == 16 .and. all(packed(1, :4) == a(2, :)) .and. count(packed == -1) == 12, 100)
    b = -1
    place = 0
    call MPI_Unpack(packed(1, :), 32, place, b(3, :), 4, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(b(3, :) == a(2, :)) .and. count(b == -1) == 8, 101)
    external_place = 0
    call MPI_Pack_external('external32', a(1, :), 4, MPI_INTEGER, packed(2, :), 32_MPI_ADDRESS_KIND, external_place)
    b = -1
    external_place = 0
    call MPI_Unpack_external('external32', packed(2, :), 32_MPI_ADDRESS_KIND, external_place, b(1, ::2), 2, MPI_INTEGER)
    call check(all(b(1, ::2) == a(1, :2)) .and. count(b == -1) == 10, 102)
  end subroutine

  ! Without bounds, scalars and single elements: by address, as ever.
  subroutine assumed_size(a, n)
    integer, intent(in) :: n
    integer, intent(in) :: a(*)
    integer :: got, line(4)
    integer(kind=MPI_ADDRESS_KIND) :: here
    call MPI_Sendrecv(a, n, MPI_INTEGER, right, 1, got, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(got == mod(left + size - 1, size), 110)
    line = -1
    call MPI_Sendrecv([1, 2, 3], 3, MPI_INTEGER, right, 1, line(2), 3, MPI_INTEGER, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(line == [-1, 1, 2, 3]), 111)
    call MPI_Get_address(line(2:4:2), here)
    call MPI_Send(MPI_BOTTOM, 0, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD)
  end subroutine
end program
