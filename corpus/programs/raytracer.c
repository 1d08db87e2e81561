/* A ray tracer: spheres over a floor with mirrors, shadows and two lamps. Rays are recursive, the sphere's equation
   has ten double arguments, colours are floats, and the picture is text. */
#include "bits.h"

typedef struct {
    double x, y, z;
} Vector;

typedef struct {
    Vector from, along;
} Ray;

typedef struct {
    float red, green, blue, alpha;
} Colour;

typedef struct {
    Vector centre;
    double radius;
    Colour colour;
    float mirror;
} Sphere;

static const Sphere spheres[] = {
    {{0, 1, 6}, 1, {0.9f, 0.2f, 0.1f, 1}, 0.25f},
    {{-2.25, 0.75, 5}, 0.75, {0.1f, 0.8f, 0.3f, 1}, 0.5f},
    {{1.75, 0.5, 4.5}, 0.5, {0.2f, 0.3f, 1, 1}, 0},
    {{2.5, 2, 8}, 2, {0.7f, 0.7f, 0.7f, 0.5f}, 0.75f},
};
static const Vector lamps[] = {{-5, 8, -2}, {6, 3, 1}};
static unsigned rays;

static Vector moved(Vector from, double factor, Vector by) {
    return (Vector){from.x + factor * by.x, from.y + factor * by.y, from.z + factor * by.z};
}

static double inner(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static NOINLINE double square_root(double value) {
    double root = value > 1 ? value : 1, before = 0;
    for (int i = 0; i < 40 && root != before; i++) {
        before = root;
        root = 0.5 * (root + value / root);
    }
    return root;
}

static NOINLINE Vector normalized(Vector vector) {
    double length = square_root(inner(vector, vector));
    return (Vector){vector.x / length, vector.y / length, vector.z / length};
}

/* How far along the ray the sphere is met; infinite if it is not. */
static NOINLINE double sphere_met(double x, double y, double z, double along_x, double along_y, double along_z,
                                  double centre_x, double centre_y, double centre_z, double radius) {
    double a = x - centre_x, b = y - centre_y, c = z - centre_z;
    double half = a * along_x + b * along_y + c * along_z, rest = a * a + b * b + c * c - radius * radius;
    double under = half * half - rest;
    if (under < 0)
        return __builtin_inf();
    double root = square_root(under);
    if (-half - root > 1e-6)
        return -half - root;
    return -half + root > 1e-6 ? -half + root : __builtin_inf();
}

/* The place in `spheres`, -1 for the floor, -2 for the sky. */
static NOINLINE int nearest(Ray ray, double *distance) {
    int found = -2;
    *distance = __builtin_inf();
    if (ray.along.y < 0) {
        *distance = -ray.from.y / ray.along.y;
        found = -1;
    }
    for (size_t i = 0; i < LENGTH(spheres); i++) {
        Vector centre = spheres[i].centre;
        double met = sphere_met(ray.from.x, ray.from.y, ray.from.z, ray.along.x, ray.along.y, ray.along.z, centre.x,
                                centre.y, centre.z, spheres[i].radius);
        if (met < *distance) {
            *distance = met;
            found = (int)i;
        }
    }
    return found;
}

static NOINLINE Colour mixed(Colour a, float share, Colour b) {
    float other = 1 - share;
    return (Colour){a.red * share + b.red * other, a.green * share + b.green * other, a.blue * share + b.blue * other,
                    a.alpha * share + b.alpha * other};
}

static float light(Vector place, Vector outward) {
    float sum = 0.125f;
    for (size_t i = 0; i < LENGTH(lamps); i++) {
        Vector to = normalized(moved(lamps[i], -1, place));
        double cosine = inner(to, outward), distance;
        if (cosine > 0 && nearest((Ray){moved(place, 1e-5, outward), to}, &distance) == -2)
            sum += (float)cosine * 0.5f;
    }
    return sum > 1 ? 1 : sum;
}

static NOINLINE Colour trace(Ray ray, int depth, float weight) {
    static const Colour sky = {0.4f, 0.6f, 0.9f, 0}, dark = {0, 0, 0, 1};
    double distance;
    rays++;
    int found = nearest(ray, &distance);
    if (found == -2 || depth == 0)
        return mixed(sky, (float)(1 - ray.along.y) * weight, dark);
    Vector place = moved(ray.from, distance, ray.along), outward = {0, 1, 0};
    Colour colour = {0.8f, 0.8f, 0.8f, 1};
    float mirror = 0.125f;
    if (found >= 0) {
        outward = normalized(moved(place, -1, spheres[found].centre));
        colour = spheres[found].colour;
        mirror = spheres[found].mirror;
    } else if (((int64_t)(place.x + 1000) + (int64_t)(place.z + 1000)) % 2 || distance > 1e6) {
        colour = dark;
    }
    colour = mixed(colour, light(place, outward), dark);
    if (mirror == 0)
        return colour;
    Ray bounced = {place, moved(ray.along, -2 * inner(ray.along, outward), outward)};
    return mixed(trace(bounced, depth - 1, weight * 0.75f), mirror, colour);
}

int main(void) {
    uint32_t sum = 1;
    for (int row = 0; row < 24; row++) {
        for (int column = 0; column < 64; column++) {
            Vector along = normalized((Vector){(column - 31.5) / 40, (9 - row) / 20.0, 1});
            Colour colour = trace((Ray){{0, 1.5, -1}, along}, 4, 1);
            float grey = colour.red * 0.3f + colour.green * 0.5f + colour.blue * 0.2f;
            uint32_t bits;
            memcpy(&bits, &grey, sizeof bits);
            sum = sum * 31 + bits + (uint8_t)(colour.alpha * 255);
            putchar(" .,:;-=+*oO#%@"[(unsigned)(grey * 13.99f)]);
        }
        putchar('\n');
    }
    say("rays", rays);
    say_hex("sum", sum);
    return 0;
}
