/** In `src`, JSON is parsed by a schema: TypeScript's own types let any type be written next to it. */
interface JSON {
  parse(text: string, reviver?: (key: string, value: unknown) => unknown): unknown;
}

declare namespace Reflect {
  function get(target: object, key: PropertyKey): unknown;
}
