// Variables of every kind of section, by contents and by name, and functions in sections of their own.

#define IN(name) __attribute__((section(name), used))
#define LOCAL _Thread_local __attribute__((tls_model("local-exec")))

static int zeros_by_name[3] IN(".bss.own");
static int named_bss[2] IN(".bss") = {0, 0};
static int zeros_in_data[2] IN(".data.own");
static int zeros_elsewhere[2] IN("own");
static int numbers_by_name[2] IN(".data.own") = {4, -4};
static int numbers_elsewhere[2] IN("own") = {6, 7};
static const int constants_by_name[2] IN(".rodata.own") = {8, 9};
static const char note[] IN(".note.own") = "own";
static LOCAL int thread_zeros[2] IN(".tbss.own");
static LOCAL int thread_bss IN(".tbss");
static LOCAL int thread_zeros_in_data IN(".tdata.own");
static LOCAL int thread_zeros_elsewhere IN("own_tls");
static LOCAL int thread_numbers[2] IN(".tdata.own") = {10, 11};
static LOCAL int thread_plain_zeros;
static LOCAL int thread_plain_numbers = 12;
LOCAL long thread_global __attribute__((aligned(32))) = 13;

// Names that only begin as one of a kind.
static int nearly_bss[2] IN(".bssown") = {0, 0};
static int nearly_init IN(".init_arrays") = 1;
static int nearly_note IN(".notes") = 2;
static LOCAL int nearly_tbss IN(".tbssown");

// Tables of functions that run before and after the program.
static void first(void) {}
static void (*const at_start)(void) IN(".init_array") = first;
static void (*const at_start_in_turn)(void) IN(".init_array.00100") = first;
static void (*const at_end)(void) IN(".fini_array") = first;
static void (*const before_all)(void) IN(".preinit_array") = first;

// Contents that decide by themselves.
static int plain_zeros[5];
static short plain_numbers[3] = {1, 2, 3};
static const unsigned char plain_constants[3] = {1, 0, 2};
static const char *const text = "a text";
static const char *texts[2] = {"a text", "text"};
static const int *const pointer_to_constant = constants_by_name;
const int wide_alignment[2] __attribute__((aligned(64))) = {20, 21};
int weak_number __attribute__((weak)) = 22;
int hidden_number __attribute__((visibility("hidden"))) = 23;
int protected_number __attribute__((visibility("protected")));

__attribute__((section(".text.own"), noinline)) static int in_own_text(int value) { return value * 3 + 1; }
__attribute__((section("code"), noinline)) int in_code(int value) { return value * 5 - 1; }
__attribute__((aligned(64), noinline)) int aligned_function(int value) { return value ^ 0x55; }

int plain(unsigned which) {
    which &= 1;
    zeros_by_name[which] += 1;
    plain_zeros[which + 1] -= zeros_by_name[which];
    plain_numbers[which] += numbers_by_name[which];
    return plain_zeros[which + 1] + plain_numbers[which] + constants_by_name[which] + plain_constants[which]
        + note[which] + zeros_in_data[which] + zeros_elsewhere[which] + numbers_elsewhere[which] + named_bss[which]
        + nearly_bss[which] + nearly_init + nearly_note;
}

int of_thread(unsigned which) {
    which &= 1;
    thread_zeros[which] += 1;
    thread_plain_zeros += thread_numbers[which];
    return thread_zeros[which] + thread_plain_zeros + thread_plain_numbers + thread_bss + thread_zeros_in_data
        + thread_zeros_elsewhere + nearly_tbss + (int)thread_global;
}

int pointed(unsigned which) {
    which &= 1;
    weak_number += hidden_number;
    protected_number = wide_alignment[which] + texts[which][1] + text[which] + pointer_to_constant[which];
    return weak_number + protected_number + in_own_text(which) + in_code(which) + aligned_function(which);
}
