#!/usr/bin/env bash
# peer-sqlite-utils.sh <url> <calls> <database>: pages by curl, rows by jq, tables by sqlite-utils.
set -euo pipefail
url=$1 calls=$2 database=$3
for ((offset = 0; offset < calls; offset += 1000)); do
  curl -sSf -H "Authorization: Bearer bench" "$url/v3/conversations/attribution-engine?limit=1000&offset=$offset"
done | jq -c ".data.calls[] | . + .dni_data | del(.dni_data)" |
  sqlite-utils upsert "$database" calls - --nl --alter --pk call_id
