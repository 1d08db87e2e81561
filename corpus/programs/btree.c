/* A B-tree of order 6: insertion with splits, deletion with borrowing and merging, checks of its shape. */
#include "platform.h"

enum { LEAST = 2, MOST = 2 * LEAST + 1 };

typedef struct Node Node;
struct Node {
    short count;
    bool leaf;
    int key[MOST];
    Node *child[MOST + 1];
};

static Node *make(bool leaf) {
    Node *node = malloc(sizeof *node);
    memset(node, 0, sizeof *node);
    node->leaf = leaf;
    return node;
}

static int position(const Node *node, int key) {
    int i = 0;
    while (i < node->count && node->key[i] < key)
        i++;
    return i;
}

static void open_gap(Node *node, int at) {
    for (int i = node->count; i > at; i--) {
        node->key[i] = node->key[i - 1];
        node->child[i + 1] = node->child[i];
    }
    node->count++;
}

static void close_gap(Node *node, int at) {
    node->count--;
    for (int i = at; i < node->count; i++) {
        node->key[i] = node->key[i + 1];
        node->child[i + 1] = node->child[i + 2];
    }
}

static void split(Node *parent, int at) {
    Node *left = parent->child[at], *right = make(left->leaf);
    right->count = MOST - LEAST - 1;
    for (int i = 0; i < right->count; i++)
        right->key[i] = left->key[i + LEAST + 1];
    for (int i = 0; i <= right->count && !left->leaf; i++)
        right->child[i] = left->child[i + LEAST + 1];
    left->count = LEAST;
    open_gap(parent, at);
    parent->key[at] = left->key[LEAST];
    parent->child[at + 1] = right;
}

static bool insert(Node **root, int key) {
    if ((*root)->count == MOST) {
        Node *top = make(false);
        top->child[0] = *root;
        *root = top;
        split(top, 0);
    }
    Node *node = *root;
    for (;;) {
        int i = position(node, key);
        if (i < node->count && node->key[i] == key)
            return false;
        if (node->leaf) {
            open_gap(node, i);
            node->key[i] = key;
            return true;
        }
        if (node->child[i]->count == MOST) {
            split(node, i);
            if (node->key[i] == key)
                return false;
            i += node->key[i] < key;
        }
        node = node->child[i];
    }
}

static void merge(Node *parent, int at) {
    Node *left = parent->child[at], *right = parent->child[at + 1];
    left->key[left->count] = parent->key[at];
    for (int i = 0; i < right->count; i++)
        left->key[left->count + 1 + i] = right->key[i];
    for (int i = 0; i <= right->count; i++)
        left->child[left->count + 1 + i] = right->child[i];
    left->count = (short)(left->count + 1 + right->count);
    close_gap(parent, at);
    free(right);
}

/* Gives the child at this place more than the least number of keys. Returns its place afterwards. */
static int refill(Node *parent, int at) {
    Node *child = parent->child[at];
    if (child->count > LEAST)
        return at;
    if (at > 0 && parent->child[at - 1]->count > LEAST) {
        Node *left = parent->child[at - 1];
        open_gap(child, 0);
        child->child[1] = child->child[0];
        child->key[0] = parent->key[at - 1];
        child->child[0] = left->child[left->count];
        parent->key[at - 1] = left->key[--left->count];
        return at;
    }
    if (at < parent->count && parent->child[at + 1]->count > LEAST) {
        Node *right = parent->child[at + 1];
        child->key[child->count] = parent->key[at];
        child->child[++child->count] = right->child[0];
        parent->key[at] = right->key[0];
        right->child[0] = right->child[1];
        close_gap(right, 0);
        return at;
    }
    at -= at == parent->count;
    merge(parent, at);
    return at;
}

static bool take_out(Node *node, int key) {
    int i = position(node, key);
    bool here = i < node->count && node->key[i] == key;
    if (node->leaf) {
        if (here)
            close_gap(node, i);
        return here;
    }
    if (here && node->child[i]->count > LEAST) {
        Node *last = node->child[i];
        while (!last->leaf)
            last = last->child[last->count];
        node->key[i] = last->key[last->count - 1];
        return take_out(node->child[i], node->key[i]);
    }
    int moved = refill(node, i);
    if (moved < node->count && node->key[moved] == key)
        return take_out(node, key);
    if (i < node->count && node->key[i] == key)
        return take_out(node, key);
    return take_out(node->child[position(node, key)], key);
}

/* The height, or -1 if the shape is wrong. */
static int check(const Node *node, int *last, int *keys, bool root) {
    if (!root && node->count < LEAST)
        return -1;
    int height = 0;
    for (int i = 0; i <= node->count; i++) {
        if (!node->leaf) {
            int below = check(node->child[i], last, keys, false);
            if (below < 0 || (i > 0 && below != height))
                return -1;
            height = below;
        }
        if (i < node->count) {
            if (node->key[i] <= *last)
                return -1;
            *last = node->key[i];
            ++*keys;
        }
    }
    return height + 1;
}

static void show(const Node *root, const char *when) {
    int last = INT_MIN, keys = 0, height = check(root, &last, &keys, true);
    put_text(when);
    say(": height", height);
    say("  keys", keys);
    say("  last", last);
}

static void release(Node *node) {
    for (int i = 0; i <= node->count && !node->leaf; i++)
        release(node->child[i]);
    free(node);
}

int main(void) {
    Node *root = make(true);
    uint32_t seed = 4242;
    int added = 0, removed = 0;
    for (int i = 0; i < 2000; i++)
        added += insert(&root, (int)(next_random(&seed) % 5000) - 1000);
    say("added", added);
    show(root, "full");
    for (int i = 0; i < 4000; i++) {
        removed += take_out(root, (int)(next_random(&seed) % 5000) - 1000);
        if (root->count == 0 && !root->leaf) {
            Node *old = root;
            root = root->child[0];
            free(old);
        }
    }
    say("removed", removed);
    show(root, "thinned");
    for (int key = 100; key < 200; key++)
        insert(&root, key);
    show(root, "again");
    release(root);
    return 0;
}
