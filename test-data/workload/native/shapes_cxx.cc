// What C++ makes of stacks: exceptions through destructors, templates, lambdas, virtual calls.
#include "shapes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" volatile long shapes_sink;

namespace shapes
{
struct guard {
    int n;
    explicit guard(int v) : n(v)
    {
    }
    ~guard()
    {
        shapes_sink += n;
    }
};

__attribute__((noinline)) static void thrower(int n)
{
    guard g(n);

    if (n == 0)
        throw std::runtime_error("bottom");
    thrower(n - 1);
    shapes_sink += 1;
}

static void exceptions()
{
    for (int i = 0; i < 1; i++) {
        try {
            thrower(6);
        } catch (const std::exception &e) {
            shapes_sink += e.what()[0];
        }
    }
}

static void templates()
{
    std::vector<std::string> words;
    std::map<std::string, int> count;

    for (int i = 0; i < 20; i++)
        words.push_back("word" + std::to_string(i * 7919 % 41));
    std::sort(words.begin(), words.end(),
              [](const std::string &a, const std::string &b) { return b < a; });
    for (const auto &w : words)
        count[w]++;
    shapes_sink += static_cast<long>(count.size());
}

struct base {
    virtual ~base() = default;
    virtual long call(int n) = 0;
};

template <typename T> struct derived : base {
    std::function<long(int)> next;
    long call(int n) override
    {
        return n == 0 ? sizeof(T) : next(n - 1) + 1;
    }
};

static void virtual_calls()
{
    derived<long> a;
    derived<std::string> b;

    a.next = [&](int n) { return b.call(n); };
    b.next = [&](int n) { return a.call(n); };
    shapes_sink += a.call(30);
}
} // namespace shapes

extern "C" const struct shape cxx_shapes[] = {
    {"exceptions", shapes::exceptions},
    {"templates and strings", shapes::templates},
    {"virtual calls and closures", shapes::virtual_calls},
    {nullptr, nullptr},
};
