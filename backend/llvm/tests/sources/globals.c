// Every kind of global that C makes. The test compares the images of its IR with the object of the same source.
typedef unsigned long size;
typedef int vector __attribute__((vector_size(16)));
typedef _Bool flag;

struct inner {
    char tag;
    short half;
};
struct nested {
    struct inner pair[2];
    long long wide;
    const char *text;
    union {
        int number;
        char letters[7];
    } either;
};
struct fields {
    unsigned low : 3;
    int middle : 13;
    unsigned : 0;
    unsigned long long high : 40;
    signed char last : 2;
};
struct __attribute__((packed)) tight {
    char a;
    int b;
    double c;
    void *d;
};
union either {
    double number;
    char letters[12];
    void *address;
};

extern int outside;
extern int function_outside(int);
extern int weak_outside __attribute__((weak));
int *to_weak_outside = &weak_outside;

const char text[] = "a\"b\\c\001\377";
char roomy[20] = "short";
const char *const strings[] = {"one", "two", &"three"[1], 0};
int words[] = {1, -2, 0x7fffffff, 0};
long long wide[] = {-1, 0x123456789abcdef, 1LL << 63};
unsigned char bytes[300] = {[5] = 7, [299] = 255};
int zeros[1000];
static short hidden_zeros[3];
short *to_hidden = &hidden_zeros[2];
flag flags[] = {1, 0, 1};
float floats[] = {1.5f, -0.0f, 3.4028235e38f, 1e-45f};
double doubles[] = {0.1, -1.0 / 0.0, 2.2250738585072014e-308, 5e-324};
_Float16 halves[] = {1.5, -2.0};
#if __SIZEOF_INT128__
__int128 huge = ((__int128)0x0123456789abcdef << 64) | 0xfedcba9876543210;
#endif
long double longest = 1.1L;
float _Complex complex_number = 1.0f + 2.0f * 1.0fi;
vector lanes = {1, 2, 3, 4};
struct nested nested = {{{'x', 7}, {'y', -1}}, -3, &text[2], {.letters = "abcdef"}};
struct nested many[3] = {[1] = {.wide = 5, .either.number = 9}, [2].text = "tail"};
struct fields fields = {5, -100, 0x1234567890, -1};
struct tight tight = {1, 2, 3.0, &words[1]};
struct tight tights[2] = {{.b = 4}, {.d = &tights[0]}};
union either first_member = {2.5};
union either other_member = {.letters = "hello"};
union either pointer_member = {.address = &nested};
struct {
    char c;
    __attribute__((aligned(32))) int far;
} spread = {1, 2};

int *inside = &words[2];
int *past_end = words + 4;
char *negative = (char *)words - 1;
int *external = &outside + 3;
int (*functions[])(int) = {function_outside, 0};
void *self = &self;
struct node {
    struct node *next, *previous;
    int value;
} head, tail = {&head, 0, 1}, head = {&tail, &tail, 2};
size address_number = (size)&words[1];
const void *const deep = &many[1].either.letters[3];
size distance_in_array = (size)((char *)&words[3] - (char *)&words[1]);

_Thread_local int thread_zero;
_Thread_local int thread_seven = 7;
static _Thread_local const char *thread_text = "thread";
const char **thread_use(void) { return &thread_text; }
__attribute__((weak)) int weak = 3;
__attribute__((visibility("hidden"))) int hidden = 4;
__attribute__((common)) int common_number;
__attribute__((section(".odd"), used)) int placed = 5;
__attribute__((aligned(64))) char aligned = 6;
static const int *const kept __attribute__((used)) = &words[1];
extern int second_name __attribute__((alias("hidden")));
extern int weak_name __attribute__((weak, alias("hidden")));
int *to_alias = &second_name;

__attribute__((constructor)) static void start(void) { words[0]++; }
__attribute__((destructor(200))) static void stop(void) { words[0]--; }

int step(int count) {
    static const void *const addresses[] = {&&up, &&down, &&done};
    static const int offsets[] = {&&up - &&up, &&down - &&up, &&done - &&up};
    static int calls = 40;
    int total = calls++;
    goto *addresses[count % 3];
up:
    total += offsets[count & 1];
    goto *((const char *)&&up + offsets[count % 2]);
down:
    total--;
done:
    return total;
}
