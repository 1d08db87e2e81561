/* The store: a table of items, with limits and errors. */
#include "store.h"

enum { ROOM = 12 };

static Item items[ROOM];
static int used;

const char *const store_name = "north";
int store_limit = 500;
_Thread_local int store_errors;

static Item *find(int id) {
    for (int i = 0; i < used; i++)
        if (items[i].id == id)
            return &items[i];
    return NULL;
}

static bool refuse(const Item *item, const char *reason) {
    store_errors++;
    on_refusal(item, reason);
    return false;
}

bool store_put(Item item) {
    Item *known = find(item.id);
    if (item.price > largest_price)
        return refuse(&item, "too dear");
    if (item.amount + (known ? known->amount : 0) > store_limit)
        return refuse(&item, "too many");
    if (!known) {
        if (used == ROOM)
            return refuse(&item, "no room");
        known = &items[used++];
        *known = (Item){.id = item.id};
    }
    known->price = known->amount == 0 ? item.price : (known->price + item.price) / 2;
    known->amount += item.amount;
    return true;
}

Item store_get(int id) {
    const Item *found = find(id);
    return found ? *found : (Item){.id = -1};
}

Summary store_summary(void) {
    Summary summary = {.kinds = used};
    for (int i = 0; i < used; i++) {
        summary.value += items[i].amount * items[i].price;
        if (!summary.dearest || items[i].price > summary.dearest->price)
            summary.dearest = &items[i];
    }
    return summary;
}

int store_each(Visit *visit, void *context) {
    int visited = 0;
    while (visited < used && visit(&items[visited], context))
        visited++;
    return visited;
}

/* Pairs of an identifier (int) and a change of price (int64_t). */
int store_change(int count, ...) {
    va_list arguments;
    int changed = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++) {
        Item *item = find(va_arg(arguments, int));
        int64_t by = va_arg(arguments, int64_t);
        if (item) {
            item->price += by;
            changed++;
        }
    }
    va_end(arguments);
    return changed;
}
