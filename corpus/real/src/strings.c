/* Scanning text of at most a buffer's length. */
typedef unsigned char u8;

int length(const char *s) {
    int n = 0;
    while (n < 200 && s[n])
        n++;
    return n;
}

int find(const char *s, int c) {
    for (int i = 0; i < 200; i++) {
        if (s[i] == (char)c)
            return i;
        if (!s[i])
            break;
    }
    return -1;
}

int compare(const u8 *a, const u8 *b) {
    for (int i = 0; i < 100; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
        if (!a[i])
            return 0;
    }
    return 0;
}

int span_of_digits(const char *s) {
    int n = 0;
    while (n < 200 && s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

unsigned parse_number(const char *s) {
    unsigned value = 0;
    for (int i = 0; i < 20; i++) {
        unsigned digit = (unsigned)(u8)s[i] - '0';
        if (digit > 9)
            break;
        value = value * 10 + digit;
    }
    return value;
}

void to_upper(char *s, int n) {
    for (int i = 0; i < (n & 127); i++)
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)(s[i] - 32);
}

int words(const char *s) {
    int count = 0, inside = 0;
    for (int i = 0; i < 200 && s[i]; i++) {
        int space = s[i] == ' ' || s[i] == '\t' || s[i] == '\n';
        count += !space && !inside;
        inside = !space;
    }
    return count;
}
