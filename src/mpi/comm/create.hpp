// SPDX-License-Identifier: Apache-2.0
// Creation of communicators, and the bodies of the communicator chapter.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

/// Sets `copy` to a duplicate without attributes when the flow ends. Collective over both groups.
Flow duplicate_flow(Comm& comm, Ref<Comm>& copy);

/// Creates an inter-communicator. `circle` is this side. Its `leader` and the leader of the other side exchange the
/// member lists with the match bits `bits`, which only leaders need to know. Collective over both sides.
Ref<Comm> make_inter(Circle circle, int leader, PeId remote_leader, std::uint64_t bits, const Ref<Group>& local);
/// The communicator of MPI_Comm_get_parent; MPI_COMM_NULL once it is freed.
MPI_Comm& parent();

void comm_compare(MPI_Comm one, MPI_Comm other, int* result);
void comm_dup(MPI_Comm comm, MPI_Comm* copy);
void comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy);
void comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part);
void comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part);
void comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made);
void comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made);
void comm_create_from_group(MPI_Group group, const char* name, MPI_Info info, MPI_Errhandler errhandler,
                            MPI_Comm* made);
void intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* made);
void intercomm_create_from_groups(MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char* name,
                                  MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* made);
void intercomm_merge(MPI_Comm inter, int high, MPI_Comm* made);
void comm_free(MPI_Comm* comm);
/// Returns the code with which the error handler was called, or MPI_SUCCESS.
int comm_disconnect(MPI_Comm* comm);
void comm_remote_size(MPI_Comm comm, int* size);
void comm_remote_group(MPI_Comm comm, MPI_Group* group);
/// Accepts MPI_COMM_NULL, too.
void comm_get_name(MPI_Comm comm, char* name, int* length);
/// Gives the present values of the standard's communicator hints. Other hints were ignored when they were set.
void comm_get_info(MPI_Comm comm, MPI_Info* info);
void comm_set_info(MPI_Comm comm, MPI_Info info);

}  // namespace atl::mpi
