/* State machines, tables behind pointers, encodings. */
typedef unsigned char u8;
typedef unsigned int u32;
/* 64 bits everywhere. */
#if __SIZEOF_LONG__ == 8
typedef unsigned long u64;
#else
typedef unsigned long long u64;
#endif

int valid_utf8(const u8 *s, int n) {
    int left = 0;
    for (int i = 0; i < (n & 63); i++) {
        u8 c = s[i];
        if (left) {
            if ((c & 0xc0) != 0x80)
                return 0;
            left--;
        } else if (c >= 0xf0)
            left = 3;
        else if (c >= 0xe0)
            left = 2;
        else if (c >= 0xc0)
            left = 1;
        else if (c >= 0x80)
            return 0;
    }
    return left == 0;
}

int comment_depth(const char *s) {
    int state = 0, depth = 0;
    for (int i = 0; i < 200 && s[i]; i++) {
        switch (state) {
        case 0:
            state = s[i] == '/' ? 1 : 0;
            break;
        case 1:
            if (s[i] == '*') {
                depth++;
                state = 2;
            } else
                state = 0;
            break;
        case 2:
            state = s[i] == '*' ? 3 : 2;
            break;
        default:
            if (s[i] == '/')
                state = 0;
            else if (s[i] != '*')
                state = 2;
        }
    }
    return depth * 4 + state;
}

u32 translate(const u8 *table, const u8 *text, int n) {
    u32 sum = 0;
    for (int i = 0; i < (n & 63); i++)
        sum = sum * 31 + table[text[i] & 127];
    return sum;
}

int put_varint(u8 *out, u64 value) {
    int n = 0;
    while (value >= 0x80) {
        out[n++] = (u8)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (u8)value;
    return n;
}

u64 get_varint(const u8 *in) {
    u64 value = 0;
    for (int i = 0; i < 9; i++) {
        value |= (u64)(in[i] & 0x7f) << (7 * i);
        if (!(in[i] & 0x80))
            break;
    }
    return value;
}

int hex_digit(int c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int run_lengths(const u8 *in, u8 *out) {
    int n = 0;
    for (int i = 0; i < 60;) {
        int run = 1;
        while (i + run < 60 && run < 255 && in[i + run] == in[i])
            run++;
        out[n] = (u8)run;
        out[n + 1] = in[i];
        n += 2;
        i += run;
    }
    return n;
}

int traffic_light(int state, int event) {
    if ((state & 3) == 0)
        return event > 10 ? 1 : state >> 4;
    if ((state & 3) == 1)
        return event < 0 ? 3 - event : 2;
    if ((state & 3) == 2)
        return event == 7 ? 0 : event * 2;
    return event & 1 ? event : 3;
}
