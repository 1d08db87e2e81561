/* A calculator: a tokenizer, a parser by recursive descent into a tree, folding, evaluation, variables and
   functions. */
#include "platform.h"

typedef enum { NUMBER, NAME, OPERATOR, END, WRONG } TokenKind;

typedef struct {
    TokenKind kind;
    char text[3];
    int64_t value;
    int place;
} Token;

typedef struct {
    const char *source;
    int at;
    Token token;
    const char *error;
    int error_place;
} Parser;

typedef struct Tree Tree;
struct Tree {
    char operator[3];
    int64_t value;
    Tree *left, *right, *third;
};

static Tree pool[256];
static int used;
static int64_t variables[26];

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

static void advance(Parser *parser) {
    const char *source = parser->source;
    while (source[parser->at] == ' ')
        parser->at++;
    Token *token = &parser->token;
    char c = source[parser->at];
    *token = (Token){.kind = WRONG, .place = parser->at, .text = {c}};
    if (c == 0) {
        token->kind = END;
    } else if (is_digit(c)) {
        token->kind = NUMBER;
        while (is_digit(source[parser->at]))
            token->value = (int64_t)((uint64_t)token->value * 10 + (uint64_t)(source[parser->at++] - '0'));
    } else if (is_letter(c)) {
        token->kind = NAME;
        token->value = c - 'a';
        parser->at++;
    } else {
        static const char *const operators[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/",
                                                "%", "(", ")", "<", ">", "!", "~", "&", "|", "^", "?", ":", "=", ","};
        for (size_t i = 0; i < LENGTH(operators); i++) {
            size_t size = strlen(operators[i]);
            if (memcmp(operators[i], source + parser->at, size == 2 && !source[parser->at + 1] ? 1 : size) == 0) {
                if (size == 2 && !source[parser->at + 1])
                    continue;
                token->kind = OPERATOR;
                memcpy(token->text, operators[i], size + 1);
                parser->at += (int)size;
                return;
            }
        }
    }
}

static bool is(const Parser *parser, const char *text) {
    return parser->token.kind == OPERATOR && parser->token.text[0] == text[0] && parser->token.text[1] == text[1];
}

static Tree *make(const char *operator, Tree *left, Tree *right, Tree *third) {
    Tree *tree = &pool[used++];
    *tree = (Tree){.left = left, .right = right, .third = third};
    memcpy(tree->operator, operator, strlen(operator) + 1);
    return tree;
}

static Tree *fail(Parser *parser, const char *error) {
    if (!parser->error) {
        parser->error = error;
        parser->error_place = parser->token.place;
    }
    return make("#", NULL, NULL, NULL);
}

static Tree *expression(Parser *parser, int level);

static Tree *atom(Parser *parser) {
    static const char *const prefixes[] = {"-", "!", "~"};
    for (size_t i = 0; i < LENGTH(prefixes); i++)
        if (is(parser, prefixes[i])) {
            advance(parser);
            static const char *const unary[] = {"u-", "u!", "u~"};
            return make(unary[i], atom(parser), NULL, NULL);
        }
    if (parser->token.kind == NUMBER || parser->token.kind == NAME) {
        Tree *tree = make(parser->token.kind == NUMBER ? "#" : "v", NULL, NULL, NULL);
        tree->value = parser->token.value;
        advance(parser);
        return tree;
    }
    if (!is(parser, "("))
        return fail(parser, "operand expected");
    advance(parser);
    Tree *tree = expression(parser, 0);
    if (!is(parser, ")"))
        return fail(parser, "closing parenthesis expected");
    advance(parser);
    return tree;
}

static const char *const levels[][5] = {{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
                                        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

static Tree *binary(Parser *parser, size_t level) {
    if (level == LENGTH(levels))
        return atom(parser);
    Tree *left = binary(parser, level + 1);
    for (int i = 0; i < 5 && levels[level][i];) {
        if (is(parser, levels[level][i])) {
            advance(parser);
            left = make(levels[level][i], left, binary(parser, level + 1), NULL);
            i = 0;
        } else {
            i++;
        }
    }
    return left;
}

static Tree *expression(Parser *parser, int level) {
    if (level > 30)
        return fail(parser, "too deep");
    Tree *tree = binary(parser, 0);
    if (is(parser, "=") && tree->operator[0] == 'v') {
        advance(parser);
        return make("=", tree, expression(parser, level + 1), NULL);
    }
    if (is(parser, "?")) {
        advance(parser);
        Tree *yes = expression(parser, level + 1);
        if (!is(parser, ":"))
            return fail(parser, "colon expected");
        advance(parser);
        tree = make("?", tree, yes, expression(parser, level + 1));
    }
    return tree;
}

static int64_t evaluate(const Tree *tree, const char **error) {
    switch (tree->operator[0]) {
    case '#': return tree->value;
    case 'v': return variables[tree->value];
    case '?': return evaluate(evaluate(tree->left, error) ? tree->right : tree->third, error);
    case '=': {
        if (tree->operator[1] == '=')
            break;
        return variables[tree->left->value] = evaluate(tree->right, error);
    }
    case 'u': {
        int64_t value = evaluate(tree->left, error);
        return tree->operator[1] == '-' ? (int64_t)(0 - (uint64_t)value) : tree->operator[1] == '!' ? !value : ~value;
    }
    }
    int64_t left = evaluate(tree->left, error);
    if (tree->operator[0] == tree->operator[1] && (tree->operator[0] == '&' || tree->operator[0] == '|')) {
        bool truth = left != 0;
        return truth == (tree->operator[0] == '|') ? truth : evaluate(tree->right, error) != 0;
    }
    int64_t right = evaluate(tree->right, error);
    uint64_t a = (uint64_t)left, b = (uint64_t)right;
    switch (tree->operator[0] << 8 | tree->operator[1]) {
    case '+' << 8: return (int64_t)(a + b);
    case '-' << 8: return (int64_t)(a - b);
    case '*' << 8: return (int64_t)(a * b);
    case '/' << 8:
    case '%' << 8:
        if (right == 0 || (left == INT64_MIN && right == -1)) {
            *error = "division";
            return 0;
        }
        return tree->operator[0] == '/' ? left / right : left % right;
    case '&' << 8: return left & right;
    case '|' << 8: return left | right;
    case '^' << 8: return left ^ right;
    case '<' << 8: return left < right;
    case '>' << 8: return left > right;
    case '<' << 8 | '=': return left <= right;
    case '>' << 8 | '=': return left >= right;
    case '=' << 8 | '=': return left == right;
    case '!' << 8 | '=': return left != right;
    case '<' << 8 | '<': return (int64_t)(a << (b & 63));
    default: return (int64_t)(a >> (b & 63));
    }
}

int main(void) {
    static const char *const lines[] = {
        "1 + 2 * 3 - 4", "(1 + 2) * (3 - 4) % 5", "a = b = 6 * 7", "a == b && !(a < 41)", "x = a > 40 ? a << 3 : 0",
        "-x / 5 + ~0", "1 | 6 ^ 3 & 2", "1 << 62 >> 60", "9223372036854775807 + 1", "5 / (a - b)", "0 && 1 / 0",
        "1 || 1 / 0", "2 +", "(1 + 2", "1 ? 2", "3 $ 4", "((((((((((1))))))))))", "1 < 2 == 2 > 1",
                "a != b || x >= 336",
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        Parser parser = {.source = lines[i]};
        used = 0;
        advance(&parser);
        Tree *tree = expression(&parser, 0);
        if (parser.token.kind != END)
            fail(&parser, "end expected");
        const char *error = NULL;
        int64_t value = parser.error ? 0 : evaluate(tree, &error);
        put_text(lines[i]);
        put_text(" -> ");
        if (parser.error) {
            put_text(parser.error);
            say(" at", parser.error_place);
        } else if (error) {
            puts(error);
        } else {
            put_signed(value);
            putchar('\n');
        }
    }
    return 0;
}
