/* SPDX-License-Identifier: Apache-2.0 */
/* What gasnetex.h and gasnet_tools.h have in common: the platform's names, and annotations of GCC and Clang. */
#ifndef GASNET_ATOLL_BASIC_H
#define GASNET_ATOLL_BASIC_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "gasnet_portable_platform.h"

#if defined(__x86_64__)
#define GASNETT_SYSTEM_TUPLE "x86_64-unknown-linux-gnu"
#define GASNETT_PAGESIZE 4096
#define GASNETT_PAGESHIFT 12
#else
#define GASNETT_SYSTEM_TUPLE "aarch64-unknown-linux-gnu"
/* Pages of 4 KiB fill those of 64 KiB. */
#define GASNETT_PAGESIZE 65536
#define GASNETT_PAGESHIFT 16
#endif

#define GASNET_ATOLL_PASTE_(first, second) first##second
#define GASNET_ATOLL_PASTE(first, second) GASNET_ATOLL_PASTE_(first, second)
#define GASNET_ATOLL_TEXT_(word) #word
#define GASNET_ATOLL_TEXT(word) GASNET_ATOLL_TEXT_(word)
#ifndef _STRINGIFY
#define _STRINGIFY(word) GASNET_ATOLL_TEXT(word)
#endif
#ifndef _CONCAT
#define _CONCAT(first, second) GASNET_ATOLL_PASTE(first, second)
#endif

#define GASNET_ATOLL_INLINE static __inline__ __attribute__((__always_inline__, __unused__))

#ifdef __cplusplus
#define GASNETT_EXTERNC extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#else
#define GASNETT_EXTERNC extern
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

#define GASNETT_PREDICT_TRUE(condition) __builtin_expect(!!(condition), 1)
#define GASNETT_PREDICT_FALSE(condition) __builtin_expect(!!(condition), 0)
#ifndef if_pf
#define if_pf(condition) if (GASNETT_PREDICT_FALSE(condition))
#define if_pt(condition) if (GASNETT_PREDICT_TRUE(condition))
#endif
#define gasnett_constant_p(expression) __builtin_constant_p(expression)
#define gasnett_unreachable() __builtin_unreachable()
#define gasnett_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())

#define GASNETT_INLINE(name) static __inline__ __attribute__((__always_inline__))
#define GASNETT_NEVER_INLINE(name, declarator) __attribute__((__noinline__)) declarator
#define GASNETT_RESTRICT __restrict__
#define GASNETT_NORETURN __attribute__((__noreturn__))
#define GASNETT_NORETURNP(name)
#define GASNETT_MALLOC __attribute__((__malloc__))
#define GASNETT_MALLOCP(name)
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(name)
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(name)
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_USED __attribute__((__used__))
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#define GASNETT_FORMAT_PRINTF(name, format, first, declarator) \
  __attribute__((__format__(__printf__, format, first))) declarator
#define GASNETT_FORMAT_PRINTF_FUNCPTR(name, format, first, declarator) \
  __attribute__((__format__(__printf__, format, first))) declarator
#define GASNETT_CURRENT_FUNCTION __func__
#define GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC 1
#define GASNETT_IDENT(name, text) \
  extern char name[]; \
  char name[] __attribute__((__used__)) = text; \
  extern char* GASNET_ATOLL_PASTE(name, _used)(void); \
  extern char* GASNET_ATOLL_PASTE(name, _used)(void) { return name; } \
  extern int gasnet_atoll_ident

/* Of size_t in formats. */
#ifndef PRIuSZ
#define PRIuSZ "zu"
#define PRIdSZ "zd"
#define PRIxSZ "zx"
#endif

#define GASNETT_CACHE_LINE_BYTES 64
#define GASNETT_MAX_THREADS 256

#endif
