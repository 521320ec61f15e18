/* SPDX-License-Identifier: Apache-2.0 */
/* GASNet-EX on Atoll: constants and scalar types alone. */
#ifndef GASNET_ATOLL_FWD_H
#define GASNET_ATOLL_FWD_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID ((gex_Rank_t)0xFFFFFFFFu)

typedef uint16_t gex_EP_Index_t;
typedef struct {
  gex_Rank_t gex_rank;
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

typedef void* gex_Addr_t;

/* An event is 0 (complete), GEX_EVENT_NO_OP, an operation over the network (bit 1 is set), or points to the library's.
 */
typedef struct gasnet_atoll_event* gex_Event_t;
#define GEX_EVENT_INVALID ((gex_Event_t)(uintptr_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)
#define GEX_EVENT_NOW ((gex_Event_t*)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t*)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t*)(uintptr_t)3)

/* Types of atomics and reductions: one bit each. */
typedef uint32_t gex_DT_t;
#define GEX_DT_I32 0x01u
#define GEX_DT_U32 0x02u
#define GEX_DT_I64 0x04u
#define GEX_DT_U64 0x08u
#define GEX_DT_FLT 0x10u
#define GEX_DT_DBL 0x20u
#define GEX_DT_USER 0x40u

/* Operations: one bit each; the fetching form of an operation is 16 bits above it. */
typedef uint32_t gex_OP_t;
#define GEX_OP_ADD 0x0001u
#define GEX_OP_SUB 0x0002u
#define GEX_OP_MULT 0x0004u
#define GEX_OP_MIN 0x0008u
#define GEX_OP_MAX 0x0010u
#define GEX_OP_INC 0x0020u
#define GEX_OP_DEC 0x0040u
#define GEX_OP_AND 0x0080u
#define GEX_OP_OR 0x0100u
#define GEX_OP_XOR 0x0200u
#define GEX_OP_SET 0x0400u
#define GEX_OP_CAS 0x0800u
#define GEX_OP_USER 0x2000u
#define GEX_OP_USER_NC 0x4000u
#define GEX_OP_FADD 0x00010000u
#define GEX_OP_FSUB 0x00020000u
#define GEX_OP_FMULT 0x00040000u
#define GEX_OP_FMIN 0x00080000u
#define GEX_OP_FMAX 0x00100000u
#define GEX_OP_FINC 0x00200000u
#define GEX_OP_FDEC 0x00400000u
#define GEX_OP_FAND 0x00800000u
#define GEX_OP_FOR 0x01000000u
#define GEX_OP_FXOR 0x02000000u
#define GEX_OP_SWAP 0x04000000u
#define GEX_OP_FCAS 0x08000000u
#define GEX_OP_GET 0x10000000u
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_TO_FETCHING(op) ((gex_OP_t)(op) << 16)
#define GEX_OP_TO_NONFETCHING(op) ((gex_OP_t)(op) >> 16)

/* Flags. Values of flags that no call accepts together may be the same. */
typedef uint32_t gex_Flags_t;
#define GEX_FLAG_IMMEDIATE (1u << 0)
#define GEX_FLAG_LC_COPY_YES (1u << 1)
#define GEX_FLAG_LC_COPY_NO (1u << 2)
#define GEX_FLAG_SELF_SEG_UNKNOWN (1u << 3)
#define GEX_FLAG_SELF_SEG_SOME (1u << 4)
#define GEX_FLAG_SELF_SEG_BOUND (1u << 5)
#define GEX_FLAG_SELF_SEG_OFFSET (1u << 6)
#define GEX_FLAG_PEER_SEG_UNKNOWN (1u << 7)
#define GEX_FLAG_PEER_SEG_SOME (1u << 8)
#define GEX_FLAG_PEER_SEG_BOUND (1u << 9)
#define GEX_FLAG_PEER_SEG_OFFSET (1u << 10)
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT (1u << 11)
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC (1u << 12)
#define GEX_FLAG_RANK_IS_JOBRANK (1u << 13)
#define GEX_FLAG_PEER_NEVER_SELF (1u << 14)
#define GEX_FLAG_PEER_NEVER_NBRHD (1u << 15)
#define GEX_FLAG_ENABLE_LEAF_LC (1u << 16)
#define GEX_FLAG_GLOBALLY_QUIESCED (1u << 17)
#define GEX_FLAG_AD_MY_RANK (1u << 18)
#define GEX_FLAG_AD_MY_NBRHD (1u << 19)
#define GEX_FLAG_AD_REL (1u << 20)
#define GEX_FLAG_AD_ACQ (1u << 21)
#define GEX_FLAG_AD_FAVOR_MY_RANK (1u << 22)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD (1u << 23)
#define GEX_FLAG_AD_FAVOR_REMOTE (1u << 24)
#define GEX_FLAG_USES_GASNET1 (1u << 0)
#define GEX_FLAG_DEFER_THREADS (1u << 1)
#define GEX_FLAG_AM_SHORT (1u << 0)
#define GEX_FLAG_AM_MEDIUM (1u << 1)
#define GEX_FLAG_AM_LONG (1u << 2)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST (1u << 3)
#define GEX_FLAG_AM_REPLY (1u << 4)
#define GEX_FLAG_AM_REQREP (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN (1u << 0)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (1u << 1)
#define GEX_FLAG_TM_GLOBAL_SCRATCH (1u << 2)
#define GEX_FLAG_TM_LOCAL_SCRATCH (1u << 3)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH (1u << 4)
#define GEX_FLAG_TM_NO_SCRATCH (1u << 5)
#define GEX_FLAG_SCRATCH_SEG_OFFSET (1u << 6)
#define GEX_FLAG_HINT_ACCEL_AD (1u << 0)
#define GEX_FLAG_HINT_ACCEL_COLL (1u << 1)
#define GEX_FLAG_HINT_ACCEL_ALL (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL)

typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA (1u << 0)
#define GEX_EP_CAPABILITY_AM (1u << 1)
#define GEX_EP_CAPABILITY_VIS (1u << 2)
#define GEX_EP_CAPABILITY_COLL (1u << 3)
#define GEX_EP_CAPABILITY_AD (1u << 4)
#define GEX_EP_CAPABILITY_ALL 0x1Fu

#endif
