export function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[];
export function namesOf(record: object): string[] {
  return Object.keys(record);
}

/** Returns a record with a value for each name. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  toValue: (name: Name) => Value,
): Record<Name, Value>;
export function recordOf(names: readonly string[], toValue: (name: string) => unknown): object {
  return Object.fromEntries(names.map((name) => [name, toValue(name)]));
}

/** Returns the record with those of these members only that it has. */
export function pick<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name>;
export function pick(whole: object, names: readonly PropertyKey[]): object {
  const present = names.filter((name) => name in whole);
  return Object.fromEntries(present.map((name) => [name, Reflect.get(whole, name)]));
}
