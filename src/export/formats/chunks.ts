const ROWS_PER_CHUNK = 1000;

/** Yields rows in arrays, none of them empty. Whoever stops reading ends the reading of the rows. */
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
