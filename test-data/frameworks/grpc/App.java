package frameworks;

import io.grpc.CallOptions;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.MDC;

/**
 * gRPC: an interceptor has the user in the MDC while a message is handled. App: a server. App PORT ROUNDS PATH...: four
 * users at once, each with so many calls of each path.
 */
public final class App {
    private static final Metadata.Key<String> USER = Metadata.Key.of("x-user", Metadata.ASCII_STRING_MARSHALLER);

    private static ManagedChannel own; // to the server itself

    private App() {
    }

    /** Texts as they are, so that no code has to be generated. */
    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream in) {
            try {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static MethodDescriptor<String, String> method(String path) {
        return MethodDescriptor.newBuilder(new Text(), new Text()).setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("Work", path)).build();
    }

    private static final class Users implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
            String user = headers.get(USER);

            return new SimpleForwardingServerCallListener<Q>(next.startCall(call, headers)) {
                @Override
                public void onHalfClose() {
                    MDC.put("user", user);
                    try {
                        super.onHalfClose();
                    } finally {
                        MDC.clear();
                    }
                }
            };
        }
    }

    /** What is made of the answer of another service, by the thread that has it. */
    private static final class Price implements StreamObserver<String> {
        private final String user;
        private final StreamObserver<String> answer;

        Price(String user, StreamObserver<String> answer) {
            this.user = user;
            this.answer = answer;
        }

        @Override
        public void onNext(String stock) {
            answer.onNext(Work.later(user));
        }

        @Override
        public void onError(Throwable failure) {
            answer.onError(failure);
        }

        @Override
        public void onCompleted() {
            answer.onCompleted();
        }
    }

    private static void serve() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ServerServiceDefinition work = ServerServiceDefinition.builder("Work")
            .addMethod(method("now"), ServerCalls.asyncUnaryCall((user, answer) -> {
                answer.onNext(Work.now(user));
                answer.onCompleted();
            })).addMethod(method("later"), ServerCalls.asyncUnaryCall((user, answer) -> pool.execute(() -> {
                answer.onNext(Work.later(user));
                answer.onCompleted();
            }))).addMethod(method("async"), ServerCalls.asyncUnaryCall((user, answer) ->
                CompletableFuture.supplyAsync(() -> Work.later(user)).thenAccept(text -> {
                    answer.onNext(text);
                    answer.onCompleted();
                }))).addMethod(method("client"), ServerCalls.asyncUnaryCall((user, answer) ->
                    ClientCalls.asyncUnaryCall(own.newCall(method("stock"), CallOptions.DEFAULT), user, new Price(user, answer))))
            .addMethod(method("stock"), ServerCalls.asyncUnaryCall((user, answer) -> {
                answer.onNext("stock");
                answer.onCompleted();
            })).build();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)).addService(work)
            .intercept(new Users()).build().start();

        own = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        System.out.println("port " + server.getPort());
        server.awaitTermination();
    }

    private static void call(ManagedChannel channel, String path, String user) {
        Metadata headers = new Metadata();

        headers.put(USER, user);
        ClientCalls.blockingUnaryCall(io.grpc.ClientInterceptors.intercept(channel,
            MetadataUtils.newAttachHeadersInterceptor(headers)), method(path), CallOptions.DEFAULT, user);
    }

    public static void main(String[] args) throws Exception {
        String[] users = {"alice", "bob", "carol", "dave"};
        Thread[] threads = new Thread[users.length];

        if (args.length == 0) {
            serve();
            return;
        }
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(args[0])).usePlaintext().build();
        for (int i = 0; i < threads.length; i++) {
            String user = users[i];

            threads[i] = new Thread(() -> {
                for (int round = 0; round < Integer.parseInt(args[1]); round++)
                    for (int path = 2; path < args.length; path++)
                        call(channel, args[path], user);
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        channel.shutdownNow();
    }
}
