/* Bodies that attract each other under several laws, which are pointers to functions: vectors of three doubles and of
   three floats pass by value. Energy and momentum are printed as bits. */
#include "bits.h"

typedef struct {
    double x, y, z;
} Vector;

typedef struct {
    float x, y, z;
} Arrow;

typedef struct {
    uint8_t label;
    Vector place, speed;
    float mass;
} Body;

typedef double (*Law)(double distance, float mass);
typedef Vector (*Combine)(Vector, double, Vector);

static NOINLINE Vector moved(Vector from, double factor, Vector by) {
    return (Vector){from.x + factor * by.x, from.y + factor * by.y, from.z + factor * by.z};
}

static NOINLINE double inner(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static NOINLINE Vector crossed(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static NOINLINE Arrow shortened(Vector vector, float factor) {
    return (Arrow){(float)vector.x * factor, (float)vector.y * factor, (float)vector.z * factor};
}

static NOINLINE float arrow_length(Arrow first, int skipped, Arrow second, double scale, Arrow third) {
    float sum = first.x * second.x + first.y * second.y + first.z * second.z;
    return sum * (float)scale + third.x - third.y + third.z + skipped;
}

static double square_root(double value) {
    if (value <= 0)
        return 0;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits >> 1) + 0x1ff8000000000000;
    double root;
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 6; i++)
        root = (root + value / root) * 0.5;
    return root;
}

static double gravity(double distance, float mass) {
    return mass / (distance * distance * distance);
}

static double spring(double distance, float mass) {
    return mass * (distance - 1) / distance * -0.0625;
}

static double softened(double distance, float mass) {
    double squared = distance * distance + 0.01f;
    return mass / (squared * square_root(squared));
}

static void kick(Body *bodies, int count, Law law, Combine combine, double time) {
    for (int i = 0; i < count; i++) {
        Vector pull = {0, 0, 0};
        for (int j = 0; j < count; j++) {
            if (i == j)
                continue;
            Vector apart = combine(bodies[j].place, -1, bodies[i].place);
            double strength = law(square_root(inner(apart, apart)), bodies[j].mass);
            pull = combine(pull, strength, apart);
        }
        bodies[i].speed = combine(bodies[i].speed, time, pull);
    }
}

static void drift(Body *bodies, int count, Combine combine, double time) {
    for (int i = 0; i < count; i++)
        bodies[i].place = combine(bodies[i].place, time, bodies[i].speed);
}

static void report(const Body *bodies, int count) {
    Vector momentum = {0, 0, 0}, spin = {0, 0, 0};
    double motion = 0;
    for (int i = 0; i < count; i++) {
        momentum = moved(momentum, bodies[i].mass, bodies[i].speed);
        spin = moved(spin, bodies[i].mass, crossed(bodies[i].place, bodies[i].speed));
        motion += 0.5 * bodies[i].mass * inner(bodies[i].speed, bodies[i].speed);
    }
    show("momentum x", momentum.x);
    show("momentum y", momentum.y);
    show("momentum z", momentum.z);
    show("spin z", spin.z);
    show("motion", motion);
    for (int i = 0; i < count; i++) {
        putchar(bodies[i].label);
        Vector place = bodies[i].place;
        Arrow to = shortened(place, 0.5f), speed = shortened(bodies[i].speed, 3);
        show_float(" arrow", arrow_length(to, i - 2, speed, motion, (Arrow){to.y, speed.z, to.x}));
        say(" thousandths", (int64_t)(place.x * 1000) + (int16_t)(place.y * 100) + (int8_t)place.z);
    }
}

int main(void) {
    static const Law laws[] = {gravity, spring, softened};
    static const char *const names[] = {"gravity", "spring", "softened"};
    for (size_t law = 0; law < LENGTH(laws); law++) {
        Body bodies[] = {
            {'a', {0, 0, 0}, {0, 0.001, 0}, 4},        {'b', {1, 0, 0.125}, {0, 2, 0}, 0.001f},
            {'c', {0, -2.5, 0}, {1.25, 0, 0}, 0.05f}, {'d', {-4, 1, -0.5}, {0.25, -0.875, 0.0625}, 0.3f},
            {'e', {6, 6, 1}, {-0.5, 0.5, 0}, 1e-6f},
        };
        int count = (int)LENGTH(bodies);
        puts(names[law]);
        for (int step = 0; step < 150; step++) {
            drift(bodies, count, moved, 0.005);
            kick(bodies, count, laws[law], moved, 0.01);
            drift(bodies, count, moved, 0.005);
        }
        report(bodies, count);
    }
    return 0;
}
