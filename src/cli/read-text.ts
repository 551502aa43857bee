/** Reads a stream as UTF-8; undefined if it is longer. */
export async function readText(
  input: AsyncIterable<Buffer | string>,
  mostBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
