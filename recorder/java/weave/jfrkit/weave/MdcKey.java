package jfrkit.weave;

/** A key of the mapped diagnostic context that is recorded, and where a thread's record has its value. */
final class MdcKey {
    /** Integers of each key that the agent passes. */
    private static final int PLACE = 4;

    final String name;
    private final int type; // index of the context
    private final int first; // slot of the context
    private final int n; // slots of the context; 0: only the agent may set the value, because it is a secret
    private final int attribute; // slot of the key in the context

    /** Has the agent set a value of this key? It reports sources of contexts that never set any. */
    private boolean isDelivered;

    private MdcKey(String name, int[] places, int at) {
        this.name = name;
        type = places[at];
        first = places[at + 1];
        n = places[at + 2];
        attribute = places[at + 3];
    }

    static MdcKey[] of(String[] names, int[] places) {
        MdcKey[] keys = new MdcKey[names.length];

        for (int i = 0; i < keys.length; i++)
            keys[i] = new MdcKey(names[i].intern(), places, PLACE * i);
        return keys;
    }

    void delivered() {
        isDelivered = true;
    }

    /** Sets the value of the calling thread without a call of the agent. reference: of {@link Texts}; 0: null. False: the
     *  agent has to set it. */
    boolean set(long reference) {
        return isDelivered && n != 0 && Texts.isCurrent(reference)
            && ThreadContext.mine().set(type, first, n, attribute, Texts.number(reference));
    }
}
