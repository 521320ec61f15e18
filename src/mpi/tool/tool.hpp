// SPDX-License-Identifier: Apache-2.0
// MPI_T: control variables are the configuration table, performance variables the library's counters; there are no
// events. These functions return error codes and call no error handler.
#pragma once

#include "mpi.h"

namespace atl::mpi {

int tool_begin(int* provided);
int tool_end();
bool tool_is_active();
/// Answers for kinds that do not exist here: events, sources.
int tool_no_index();
int tool_no_name();
int tool_no_handle();
int tool_count(int* count, int value);

int control_count(int* count);
int control_index(const char* name, int* index);
int control_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type, MPI_T_enum* enumeration,
                 char* text, int* text_length, int* bind, int* scope);
int control_open(int index, MPI_T_cvar_handle* handle, int* count);
int control_close(MPI_T_cvar_handle* handle);
int control_read(MPI_T_cvar_handle handle, void* buffer);
/// Sets a control variable that this process reads at MPI_Init; only before MPI_Init.
int control_write(MPI_T_cvar_handle handle, const void* buffer);
int enumeration_info(MPI_T_enum enumeration, int* count, char* name, int* name_length);
int enumeration_item(MPI_T_enum enumeration, int index, int* value, char* name, int* name_length);

int figure_count(int* count);
int figure_index(const char* name, int variable_class, int* index);
int figure_info(int index, char* name, int* name_length, int* verbosity, int* variable_class, MPI_Datatype* type,
                MPI_T_enum* enumeration, char* text, int* text_length, int* bind, int* readonly, int* continuous,
                int* atomic);
int figure_session_open(MPI_T_pvar_session* session);
int figure_session_close(MPI_T_pvar_session* session);
int figure_open(MPI_T_pvar_session session, int index, MPI_T_pvar_handle* handle, int* count);
int figure_close(MPI_T_pvar_session session, MPI_T_pvar_handle* handle);
int figure_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer);
/// Answer of operations that no variable permits (start, stop, write, reset): `refusal`, or the error of a wrong
/// handle.
int figure_refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal);

int category_count(int* count);
int category_index(const char* name, int* index);
int category_info(int index, char* name, int* name_length, char* text, int* text_length, int* controls, int* figures,
                  int* categories);
enum class Member { control, figure, category, none };
int category_members(int index, Member member, int length, int* indices);
int category_events(int index, int* count);

}  // namespace atl::mpi
