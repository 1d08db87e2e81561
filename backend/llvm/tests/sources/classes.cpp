// Globals that C++ makes: virtual tables, type information, comdats, guards, templates.
struct Base {
    virtual ~Base() {}
    virtual int value() const = 0;
};
struct Left : virtual Base {
    int value() const override { return 1; }
    long left = 2;
};
struct Right : virtual Base {
    int right = 3;
};
struct Both : Left, Right {
    int value() const override { return 4; }
};
Both both;

template <class T> struct Table {
    static inline T numbers[3] = {1, 2, 3};
    static constexpr T (*identity)(T) = [](T value) { return value; };
};
int *use_ints() { return Table<int>::numbers; }
auto *use_longs() { return &Table<long>::identity; }

inline int counted() {
    static int calls = both.value();
    return calls++;
}
thread_local int dynamic = counted();
int (Base::*const member)() const = &Base::value;
extern int Both::*const field;
int Both::*const field = nullptr;
extern const char16_t wide_text[];
const char16_t wide_text[] = u"wide";
namespace {
struct Hidden {
    const char *name;
    int (*function)();
} hidden[] = {{"counted", counted}, {"none", nullptr}};
}

int guarded(int number) {
    try {
        if (number > 3)
            throw number;
    } catch (int caught) {
        return caught + dynamic + (int)hidden[number & 1].name[0];
    }
    return (both.*member)();
}
