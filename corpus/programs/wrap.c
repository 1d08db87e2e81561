/* Wrapping of text: greedy, with the least raggedness by dynamic programming, justified, and in columns. */
#include "platform.h"

enum { WORDS = 80 };

static const char text[] =
    "A compiler backend on trial: machine code goes in, and independent judges look at every function, every rewrite "
    "and every emitted byte. Extraordinarily long words, such as incomprehensibilities, stand in the way of narrow "
    "lines; so does punctuation - and a few very short words as I or a.";

typedef struct {
    const char *start;
    int size;
} Word;

static Word words[WORDS];
static int count;

static void split(void) {
    for (const char *at = text; *at;) {
        while (*at == ' ')
            at++;
        const char *start = at;
        while (*at && *at != ' ')
            at++;
        if (at > start)
            words[count++] = (Word){start, (int)(at - start)};
    }
}

static void put_word(Word word) {
    for (int i = 0; i < word.size; i++)
        putchar(word.start[i]);
}

static void spaces(int number) {
    while (number-- > 0)
        putchar(' ');
}

static int width_of(int first, int last) {
    int width = last - first;
    for (int i = first; i <= last; i++)
        width += words[i].size;
    return width;
}

typedef void Line(int first, int last, int width);

static void ragged(int first, int last, int width) {
    (void)width;
    for (int i = first; i <= last; i++) {
        spaces(i > first);
        put_word(words[i]);
    }
    putchar('\n');
}

static void justified(int first, int last, int width) {
    int gaps = last - first, room = width - width_of(first, last);
    if (last == count - 1)
        return ragged(first, last, width);
    for (int i = first; i <= last; i++) {
        put_word(words[i]);
        if (i < last)
            spaces(1 + room * (i - first + 1) / gaps - room * (i - first) / gaps);
    }
    putchar('\n');
}

static void centred(int first, int last, int width) {
    spaces((width - width_of(first, last)) / 2);
    ragged(first, last, width);
}

static int greedy(int width, Line *line) {
    int lines = 0;
    for (int first = 0; first < count; lines++) {
        int last = first;
        while (last + 1 < count && width_of(first, last + 1) <= width)
            last++;
        line(first, last, width);
        first = last + 1;
    }
    return lines;
}

static int64_t least_ragged(int width, Line *line) {
    int64_t cost[WORDS + 1] = {0};
    int end[WORDS + 1];
    for (int first = count - 1; first >= 0; first--) {
        cost[first] = INT64_MAX;
        for (int last = first; last < count; last++) {
            int64_t rest = width - width_of(first, last);
            if (rest < 0 && last > first)
                break;
            int64_t here = last == count - 1 ? 0 : rest < 0 ? 1000 : rest * rest * rest;
            if (here + cost[last + 1] < cost[first]) {
                cost[first] = here + cost[last + 1];
                end[first] = last;
            }
        }
    }
    for (int first = 0; first < count; first = end[first] + 1)
        line(first, end[first], width);
    return cost[0];
}

static void columns(int number, int width) {
    int rows = (count + number - 1) / number;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < number; column++) {
            int at = column * rows + row;
            if (at >= count)
                continue;
            Word word = words[at];
            if (word.size > width - 1)
                word.size = width - 1;
            put_word(word);
            if (column + 1 < number && at + rows < count)
                spaces(width - word.size);
        }
        putchar('\n');
    }
}

int main(void) {
    split();
    say("words", count);
    say("lines", greedy(40, ragged));
    say("lines", greedy(30, justified));
    say("cost", least_ragged(40, ragged));
    say("cost", least_ragged(25, centred));
    columns(5, 14);
    return 0;
}
