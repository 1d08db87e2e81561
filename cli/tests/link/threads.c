/* Variables of which each thread has its own: this object's, other objects', and other models than the compiler's. */
static __thread int own = 3;
static __thread long own_zero[4];
__thread short shown = -1;
extern __thread int outside;
__thread int hidden __attribute__((visibility("hidden")));
__thread char initial __attribute__((tls_model("initial-exec")));
static __thread int after __attribute__((aligned(64))) = 5;

int *own_address(void) { return &own; }
long *own_zero_address(void) { return own_zero; }
short *shown_address(void) { return &shown; }
int *outside_address(void) { return &outside; }
int *hidden_address(void) { return &hidden; }
char *initial_address(void) { return &initial; }
int *after_address(void) { return &after; }
