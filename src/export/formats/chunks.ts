const ROWS_PER_CHUNK = 1000;

/** Yields rows in non-empty arrays; ending the iteration also ends that of the rows. */
export function* inChunks<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let chunk: Row[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_PER_CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Yields a JSON array, one element per line. */
export function* toJsonArray<Row>(rows: Iterable<Row>, toJson: (row: Row) => string): Generator<string> {
  let opening = "[\n";
  for (const chunk of inChunks(rows)) {
    yield opening + chunk.map(toJson).join(",\n");
    opening = ",\n";
  }
  yield opening === "[\n" ? "[]\n" : "\n]\n";
}
