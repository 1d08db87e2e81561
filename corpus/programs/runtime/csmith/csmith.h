// What programs of csmith include, without a C library: csmith's own safe_math.h, and its runtime as functions of another file.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

int printf(const char *, ...);
int strcmp(const char *, const char *);

#define STATIC static inline __attribute__((always_inline))
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define assert(condition)
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"

extern uint32_t crc32_context;
void crc32_gentab(void);
void platform_main_begin(void);
void platform_main_end(uint32_t, int);
void transparent_crc(uint64_t, char *, int);
void transparent_crc_bytes(char *, int, char *, int);
