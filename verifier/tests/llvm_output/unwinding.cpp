// Calls that may unwind: invoke regions, landing pads, virtual calls.
extern "C" int callee(int);

struct Guard {
    ~Guard();
    int value;
};

int caught(int a) {
    Guard guard;
    try {
        return callee(a);
    } catch (int error) {
        return error;
    } catch (...) {
        return callee(2);
    }
}

int thrown_in_a_loop(int a) {
    Guard outer;
    int sum = 0;
    for (int i = 0; i < a; i++) {
        Guard inner;
        try {
            sum += callee(i);
            if (sum > 9)
                throw 3;
        } catch (...) {
            sum--;
        }
    }
    return sum;
}

struct Base {
    virtual int method(int);
    virtual ~Base();
};

int virtual_call(Base *base) {
    return base->method(3) + 1;
}

int Base::method(int x) {
    return x;
}
