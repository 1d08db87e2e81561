// A table of addresses, which the usual way does not read.
int seldom_threaded(unsigned which, int value) {
    static const void *const places[] = {&&fifth, &&sixth, &&fifth};
    if (which > 0x7fffff00 && which < 0x7fffff10) {
        goto *places[which % 3];
    }
    return value - 9;
fifth:
    return value + 5;
sixth:
    return value - 6;
}
