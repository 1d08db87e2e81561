/* A stack machine with a switch loop, calls and arrays, and its assembler from text. */
#include "platform.h"

typedef enum { PUSH, ADD, SUB, MUL, DIV, REM, LESS, EQUAL, NOT, LOAD, STORE, GET, SET, JUMP, UNLESS, CALL, RETURN,
               PRINT, DUP, POP, STOP, OPCODES } Opcode;

static const char *const names[OPCODES] = {"push", "add", "sub", "mul", "div", "rem", "less", "equal", "not", "load",
                                           "store", "get", "set", "jump", "unless", "call", "return", "print", "dup",
                                           "pop", "stop"};

typedef struct {
    uint8_t opcode;
    int32_t operand;
} Instruction;

typedef struct {
    int64_t stack[64], local[16], memory[128];
    int32_t calls[32];
    int depth;
    uint64_t steps;
} Machine;

typedef enum { WELL, STEPS, UNDERFLOW, OVERFLOW, ZERO, PLACE } Outcome;

static const char *const outcomes[] = {"well", "too many steps", "stack underflow", "stack overflow",
    "division by zero",
                                       "no such place"};

static bool same(const char *word, const char *name) {
    while (*name && *word == *name)
        word++, name++;
    return !*name && (*word == ' ' || *word == ';' || !*word);
}

/* Labels are single letters: `A:` defines one, and `jump A` uses it. */
static int assemble(const char *text, Instruction *code) {
    int32_t labels[26] = {0};
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (const char *at = text; *at;) {
            if (*at == ' ' || *at == ';') {
                at++;
            } else if (at[1] == ':') {
                labels[*at - 'A'] = count;
                at += 2;
            } else {
                int opcode = 0;
                while (opcode < OPCODES && !same(at, names[opcode]))
                    opcode++;
                if (opcode == OPCODES)
                    return -1;
                at += strlen(names[opcode]);
                int32_t operand = 0;
                if (*at == ' ' && at[1] >= 'A' && at[1] <= 'Z' && at[2] != ':') {
                    operand = labels[at[1] - 'A'];
                    at += 2;
                } else if (*at == ' ' && ((at[1] >= '0' && at[1] <= '9') || at[1] == '-')) {
                    bool minus = *++at == '-';
                    for (at += minus; *at >= '0' && *at <= '9'; at++)
                        operand = operand * 10 + (*at - '0');
                    operand = minus ? -operand : operand;
                }
                code[count++] = (Instruction){(uint8_t)opcode, operand};
            }
        }
    }
    return count;
}

static Outcome run(Machine *machine, const Instruction *code, int count) {
    int64_t *top = machine->stack;
    int32_t at = 0;
    for (machine->steps = 0; machine->steps < 100000; machine->steps++) {
        static const int8_t needs[OPCODES] = {0, 2, 2, 2, 2, 2, 2, 2, 1, 0, 1, 1, 2, 0, 1, 0, 0, 1, 1, 1, 0};
        if (at < 0 || at >= count)
            return PLACE;
        Instruction now = code[at++];
        if (top - machine->stack < needs[now.opcode])
            return UNDERFLOW;
        if (top - machine->stack > 60)
            return OVERFLOW;
        switch ((Opcode)now.opcode) {
        case PUSH: *top++ = now.operand; break;
        case ADD: top--; top[-1] += *top; break;
        case SUB: top--; top[-1] -= *top; break;
        case MUL: top--; top[-1] = (int64_t)((uint64_t)top[-1] * (uint64_t)*top); break;
        case DIV:
        case REM:
            top--;
            if (*top == 0)
                return ZERO;
            top[-1] = now.opcode == DIV ? top[-1] / *top : top[-1] % *top;
            break;
        case LESS: top--; top[-1] = top[-1] < *top; break;
        case EQUAL: top--; top[-1] = top[-1] == *top; break;
        case NOT: top[-1] = !top[-1]; break;
        case LOAD: *top++ = machine->local[now.operand & 15]; break;
        case STORE: machine->local[now.operand & 15] = *--top; break;
        case GET:
            if ((uint64_t)top[-1] >= LENGTH(machine->memory))
                return PLACE;
            top[-1] = machine->memory[top[-1]];
            break;
        case SET:
            top -= 2;
            if ((uint64_t)top[1] >= LENGTH(machine->memory))
                return PLACE;
            machine->memory[top[1]] = top[0];
            break;
        case JUMP: at = now.operand; break;
        case UNLESS: at = *--top ? at : now.operand; break;
        case CALL:
            if (machine->depth == 32)
                return OVERFLOW;
            machine->calls[machine->depth++] = at;
            at = now.operand;
            break;
        case RETURN:
            if (machine->depth == 0)
                return UNDERFLOW;
            at = machine->calls[--machine->depth];
            break;
        case PRINT: put_signed(*--top); putchar(' '); break;
        case DUP: *top = top[-1]; top++; break;
        case POP: top--; break;
        case STOP:
        case OPCODES: return WELL;
        }
    }
    return STEPS;
}

static const char *const programs[] = {
    /* Primes below 120 by a sieve. */
    ("push 2; store 0; A: load 0; push 120; less; unless D; load 0; get; not; unless C; load 0; print;"
    "load 0; dup; mul; store 1; B: load 1; push 120; less; unless C; push 1; load 1; set;"
    "load 1; load 0; add; store 1; jump B; C: load 0; push 1; add; store 0; jump A; D: stop"),
    /* Greatest common divisor by a function. */
    ("push 1071; store 0; push 462; store 1; call G; load 0; print; stop;"
    "G: load 1; unless R; load 0; load 1; rem; load 1; store 0; store 1; call G; R: return"),
    "push 7; push 0; div; stop",
    "A: push 1; jump A",
    "add; stop",
    "A: jump A",
    "A: call A",
    "push 1; push 500; set; stop",
    "push -5; push 3; rem; print; push -5; push 3; div; print; stop",
    "nonsense",
};

int main(void) {
    for (size_t i = 0; i < LENGTH(programs); i++) {
        Instruction code[128];
        Machine machine;
        memset(&machine, 0, sizeof machine);
        int count = assemble(programs[i], code);
        if (count < 0) {
            puts("no program");
            continue;
        }
        Outcome outcome = run(&machine, code, count);
        put_text(outcomes[outcome]);
        say(" after", (int64_t)machine.steps);
    }
    return 0;
}
