/* The thin layer under every program: what a C library gives, and the text of numbers. No header of a C library is
   read, so the same source builds where there is none. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the C library, or of the runtime where there is none. */
int putchar(int c);
int puts(const char *text);
void *malloc(size_t size);
void free(void *block);
_Noreturn void exit(int status);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);

/* Of platform.c. None of them ends a line. */
void put_text(const char *text);
void put_signed(int64_t value);
void put_unsigned(uint64_t value);
/* At least `digits` digits, with zeros before them. */
void put_hex(uint64_t value, int digits);
void put_bytes(const void *bytes, size_t size);

/* "name: value" and the end of the line. */
void say(const char *name, int64_t value);
void say_hex(const char *name, uint64_t value);

/* A sequence that looks random and is the same everywhere (xorshift). The state must not be 0. */
uint32_t next_random(uint32_t *state);

/* Of platform.c, on machines with an environment of floating point: a mode and flags as `strict.h` names them. */
void set_environment(int mode, unsigned flags);
unsigned exceptions(void);

#define LENGTH(array) (sizeof(array) / sizeof *(array))
/* Keeps a function a function, so that calls stay calls. */
#define NOINLINE __attribute__((noinline))

#endif
