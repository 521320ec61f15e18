// SPDX-License-Identifier: Apache-2.0
// Memory descriptors, list entries and match list entries.
#pragma once

#include "portals4.h"

namespace atl::portals {

int md_bind(ptl_handle_ni_t ni_handle, const ptl_md_t* md, ptl_handle_md_t* handle);
int md_release(ptl_handle_md_t handle);
int le_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_le_t* le, ptl_list_t list, void* user,
              ptl_handle_le_t* handle);
int le_unlink(ptl_handle_le_t handle);
int le_search(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_le_t* le, ptl_search_op_t how, void* user);
int me_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_me_t* me, ptl_list_t list, void* user,
              ptl_handle_me_t* handle);
int me_unlink(ptl_handle_me_t handle);
int me_search(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_me_t* me, ptl_search_op_t how, void* user);

}  // namespace atl::portals
