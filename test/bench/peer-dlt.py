"""peer-dlt.py <url> <calls> <database>: dlt's REST source, by offset, into its SQLite destination; rows are not split into tables."""
import sys

import dlt
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
from dlt.sources.helpers.rest_client.paginators import OffsetPaginator

url, _, database = sys.argv[1:]


@dlt.resource(name="calls", primary_key="call_id", write_disposition="merge", max_table_nesting=1)
def calls():
    client = RESTClient(
        base_url=f"{url}/v3",
        auth=BearerTokenAuth("bench"),
        paginator=OffsetPaginator(limit=1000, total_path="data.total"),
        data_selector="data.calls",
    )
    yield from client.paginate("conversations/attribution-engine")


pipeline = dlt.pipeline(
    "calls",
    pipelines_dir=f"{database}.dlt",
    destination=dlt.destinations.sqlalchemy(f"sqlite:///{database}"),
    dataset_name="main",
)
pipeline.run(calls()).raise_on_failed_jobs()
