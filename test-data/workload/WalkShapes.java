/** Stacks whose shape is known: with the right options each method is what its name says. */
public class WalkShapes {
    static volatile long sink;

    static int bottom(int x, boolean look) {
        return look ? WalkOracle.check() + shape() : x * 31;
    }

    static native int shape();

    static int inlined(int x, boolean look) {
        return bottom(x, look) + 1;
    }

    static int called(int x, boolean look) {
        return inlined(x, look) ^ x;
    }

    static int outer(int x, boolean look) {
        return called(x, look) + inlined(x, false);
    }

    static int interpreted(int x, boolean look) {
        return outer(x, look) - 1;
    }

    public static void main(String[] args) {
        System.load(args[0]);
        for (int i = 0; i < 200_000; i++) {
            sink += interpreted(i, i % 50_000 == 49_999);
        }
        WalkOracle.report("shapes");
    }
}
