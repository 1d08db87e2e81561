/* Functions on strings of our own: search, comparison, splitting, reversal, case, distance, joining, UTF-8. */
#include "platform.h"

static int compare(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static size_t span(const char *text, const char *set, bool in) {
    size_t count = 0;
    for (; text[count]; count++) {
        const char *at = set;
        while (*at && *at != text[count])
            at++;
        if ((*at != 0) != in)
            break;
    }
    return count;
}

static const char *find(const char *text, const char *word) {
    size_t size = strlen(word), skip[256], length = strlen(text);
    if (size == 0)
        return text;
    for (size_t i = 0; i < 256; i++)
        skip[i] = size;
    for (size_t i = 0; i + 1 < size; i++)
        skip[(unsigned char)word[i]] = size - 1 - i;
    for (size_t at = 0; at + size <= length; at += skip[(unsigned char)text[at + size - 1]])
        if (memcmp(text + at, word, size) == 0)
            return text + at;
    return NULL;
}

static char *split(char **rest, const char *separators) {
    char *start = *rest + span(*rest, separators, true);
    if (!*start)
        return NULL;
    char *end = start + span(start, separators, false);
    *rest = end + (*end != 0);
    *end = 0;
    return start;
}

static void reverse(char *text) {
    for (char *end = text + strlen(text); text < end; text++) {
        char kept = *--end;
        *end = *text;
        *text = kept;
    }
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static char turned(char c) {
    bool is_letter = lower(c) >= 'a' && lower(c) <= 'z';
    return is_letter ? (char)(lower(c) < 'n' ? c + 13 : c - 13) : c;
}

static void each(char *text, char (*change)(char)) {
    for (; *text; text++)
        *text = change(*text);
}

/* The number of edits between two words. */
static int distance(const char *a, const char *b) {
    int row[32];
    int size = (int)strlen(b);
    for (int j = 0; j <= size; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= size; j++) {
            int least = diagonal + (a[i - 1] != b[j - 1]);
            least = row[j] + 1 < least ? row[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            diagonal = row[j];
            row[j] = least;
        }
    }
    return row[size];
}

/* The next code point, or -1 for a malformed sequence; moves on by one byte then. */
static int32_t code_point(const char **at) {
    const unsigned char *bytes = (const unsigned char *)*at;
    int more = bytes[0] < 0x80 ? 0 : bytes[0] >> 5 == 6 ? 1 : bytes[0] >> 4 == 14 ? 2 : bytes[0] >> 3 == 30 ? 3 : -1;
    int32_t value = more <= 0 ? bytes[0] : bytes[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if (bytes[i] >> 6 != 2) {
            more = -1;
            break;
        }
        value = value << 6 | (bytes[i] & 63);
    }
    *at += more < 0 ? 1 : more + 1;
    return more < 0 ? -1 : value;
}

int main(void) {
    static const char poem[] = "the quick brown fox jumps over the lazy dog, and the dog sleeps on";
    char line[sizeof poem], *rest = line, *word;
    memcpy(line, poem, sizeof poem);
    int words = 0;
    while ((word = split(&rest, " ,"))) {
        if (words++ % 3 == 0)
            reverse(word);
        else if (words % 3 == 0)
            each(word, upper);
        put_text(word);
        putchar('/');
    }
    putchar('\n');
    say("words", words);
    say("find", find(poem, "lazy") - poem);
    say("find", find(poem, "cat") == NULL);
    say("find", find(poem, "on") - poem);
    say("compare", compare("abc", "abd") < 0);
    say("compare", compare("b", "abd") > 0);
    say("compare", compare("\xff", "a") > 0);
    char secret[] = "Why did the chicken cross the road?";
    each(secret, turned);
    puts(secret);
    each(secret, turned);
    puts(secret);
    static const char *const pairs[][2] = {{"kitten", "sitting"}, {"", "abc"}, {"same", "same"}, {"intention",
        "execution"}};
    for (size_t i = 0; i < LENGTH(pairs); i++)
        say("distance", distance(pairs[i][0], pairs[i][1]));
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3z";
    while (*text) {
        int32_t point = code_point(&text);
        put_signed(point);
        putchar(' ');
    }
    putchar('\n');
    return 0;
}
