// origin.js - whose code a frame is: yours, a library's, the JDK's, the JVM's, other native code or the kernel's. It
// goes by the frame's type and by the package of its name; Java code of a package that is not known here is yours.

const origins = ['Other', 'Your code', 'Libraries', 'JDK', 'JVM', 'Native', 'Kernel'];

const alternatives = (text) => text.trim().split(/\s+/).join('|');
const startsWith = (text) => new RegExp(`^(?:${alternatives(text).replaceAll('.', '[./]')})[./]`);

// The packages of the JDK, and those below them that other people's libraries use.
const ofJdk = startsWith('java javax jdk sun sunw com.sun netscape.javascript org.ietf.jgss org.w3c.dom org.xml.sax');
const notOfJdk = startsWith(`javax.servlet javax.persistence javax.ws javax.inject javax.validation javax.ejb javax.jms javax.enterprise
    javax.faces javax.websocket javax.cache javax.json javax.mail javax.batch javax.el com.sun.jersey com.sun.faces com.sun.xml.bind
    com.sun.xml.ws com.sun.mail com.sun.jna`);

// Libraries that many services use.
const ofLibraries = startsWith(`jakarta kotlin kotlinx scala groovy groovyx clojure akka reactor rx play feign zipkin2 brave okhttp3 okio
    retrofit2 javassist freemarker antlr junit jnr cats zio lombok javax jfrkit one.profiler ch.qos de.codecentric redis.clients
    org.(?:HdrHistogram|LatencyUtils|agrona|antlr|apache|apiguardian|asciidoctor|aspectj|assertj|asynchttpclient|attoparser|bouncycastle|bson|
    checkerframework|codehaus|conscrypt|eclipse|ehcache|elasticsearch|flywaydb|glassfish|graalvm|gradle|h2|hamcrest|hibernate|hsqldb|
    infinispan|jboss|jctools|jdom|jdom2|jetbrains|joda|jooq|jruby|json|jsoup|jspecify|junit|keycloak|liquibase|lz4|mapstruct|mariadb|mockito|
    modelmapper|mozilla|msgpack|mvel2|mybatis|neo4j|objectweb|objenesis|openjdk|opensaml|opensearch|openxmlformats|osgi|postgresql|python|
    quartz|reactivestreams|redisson|roaringbitmap|rocksdb|scalatest|slf4j|springdoc|springframework|sqlite|testcontainers|testng|threeten|
    thymeleaf|tukaani|unbescape|w3c|webjars|wildfly|xerial|xml|xnio|yaml|zeromq)
    io.(?:aeron|agroal|airlift|confluent|debezium|dropwizard|fabric8|github|grpc|helidon|jaegertracing|jsonwebtoken|kubernetes|lettuce|
    micrometer|micronaut|netty|nats|opentelemetry|opentracing|pebbletemplates|perfmark|projectreactor|prometheus|pyroscope|quarkus|r2dbc|
    reactivex|smallrye|sentry|swagger|undertow|vavr|vertx)
    net.(?:bytebuddy|jcip|jodah|jpountz|logstash|minidev|openhft|sf|sourceforge|spy|ttddyy)
    com.(?:alibaba|amazonaws|auth0|azure|beust|carrotsearch|clickhouse|codahale|couchbase|datadog|datastax|dynatrace|esotericsoftware|
    fasterxml|github|google|graphql|h2database|hazelcast|ibm|jcraft|lightbend|lmax|mchange|microsoft|mongodb|mysql|netflix|newrelic|
    nimbusds|ning|oracle|p6spy|querydsl|rabbitmq|squareup|sun|thoughtworks|twilio|twitter|typesafe|univocity|vaadin|vladmihalcea|zaxxer)
    software.amazon`.replace(/\|\s+/g, '|'));

// Functions of C that belong to the JVM or to the native part of the JDK.
const ofJvm = /^(?:lib(?:jvm|server)\.so\.|JVM_|jni_|jmm_|Unsafe_|thread_native_entry$)/;
const ofJdkNative = /^(?:lib(?:java|nio|net|zip|jimage|verify|management|extnet)\.so\.|Java_(?:java|jdk|sun|com_sun)_)/;

// An index into origins. type: an index into frameTypes.
function originOf(name, type) {
    switch (frameTypes[type]) {
    case 'Kernel':
        return 6;
    case 'C++':
        return /^(?!libjvm)[\w.+-]+?\.so[.\d]*\./.test(name) ? 5 : 4;
    case 'Native':
        return ofJvm.test(name) ? 4 : ofJdkNative.test(name) ? 3 : 5;
    case 'Group':
    case 'Unknown':
        return 0;
    }
    if (/^[[(]/.test(name))
        return 0;
    return ofJdk.test(name) && !notOfJdk.test(name) ? 3 : ofLibraries.test(name) ? 2 : 1;
}
