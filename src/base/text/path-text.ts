/** Reads the path of a file; refuses text that would name another place than it seems to. */
export function parseFilePath(text: string): string {
  if (/[/\\]$/.test(parsePath(text))) throw new Error("must be a file, but ends like a folder");
  return text;
}

export function parsePath(text: string): string {
  if (text.trim() === "") throw new Error("is empty");
  if (text.trim() !== text) throw new Error("must be a path without white space around it");
  if (/\p{Cc}/u.test(text))
    throw new Error("must be a path without line breaks and other control characters");
  if (/^~(\/|$)/.test(text)) throw new Error("must be a full path: only a shell expands ~");
  return text;
}
