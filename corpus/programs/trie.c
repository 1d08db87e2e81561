/* Tries: by letters with counts, completion and removal; a radix tree of bits for the longest prefix of an address. */
#include "platform.h"

typedef struct Node {
    struct Node *child[26];
    int words, ending;
} Node;

static Node *make(void) {
    Node *node = malloc(sizeof *node);
    memset(node, 0, sizeof *node);
    return node;
}

static void insert(Node *node, const char *word) {
    for (; node->words++, *word; word++) {
        Node **child = &node->child[*word - 'a'];
        if (!*child)
            *child = make();
        node = *child;
    }
    node->ending++;
}

static const Node *walk(const Node *node, const char *prefix) {
    while (node && *prefix)
        node = node->child[*prefix++ - 'a'];
    return node;
}

static void release(Node *node) {
    for (int i = 0; i < 26; i++)
        if (node->child[i])
            release(node->child[i]);
    free(node);
}

static bool remove_word(Node *node, const char *word) {
    const Node *end = walk(node, word);
    if (!end || !end->ending)
        return false;
    for (; node->words--, *word; word++) {
        Node **child = &node->child[*word - 'a'];
        if ((*child)->words == 1) {
            release(*child);
            *child = NULL;
            return true;
        }
        node = *child;
    }
    node->ending--;
    return true;
}

static int list(const Node *node, char *word, int depth, int room) {
    if (node->ending && room > 0) {
        word[depth] = 0;
        put_text(word);
        putchar(' ');
        room--;
    }
    for (int i = 0; i < 26 && room > 0; i++)
        if (node->child[i]) {
            word[depth] = (char)('a' + i);
            room = list(node->child[i], word, depth + 1, room);
        }
    return room;
}

static void complete(const Node *root, const char *prefix) {
    char word[32];
    int depth = (int)strlen(prefix);
    const Node *node = walk(root, prefix);
    memcpy(word, prefix, (size_t)depth + 1);
    put_text(prefix);
    put_text(": ");
    if (node)
        list(node, word, depth, 4);
    putchar('\n');
}

typedef struct {
    uint32_t prefix;
    uint8_t length;
    int16_t child[2];
    int16_t route;
} Bits;

static Bits tree[64] = {{0, 0, {-1, -1}, -1}};
static int16_t used = 1;

static void add_route(uint32_t prefix, int length, int16_t route) {
    int16_t at = 0;
    for (int bit = 0; bit < length; bit++) {
        int side = (int)(prefix >> (31 - bit) & 1);
        if (tree[at].child[side] < 0) {
            tree[used] = (Bits){prefix >> (31 - bit) << (31 - bit), (uint8_t)(bit + 1), {-1, -1}, -1};
            tree[at].child[side] = used++;
        }
        at = tree[at].child[side];
    }
    tree[at].route = route;
}

static int find_route(uint32_t address) {
    int16_t at = 0, best = -1;
    for (int bit = 0; at >= 0; bit++) {
        if (tree[at].route >= 0)
            best = tree[at].route;
        if (bit == 32)
            break;
        at = tree[at].child[address >> (31 - bit) & 1];
    }
    return best;
}

int main(void) {
    static const char words[] = "judge just jury jut prove prover proven proof program prose pro "
                                "verb verify very verdict ";
    Node *root = make();
    char word[16];
    int size = 0, removed = 0;
    for (const char *at = words; *at; at++) {
        if (*at != ' ') {
            word[size++] = *at;
            continue;
        }
        word[size] = 0;
        insert(root, word);
        size = 0;
    }
    insert(root, "proof");
    say("words", root->words);
    complete(root, "pro");
    complete(root, "ver");
    complete(root, "ju");
    complete(root, "x");
    removed += remove_word(root, "proof");
    removed += remove_word(root, "pro");
    removed += remove_word(root, "prov") * 100;
    removed += remove_word(root, "verdict");
    say("removed", removed);
    complete(root, "pro");
    complete(root, "ver");
    say("left", walk(root, "prove")->words);
    release(root);
    add_route(0x0a000000, 8, 1);
    add_route(0x0a0a0000, 16, 2);
    add_route(0xc0a80100, 24, 3);
    add_route(0x80000000, 1, 4);
    static const uint32_t addresses[] = {0x0a010203, 0x0a0a0a0a, 0xc0a80117, 0xc0a80217, 0x7f000001};
    for (size_t i = 0; i < LENGTH(addresses); i++)
        say("route", find_route(addresses[i]));
    say("nodes", used);
    return 0;
}
