/* The interface between the two files of this program: types by value and by pointer, data of both sides, calls both
   ways. */
#ifndef STORE_H
#define STORE_H

#include "platform.h"

typedef struct {
    int id, amount;
    int64_t price;
} Item;

typedef struct {
    int64_t value;
    int kinds;
    const Item *dearest;
} Summary;

typedef bool Visit(const Item *item, void *context);

extern const char *const store_name;
extern int store_limit;
extern _Thread_local int store_errors;

bool store_put(Item item);
Item store_get(int id);
Summary store_summary(void);
int store_each(Visit *visit, void *context);
int store_change(int count, ...);

/* Of main.c: called back by the store. */
void on_refusal(const Item *item, const char *reason);
extern const int64_t largest_price;

#endif
