"""peer-sqlite-utils.py <url> <calls> <database>: pages by urllib, tables by sqlite-utils."""

import json
import sys
from urllib.request import Request, urlopen

import sqlite_utils

url, calls, database = sys.argv[1], int(sys.argv[2]), sqlite_utils.Database(sys.argv[3])
for offset in range(0, calls, 1000):
    page = f"{url}/v3/conversations/attribution-engine?limit=1000&offset={offset}"
    with urlopen(Request(page, headers={"Authorization": "Bearer bench"})) as response:
        rows = json.load(response)["data"]["calls"]
    flat = ({**row, **(row.pop("dni_data", None) or {})} for row in rows)
    database["calls"].upsert_all(flat, pk="call_id", alter=True)
