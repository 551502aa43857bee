/** The script is next to this one, in the source and where it is built. */
export function urlOf(script: "read-worker" | "sync-worker" | "query-child"): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${script}.${extension}`, import.meta.url);
}
