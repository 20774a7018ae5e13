-- Run by jfrkit sql and, with tools/docs/duckdb.sql, by DuckDB: the answers are the same.
select path, count(*) as n, sum(bytesRead) as bytes, p99(duration) as slow from jdk_FileRead group by path order by bytes desc, path limit 10;
select context.user, sum(bytesRead) as bytes from jdk_FileRead where context.user is not null group by context.user order by bytes desc, 1;
select bucket(startTime, '1s') as second, count(*) as n from jdk_FileRead where startTime >= '2020-01-01 00:00:00' and startTime <= (select max(startTime) from jdk_FileRead) group by 1 order by 1;
select eventThread.javaName, p50(duration) as p50, p90(duration) as p90, p999(duration) as p999 from jdk_FileRead where startTime < (select bucket(max(startTime), '1s') from jdk_FileRead) group by 1 order by 1;
select stackTrace_top, count(*) as n from jdk_ExecutionSample group by stackTrace_top order by n desc, 1 limit 10;
select s.context.user, count(*) as n from jdk_ExecutionSample s group by 1 order by n desc, 1;
select r.context.user, count(*) as n from jdk_FileRead r join jdk_ExecutionSample s on during(s.startTime, r.startTime, r.duration) and s.startTime >= '2020-01-01' group by 1 order by 1;
select path, n from (select path, count(*) as n, row_number() over (order by count(*) desc, path) as place from jdk_FileRead group by path) as placed where place <= 3 order by place;
with big as (select * from jdk_FileRead where bytesRead > 1000) select count(*) as n, min(bytesRead) as least, max(startTime_ns) as last from big;
select endOfFile, state, count(*) as n from jdk_FileRead, jdk_ExecutionSample where jdk_FileRead.context.user = jdk_ExecutionSample.context.user group by 1, 2 order by 1, 2;
