/* A red-black tree with parent pointers and a sentinel: insertion, deletion, and a check of its invariants. */
#include "platform.h"

typedef struct Node Node;
struct Node {
    Node *parent, *side[2];
    int key;
    bool red;
};

typedef struct {
    Node *root, none;
} Tree;

static void start(Tree *tree) {
    tree->none = (Node){.parent = &tree->none, .side = {&tree->none, &tree->none}};
    tree->root = &tree->none;
}

static void put_in_place(Tree *tree, Node *old, Node *new) {
    if (old->parent == &tree->none)
        tree->root = new;
    else
        old->parent->side[old == old->parent->side[1]] = new;
    new->parent = old->parent;
}

static void rotate(Tree *tree, Node *node, int to) {
    Node *up = node->side[!to];
    node->side[!to] = up->side[to];
    if (up->side[to] != &tree->none)
        up->side[to]->parent = node;
    put_in_place(tree, node, up);
    up->side[to] = node;
    node->parent = up;
}

static bool insert(Tree *tree, int key) {
    Node *parent = &tree->none;
    for (Node *at = tree->root; at != &tree->none; at = at->side[at->key < key]) {
        if (at->key == key)
            return false;
        parent = at;
    }
    Node *node = malloc(sizeof *node);
    *node = (Node){parent, {&tree->none, &tree->none}, key, true};
    if (parent == &tree->none)
        tree->root = node;
    else
        parent->side[parent->key < key] = node;
    while (node->parent->red) {
        Node *grand = node->parent->parent;
        int left = node->parent == grand->side[1];
        Node *uncle = grand->side[!left];
        if (uncle->red) {
            node->parent->red = uncle->red = false;
            grand->red = true;
            node = grand;
            continue;
        }
        if (node == node->parent->side[!left]) {
            node = node->parent;
            rotate(tree, node, left);
        }
        node->parent->red = false;
        grand->red = true;
        rotate(tree, grand, !left);
    }
    tree->root->red = false;
    return true;
}

static void mend(Tree *tree, Node *node) {
    while (node != tree->root && !node->red) {
        int right = node == node->parent->side[1];
        Node *sibling = node->parent->side[!right];
        if (sibling->red) {
            sibling->red = false;
            node->parent->red = true;
            rotate(tree, node->parent, right);
            sibling = node->parent->side[!right];
        }
        if (!sibling->side[0]->red && !sibling->side[1]->red) {
            sibling->red = true;
            node = node->parent;
            continue;
        }
        if (!sibling->side[!right]->red) {
            sibling->side[right]->red = false;
            sibling->red = true;
            rotate(tree, sibling, !right);
            sibling = node->parent->side[!right];
        }
        sibling->red = node->parent->red;
        node->parent->red = false;
        sibling->side[!right]->red = false;
        rotate(tree, node->parent, right);
        node = tree->root;
    }
    node->red = false;
}

static bool take_out(Tree *tree, int key) {
    Node *node = tree->root;
    while (node != &tree->none && node->key != key)
        node = node->side[node->key < key];
    if (node == &tree->none)
        return false;
    Node *gone = node;
    if (node->side[0] != &tree->none && node->side[1] != &tree->none) {
        gone = node->side[1];
        while (gone->side[0] != &tree->none)
            gone = gone->side[0];
        node->key = gone->key;
    }
    Node *child = gone->side[gone->side[0] == &tree->none];
    put_in_place(tree, gone, child);
    if (!gone->red)
        mend(tree, child);
    free(gone);
    return true;
}

/* The number of black nodes on each way down, or -1 if the ways differ or a red node has a red child. */
static int black_height(const Tree *tree, const Node *node, int low, int high) {
    if (node == &tree->none)
        return 0;
    if (node->key <= low || node->key >= high || (node->red && (node->side[0]->red || node->side[1]->red)))
        return -1;
    int left = black_height(tree, node->side[0], low, node->key);
    int right = black_height(tree, node->side[1], node->key, high);
    return left < 0 || left != right ? -1 : left + !node->red;
}

static int64_t sum(const Tree *tree, const Node *node, int depth) {
    if (node == &tree->none)
        return 0;
    return (int64_t)node->key * depth + sum(tree, node->side[0], depth + 1) + sum(tree, node->side[1], depth + 1);
}

int main(void) {
    Tree tree;
    uint32_t seed = 31337;
    start(&tree);
    for (int round = 0; round < 4; round++) {
        int added = 0, gone = 0;
        for (int i = 0; i < 600; i++)
            added += insert(&tree, (int)(next_random(&seed) % 2000) - 1000);
        say("height", black_height(&tree, tree.root, INT_MIN, INT_MAX));
        for (int i = 0; i < 900; i++) {
            gone += take_out(&tree, (int)(next_random(&seed) % 2000) - 1000);
            if (i % 100 == 0 && black_height(&tree, tree.root, INT_MIN, INT_MAX) < 0)
                puts("WRONG");
        }
        say("added", added);
        say("gone", gone);
        say("sum", sum(&tree, tree.root, 1));
    }
    int rest = 0;
    while (tree.root != &tree.none)
        rest += take_out(&tree, tree.root->key);
    say("rest", rest);
    return 0;
}
