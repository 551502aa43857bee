/** Says why a file of rules decides nothing: no file is set, it is empty, or it is not applied yet. */
export function describeNoLines(
  what: string,
  { file, isEmpty, setting }: { file: string | undefined; isEmpty: boolean; setting: string },
): string {
  if (file === undefined) return `There are no ${what}: ${setting} names a file of them.`;
  if (isEmpty) return `There are no ${what}: ${file} has no lines.`;
  return `There are no ${what} yet: the next sync or export applies ${file}.`;
}
