-- Functions of jfrkit sql as macros of DuckDB, so that the same query runs on a recording and on its Parquet files.
-- duckdb -init duckdb.sql; a table needs a view:
--     create view jdk_FileRead as from read_parquet('lake/jdk.FileRead/**/*.parquet', union_by_name = true);
set timezone = 'UTC';
set default_null_order = 'nulls_first_on_asc_last_on_desc'; -- as in SQLite
create or replace macro p50(x) as quantile_cont(x, 0.5);
create or replace macro p90(x) as quantile_cont(x, 0.9);
create or replace macro p95(x) as quantile_cont(x, 0.95);
create or replace macro p99(x) as quantile_cont(x, 0.99);
create or replace macro p999(x) as quantile_cont(x, 0.999);
create or replace macro bucket(t, width) as time_bucket(cast(width as interval), t, timestamptz '1970-01-01 00:00:00+00');
create or replace macro span_end(t, ns) as t + to_microseconds(ns // 1000);
create or replace macro during(t, start, ns) as t >= start and t < start + to_microseconds(ns // 1000);
