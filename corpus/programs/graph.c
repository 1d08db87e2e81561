/* Graphs: breadth and depth first, shortest ways by a heap and by all pairs, components, spanning trees, flow,
   order. */
#include "platform.h"

enum { NODES = 40, EDGES = 160, FAR = INT_MAX / 2 };

typedef struct {
    int to, weight, next;
} Edge;

static Edge edges[EDGES * 2];
static int first[NODES], count;

static void add(int from, int to, int weight) {
    edges[count] = (Edge){to, weight, first[from]};
    first[from] = count++;
}

static int breadth(int start, int *distance) {
    int queue[NODES], head = 0, tail = 0;
    for (int i = 0; i < NODES; i++)
        distance[i] = -1;
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int node = queue[head++];
        for (int e = first[node]; e >= 0; e = edges[e].next)
            if (distance[edges[e].to] < 0) {
                distance[edges[e].to] = distance[node] + 1;
                queue[tail++] = edges[e].to;
            }
    }
    return tail;
}

typedef struct {
    int key, node;
} Item;

static Item heap[EDGES * 2 + 1];
static int size;

static void push(Item item) {
    int at = size++;
    for (; at > 0 && heap[(at - 1) / 2].key > item.key; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static Item pop(void) {
    Item least = heap[0], last = heap[--size];
    int at = 0;
    for (int child; (child = at * 2 + 1) < size; at = child) {
        child += child + 1 < size && heap[child + 1].key < heap[child].key;
        if (heap[child].key >= last.key)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return least;
}

static void shortest(int start, int *distance) {
    for (int i = 0; i < NODES; i++)
        distance[i] = FAR;
    distance[start] = 0;
    push((Item){0, start});
    while (size > 0) {
        Item item = pop();
        if (item.key > distance[item.node])
            continue;
        for (int e = first[item.node]; e >= 0; e = edges[e].next) {
            int through = item.key + edges[e].weight;
            if (through < distance[edges[e].to]) {
                distance[edges[e].to] = through;
                push((Item){through, edges[e].to});
            }
        }
    }
}

static int all_pairs[NODES][NODES];

static void every_pair(void) {
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            all_pairs[i][j] = i == j ? 0 : FAR;
    for (int i = 0; i < NODES; i++)
        for (int e = first[i]; e >= 0; e = edges[e].next)
            if (edges[e].weight < all_pairs[i][edges[e].to])
                all_pairs[i][edges[e].to] = edges[e].weight;
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                if (all_pairs[i][k] + all_pairs[k][j] < all_pairs[i][j])
                    all_pairs[i][j] = all_pairs[i][k] + all_pairs[k][j];
}

/* Strongly connected components by one depth first walk. */
static int index_of[NODES], low[NODES], stack[NODES], depth, next_index, components;
static bool on_stack[NODES];

static void connect(int node) {
    index_of[node] = low[node] = ++next_index;
    stack[depth++] = node;
    on_stack[node] = true;
    for (int e = first[node]; e >= 0; e = edges[e].next) {
        int to = edges[e].to;
        if (!index_of[to]) {
            connect(to);
            low[node] = low[to] < low[node] ? low[to] : low[node];
        } else if (on_stack[to]) {
            low[node] = index_of[to] < low[node] ? index_of[to] : low[node];
        }
    }
    if (low[node] == index_of[node]) {
        int member;
        components++;
        do {
            member = stack[--depth];
            on_stack[member] = false;
        } while (member != node);
    }
}

static int parent[NODES];
static int root(int x) { return parent[x] == x ? x : (parent[x] = root(parent[x])); }

static int spanning(int *joined) {
    int total = 0;
    *joined = 0;
    for (int i = 0; i < NODES; i++)
        parent[i] = i;
    for (int weight = 0; weight < 100; weight++)
        for (int i = 0; i < NODES; i++)
            for (int e = first[i]; e >= 0; e = edges[e].next)
                if (edges[e].weight == weight && root(i) != root(edges[e].to)) {
                    parent[root(i)] = root(edges[e].to);
                    total += weight;
                    ++*joined;
                }
    return total;
}

static int residue[NODES][NODES];

static int augment(int node, int end, int most, bool *seen) {
    if (node == end)
        return most;
    seen[node] = true;
    for (int to = 0; to < NODES; to++) {
        if (seen[to] || residue[node][to] == 0)
            continue;
        int sent = augment(to, end, residue[node][to] < most ? residue[node][to] : most, seen);
        if (sent > 0) {
            residue[node][to] -= sent;
            residue[to][node] += sent;
            return sent;
        }
    }
    return 0;
}

static int flow(int start, int end) {
    int total = 0;
    for (int i = 0; i < NODES; i++)
        for (int e = first[i]; e >= 0; e = edges[e].next)
            residue[i][edges[e].to] += edges[e].weight;
    for (;;) {
        bool seen[NODES] = {false};
        int sent = augment(start, end, FAR, seen);
        if (sent == 0)
            return total;
        total += sent;
    }
}

int main(void) {
    uint32_t seed = 2718;
    int distance[NODES], joined;
    for (int i = 0; i < NODES; i++)
        first[i] = -1;
    for (int i = 0; i < EDGES; i++) {
        int from = (int)(next_random(&seed) % NODES), to = (int)(next_random(&seed) % NODES);
        add(from, to, (int)(next_random(&seed) % 90) + 1);
    }
    say("reached", breadth(0, distance));
    int64_t sum = 0, wrong = 0;
    for (int i = 0; i < NODES; i++)
        sum = (sum * 3 + distance[i]) % 1000000007;
    say("distances", sum);
    every_pair();
    for (int start = 0; start < NODES; start++) {
        shortest(start, distance);
        for (int i = 0; i < NODES; i++) {
            wrong += distance[i] != all_pairs[start][i];
            sum = (sum * 31 + distance[i]) % 1000000007;
        }
    }
    say("shortest", sum);
    say("wrong", wrong);
    for (int i = 0; i < NODES; i++)
        if (!index_of[i])
            connect(i);
    say("components", components);
    int total = spanning(&joined);
    say("spanning", total);
    say("joined", joined);
    say("flow", flow(1, 30));
    return 0;
}
