/** Bounds memory; not a rule. */
const REMEMBERED_VALUES = 20_000;
const REMEMBERED_LENGTH = 200;

/**
 * Caches a pure function of a text: most calls share their values.
 * @param longest longer texts are not cached @default 200
 */
export function remember<T>(
  compute: (text: string) => T,
  longest: number = REMEMBERED_LENGTH,
): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (text.length > longest) return result;
    if (results.size >= REMEMBERED_VALUES) results.clear();
    results.set(text, result);
    return result;
  };
}
