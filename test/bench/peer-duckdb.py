"""peer-duckdb.py <folder of export calls --format parquet> <folder>: the three default rollups, read from Parquet files."""
import sys

import duckdb

calls, folder = sys.argv[1:]
connection = duckdb.connect()
for name, key in {
    "utm_source": "lower(utm_source)",
    "campaign": "campaign, campaign_id",
    "gclid": "gclid",
}.items():
    connection.execute(f"""COPY (
        SELECT {key}, count(*) AS calls,
            count(*) FILTER (outcome = 'answered') AS answered_calls,
            count(*) FILTER (outcome = 'missed') AS missed_calls,
            count(DISTINCT caller_hash) AS unique_callers,
            count(*) FILTER (first_time_caller) AS first_time_callers,
            count(*) FILTER (qualified) AS qualified_calls,
            sum(duration_seconds) AS total_duration_seconds,
            median(duration_seconds) AS median_duration_seconds,
            min(call_started) AS first_call_at, max(call_started) AS last_call_at
        FROM read_parquet('{calls}/calls/*/*.parquet')
        GROUP BY {key} ORDER BY calls DESC, {key}
    ) TO '{folder}/{name}.csv' (HEADER)""")
