/* A program of two files: this one drives the store, and is called back by it. */
#include "store.h"

const int64_t largest_price = INT64_C(10000000000);

void on_refusal(const Item *item, const char *reason) {
    put_text(reason);
    say(": item", item->id);
}

typedef struct {
    int least, found;
} Query;

static bool count_cheap(const Item *item, void *context) {
    Query *query = context;
    query->found += item->price < query->least;
    return true;
}

static bool until(const Item *item, void *context) { return item->id != *(const int *)context; }

int main(void) {
    puts(store_name);
    for (int i = 1; i <= 14; i++)
        store_put((Item){i % 13, i * 40, (int64_t)i * i * 100000});
    store_put((Item){3, 499, 5});
    store_put((Item){4, 1, largest_price + 1});
    store_limit *= 10;
    store_put((Item){3, 499, 5});
    Item third = store_get(3), none = store_get(99);
    say("amount", third.amount);
    say("price", third.price);
    say("none", none.id + none.amount);
    Summary summary = store_summary();
    say("value", summary.value);
    say("kinds", summary.kinds);
    say("dearest", summary.dearest->id);
    Query query = {2000000, 0};
    int last = 6;
    say("visited", store_each(count_cheap, &query));
    say("cheap", query.found);
    say("until", store_each(until, &last));
    say("changed", store_change(4, 1, INT64_C(-100), 2, INT64_C(7) << 33, 77, INT64_C(1), 9, INT64_C(5)));
    say("value", store_summary().value);
    say("errors", store_errors);
    return 0;
}
