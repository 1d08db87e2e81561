/* A hash map with open addressing, growth and deletion by tombstones; keys are strings. */
#include "platform.h"

typedef struct {
    char *key;
    int value;
    uint32_t hash;
} Entry;

typedef struct {
    Entry *entries;
    size_t capacity, used, live;
} Map;

static char tombstone[1];

static uint32_t hash_of(const char *key) {
    uint32_t hash = 2166136261u;
    while (*key)
        hash = (hash ^ (uint8_t)*key++) * 16777619u;
    return hash;
}

static bool equal(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static Entry *slot(const Map *map, const char *key, uint32_t hash) {
    Entry *free_slot = NULL;
    for (size_t i = hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        Entry *entry = &map->entries[i];
        if (!entry->key)
            return free_slot ? free_slot : entry;
        if (entry->key == tombstone) {
            if (!free_slot)
                free_slot = entry;
        } else if (entry->hash == hash && equal(entry->key, key)) {
            return entry;
        }
    }
}

static void resize(Map *map, size_t capacity) {
    Map larger = {malloc(capacity * sizeof(Entry)), capacity, map->live, map->live};
    memset(larger.entries, 0, capacity * sizeof(Entry));
    for (size_t i = 0; i < map->capacity; i++) {
        Entry *old = &map->entries[i];
        if (old->key && old->key != tombstone)
            *slot(&larger, old->key, old->hash) = *old;
    }
    free(map->entries);
    *map = larger;
}

static int *entry(Map *map, const char *key) {
    if ((map->used + 1) * 4 > map->capacity * 3)
        resize(map, map->capacity ? map->live * 4 > map->capacity ? map->capacity * 2 : map->capacity : 8);
    uint32_t hash = hash_of(key);
    Entry *found = slot(map, key, hash);
    if (!found->key || found->key == tombstone) {
        size_t size = strlen(key) + 1;
        map->used += !found->key;
        map->live++;
        found->key = memcpy(malloc(size), key, size);
        found->hash = hash;
        found->value = 0;
    }
    return &found->value;
}

static bool take_out(Map *map, const char *key) {
    Entry *found = slot(map, key, hash_of(key));
    if (!found->key || found->key == tombstone)
        return false;
    free(found->key);
    found->key = tombstone;
    map->live--;
    return true;
}

static void name(char *to, uint32_t number) {
    *to++ = 'k';
    do
        *to++ = (char)('a' + number % 26);
    while ((number /= 26) != 0);
    *to = 0;
}

int main(void) {
    Map map = {0};
    char key[16];
    uint32_t seed = 77;
    for (int i = 0; i < 3000; i++) {
        name(key, next_random(&seed) % 700);
        *entry(&map, key) += i;
    }
    say("live", (int64_t)map.live);
    say("capacity", (int64_t)map.capacity);
    int gone = 0;
    for (uint32_t i = 0; i < 700; i += 3) {
        name(key, i);
        gone += take_out(&map, key);
        gone += take_out(&map, key);
    }
    say("gone", gone);
    for (uint32_t i = 0; i < 700; i += 9) {
        name(key, i);
        *entry(&map, key) -= (int)i;
    }
    int64_t total = 0;
    uint32_t order = 0;
    for (size_t i = 0; i < map.capacity; i++) {
        Entry *found = &map.entries[i];
        if (!found->key || found->key == tombstone)
            continue;
        total += found->value;
        order = order * 33 ^ found->hash;
        free(found->key);
    }
    say("live", (int64_t)map.live);
    say("total", total);
    say_hex("order", order);
    free(map.entries);
    return 0;
}
