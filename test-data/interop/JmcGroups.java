import java.io.File;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

import org.openjdk.jmc.common.item.Aggregators;
import org.openjdk.jmc.common.item.GroupingAggregator;
import org.openjdk.jmc.common.item.GroupingAggregator.GroupEntry;
import org.openjdk.jmc.common.item.IAggregator;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemConsumer;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/**
 * Groups events by an attribute as Mission Control's tables do, and counts them or sums up another.
 *
 *     java JmcGroups TYPE ATTRIBUTE [SUMMED] FILE
 *
 * Prints "VALUE NUMBER" for each value of the attribute, "-" for none. Exit code 1 when Mission
 * Control knows no such attribute of the type.
 */
public class JmcGroups {
    @SuppressWarnings("deprecation")
    private static IAttribute<?> attribute(IItemCollection items, String name) {
        for (IItemIterable one : items)
            for (IAttribute<?> a : one.getType().getAttributes())
                if (a.getIdentifier().equals(name))
                    return a;
        System.err.println("no attribute " + name);
        System.exit(1);
        return null;
    }

    @SuppressWarnings("unchecked")
    private static IAggregator<IQuantity, ?> what(IItemCollection items, String summed) {
        return summed == null ? Aggregators.count() : Aggregators.sum((IAttribute<IQuantity>) attribute(items, summed));
    }

    private static <K, C extends IItemConsumer<C>> void print(IItemCollection items, IAttribute<K> by,
        IAggregator<IQuantity, C> what) {
        Map<String, Long> sums = new TreeMap<>();

        for (GroupEntry<K, C> group : all(items, GroupingAggregator.build("groups", null, by, what, what::acceptType)))
            sums.put(group.getKey() == null ? "-" : group.getKey().toString(), number(what, group.getConsumer()));
        sums.forEach((value, n) -> System.out.println(value + " " + n));
    }

    private static <C extends IItemConsumer<C>> long number(IAggregator<IQuantity, C> what, C group) {
        IQuantity sum = what.getValue(Collections.singleton(group).iterator());

        return sum == null ? 0 : Math.round(sum.doubleValueIn(sum.getType().getDefaultUnit()));
    }

    private static <V, C extends IItemConsumer<C>> V all(IItemCollection items, IAggregator<V, C> of) {
        return items.getAggregate(of);
    }

    public static void main(String[] args) throws Exception {
        File file = new File(args[args.length - 1]);
        IItemCollection items = JfrLoaderToolkit.loadEvents(Collections.singletonList(file))
            .apply(ItemFilters.type(args[0]));

        print(items, attribute(items, args[1]), what(items, args.length > 3 ? args[2] : null));
    }
}
