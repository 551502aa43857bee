#!/usr/bin/env bash
# peer-shell.sh <url> <calls> <database>: pages by curl, rows by jq, one import by sqlite3.
set -euo pipefail
url=$1 calls=$2 database=$3
members="insight_name caller_id tracking_number call_started duration disposition org_unit_id org_unit_name recording_url"
dni="utm_source utm_medium utm_campaign utm_content utm_term gclid gclsrc google_analytics_cid referring_url campaign_name campaign_id"
text="summary transcription transcription_details"
columns=$(printf ', %s' $members $dni $text)
values=$(printf ', .%s' $members; printf ', .dni_data.%s' $dni)
sqlite3 "$database" "CREATE TABLE calls (call_id INTEGER PRIMARY KEY$columns)"
for ((offset = 0; offset < calls; offset += 1000)); do
  curl -sSf -H "Authorization: Bearer bench" "$url/v3/conversations/attribution-engine?limit=1000&offset=$offset"
done | jq -r ".data.calls[] | [.call_id$values, .summary, .transcription, (.transcription_details | tojson)] | @csv" |
  sqlite3 "$database" ".import --csv /dev/stdin calls"
