/* SPDX-License-Identifier: Apache-2.0 */
/* GASNet tools, which need no job. */
#define GASNETT_THREAD_SAFE 1
#include <gasnet_portable_platform.h>
#ifndef PLATFORM_COMPILER_IDSTR
#error "the platform's header needs others"
#endif
#include <gasnet_tools.h>
#include <signal.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      return 1; \
    } \
  } while (0)

GASNETT_THREADKEY_DECLARE(key);
GASNETT_THREADKEY_DEFINE(key);
GASNETT_IDENT(tools_ident, "$Tools: of the test $");

static int users(int descriptor) { return descriptor == 1 ? 0 : 1; }
gasnett_backtrace_type_t gasnett_backtrace_user = {"TEST", users, 1};

#define ATOMICS(name, type) \
  static int name##_work(void) { \
    static name##_t word = name##_init(5); \
    CHECK(name##_read(&word, 0) == 5); \
    name##_set(&word, 7, GASNETT_ATOMIC_MB_POST); \
    name##_increment(&word, GASNETT_ATOMIC_REL); \
    CHECK(name##_add(&word, 2, 0) == 10 && name##_subtract(&word, 4, GASNETT_ATOMIC_ACQ) == 6); \
    CHECK(name##_swap(&word, 1, 0) == 6 && name##_compare_and_swap(&word, 1, 2, 0) != 0); \
    CHECK(name##_compare_and_swap(&word, 1, 3, 0) == 0); \
    name##_decrement(&word, 0); \
    CHECK(name##_decrement_and_test(&word, 0) != 0 && name##_subtract(&word, 1, 0) == (type) - 1); \
    CHECK(name##_read(&word, GASNETT_ATOMIC_MB_PRE | GASNETT_ATOMIC_MB_POST) == (type) - 1); \
    return 0; \
  }
ATOMICS(gasnett_atomic, gasnett_atomic_val_t)
ATOMICS(gasnett_atomic32, uint32_t)
ATOMICS(gasnett_atomic64, uint64_t)
ATOMICS(gasnett_strongatomic, gasnett_strongatomic_val_t)
ATOMICS(gasnett_strongatomic32, uint32_t)
ATOMICS(gasnett_strongatomic64, uint64_t)

int main(int argc, char** argv) {
  (void)argc;
  CHECK(!gasnett_atomic_work() && !gasnett_atomic32_work() && !gasnett_atomic64_work());
  CHECK(!gasnett_strongatomic_work() && !gasnett_strongatomic32_work() && !gasnett_strongatomic64_work());
  CHECK(gasnett_atomic_signed(GASNETT_ATOMIC_MAX) == -1);
  const gasnett_tick_t before = gasnett_ticks_now();
  CHECK(gasnett_nsleep(1000) == 0 && gasnett_ticks_to_ns(gasnett_ticks_now() - before) >= 1000);
  CHECK(gasnett_gettimeofday_us() != 0 && gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);

  CHECK(PLATFORM_COMPILER_VERSION_GE(4, 8, 0) && PLATFORM_COMPILER_VERSION_GT(4, 7, 9) &&
        PLATFORM_COMPILER_VERSION_LT(99, 0, 0));
  CHECK(PLATFORM_COMPILER_VERSION_LE(99, 0, 0) && !PLATFORM_COMPILER_VERSION_EQ(99, 0, 0));

  char text[64];
  for (int power = 0; power < 62; ++power)
    for (int is_size = 0; is_size < 2; ++is_size) {
      const int64_t value = INT64_C(1) << power;
      CHECK(gasnett_parse_int(gasnett_format_number(value, text, sizeof(text), is_size), (uint64_t)is_size) == value);
    }
  CHECK(gasnett_parse_int("1.5MB", 1) == 1572864 && gasnett_parse_int("3", 1024) == 3072 &&
        gasnett_parse_int("0x1F", 0) == 31);
  CHECK(gasnett_parse_int("-4", 0) == -4 && gasnett_parse_int("2 KB", 1) == 2048 && gasnett_parse_int("", 0) == 0);

  gasnett_setenv("GASNET_TEST_WORD", "17");
  CHECK(strcmp(gasnett_getenv("GASNET_TEST_WORD"), "17") == 0);
  CHECK(gasnett_getenv_int_withdefault("GASNET_TEST_WORD", 3, 0) == 17);
  CHECK(gasnett_getenv_dbl_withdefault("GASNET_TEST_WORD", 3) == 17.0);
  gasnett_unsetenv("GASNET_TEST_WORD");
  CHECK(gasnett_getenv("GASNET_TEST_WORD") == NULL && gasnett_getenv_int_withdefault("GASNET_TEST_WORD", 3, 0) == 3);
  CHECK(strcmp(gasnett_getenv_withdefault("GASNET_TEST_WORD", "none"), "none") == 0);
  gasnett_setenv("GASNET_TEST_WORD", "yes");
  CHECK(gasnett_getenv_yesno_withdefault("GASNET_TEST_WORD", 0) == 1 &&
        gasnett_getenv_yesno_withdefault("GASNET_NONE", 0) == 0);
  gasnett_setenv("GASNET_TEST_WORD", "3/8");
  CHECK(gasnett_getenv_dbl_withdefault("GASNET_TEST_WORD", 0) == 0.375 && gasnett_verboseenv() == 0);
  gasnett_envstr_display("GASNET_TEST_WORD", "3/8", 0);
  gasnett_envint_display("GASNET_TEST_NUMBER", 4096, 1, 1);
  gasnett_envdbl_display("GASNET_TEST_SHARE", 0.5, 1);

  const unsigned char bytes[9] = {0, 1, 0, 2, 3, 4, 0, 5, 6};
  unsigned char copy[9];
  CHECK(gasnett_count0s(bytes, 9) == 3 && gasnett_count0s_copy(copy, bytes, 9) == 3 && memcmp(bytes, copy, 9) == 0);
  CHECK(gasnett_count0s_uint32_t(0x00110022) == 2 && gasnett_count0s_uint64_t(1) == 7 &&
        gasnett_count0s_uintptr_t(0) == 8);
  CHECK(gasnett_checksum(bytes, 9) != gasnett_checksum(bytes, 8) && gasnett_isLittleEndian());

  CHECK(gasnett_cpu_count() >= 1 && gasnett_getPhysMemSz(1) > 0 && gasnett_gethostname()[0] != 0 &&
        gasnett_exe_name()[0] == '/');
  CHECK(*(char*)gasnett_mmap(GASNETT_PAGESIZE) == 0 && 1 << GASNETT_PAGESHIFT == GASNETT_PAGESIZE);
  CHECK(gasnett_reghandler(SIGUSR1, SIG_IGN) == SIG_DFL && gasnett_set_affinity(0) == 0);
  gasnett_maximize_rlimits();
  gasnett_flush_streams();
  gasnett_backtrace_init(argv[0]);
  CHECK(gasnett_print_backtrace(1) == 0);

  gasnett_threadkey_set(key, text);
  CHECK(gasnett_threadkey_get(key) == text);
  gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
  gasnett_mutex_lock(&mutex);
  CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
  gasnett_mutex_unlock(&mutex);
  gasnett_local_mb();
  gasnett_weak_rmb();
  gasnett_compiler_fence();
  gasnett_spinloop_hint();
  CHECK(gasnett_release_version() >= 2025000000 && gasnett_release_version_str()[0] == '2');
  gasnett_killmyprocess(0);
}
