#!/usr/bin/env bash
# peer-json-each.sh <url> <calls> <database>: pages by curl, rows by SQLite's own json_each.
set -euo pipefail
url=$1 calls=$2 database=$3
page=$database.page
members="call_id insight_name caller_id tracking_number call_started duration disposition org_unit_id org_unit_name recording_url summary transcription transcription_details"
dni="utm_source utm_medium utm_campaign utm_content utm_term gclid gclsrc google_analytics_cid referring_url campaign_name campaign_id"
columns=$(printf ', %s' $members $dni)
values=$(printf ", value ->> '$.%s'" $members; printf ", value ->> '$.dni_data.%s'" $dni)
sqlite3 "$database" "PRAGMA journal_mode = WAL; CREATE TABLE calls (call_id INTEGER PRIMARY KEY${columns#, call_id})" >/dev/null
for ((offset = 0; offset < calls; offset += 1000)); do
  curl -sSf -H "Authorization: Bearer bench" -o "$page" "$url/v3/conversations/attribution-engine?limit=1000&offset=$offset"
  sqlite3 "$database" "INSERT OR REPLACE INTO calls SELECT ${values#, } FROM json_each(readfile('$page'), '$.data.calls')"
done
