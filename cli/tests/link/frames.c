/* Three functions whose frames a debugger is to find, from the unwind table alone: of registers, of an array, of
   variable size. */
int stop(int *values, int count);

__attribute__((noinline)) int third(int count) {
    int values[count];
    for (int i = 0; i < count; i++)
        values[i] = i * count;
    return stop(values, count) + values[count - 1];
}

__attribute__((noinline)) int second(int a, int b) {
    int values[12];
    values[0] = a;
    values[1] = b;
    int result = third(a + b) * stop(values, 2);
    return result + values[0];
}

__attribute__((noinline)) int first(int a) {
    return second(a, a + 1) + a;
}
