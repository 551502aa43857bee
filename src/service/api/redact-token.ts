/** Shorter tokens may be ordinary words: they stay in data, and are removed from errors alone. */
const SHORTEST_TOKEN = 8;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Returns a function that removes the bearer token, or another ASCII secret, from every text in a JSON body, names of
 * members included, so that it is never stored or shown: as it is, escaped, percent-encoded, or in base64, alone or
 * inside longer text. Everything else stays the same, byte for byte.
 * @param shown the replacement. @default "[token]"
 * @param shortest the length below which nothing is removed
 */
export function createRedactor(
  token: string,
  shown = "[token]",
  shortest = SHORTEST_TOKEN,
): (body: Buffer) => Buffer {
  if (token.length < Math.max(1, shortest)) return (body) => body;
  const encoded = [0, 1, 2].map((before) => base64Within(token, before)).filter(Boolean);
  const clues = [token, ...encoded].map(longestWord);
  const forms = new RegExp(
    [[...token].map(percentForms).join(""), ...encoded.map(base64Forms)].join("|"),
    "g",
  );
  const escapedLetter = new RegExp(
    `(?:\\\\u00|%)(?:${[...new Set(clues.join(""))].map((letter) => letter.charCodeAt(0).toString(16)).join("|")})`,
    "i",
  );
  const mayHaveIt = (body: Buffer) =>
    clues.some((clue) => body.includes(clue, 0, "latin1")) ||
    ((body.includes("%") || body.includes("\\u00")) && escapedLetter.test(body.toString("latin1")));
  return (body) =>
    mayHaveIt(body)
      ? Buffer.from(replaceInStrings(body.toString(), (text) => text.replaceAll(forms, shown)))
      : body;
}

/** The base64 characters common to all texts with the token after `before` bytes, or a multiple of three more. */
function base64Within(token: string, before: number): string {
  const bytes = before + token.length;
  return Buffer.from("\0".repeat(before) + token)
    .toString("base64")
    .slice(Math.ceil((before * 8) / 6), Math.floor((bytes * 8) / 6));
}

/** The longest run of characters that no encoding changes: if it is absent and no letter is escaped, the token is absent. */
function longestWord(text: string): string {
  return (text.match(/[A-Za-z0-9]+/g) ?? []).reduce(
    (longest, word) => (word.length > longest.length ? word : longest),
    "",
  );
}

function percentForms(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
  const anyCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return `(?:\\u00${hex}|%${anyCase})`;
}

/** Base64 and its URL-safe form (RFC 4648 § 5). */
function base64Forms(text: string): string {
  return text.replaceAll("+", "[+-]").replaceAll("/", "[/_]");
}

function replaceInStrings(json: string, replace: (text: string) => string): string {
  let written = "";
  let done = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', done)) {
    const end = findClosingQuote(json, start + 1);
    written += json.slice(done, start) + replaceInString(json.slice(start, end), replace);
    done = end;
  }
  return written + json.slice(done);
}

function replaceInString(literal: string, replace: (text: string) => string): string {
  try {
    const text = String(JSON.parse(literal));
    const replaced = replace(text);
    return replaced === text ? literal : JSON.stringify(replaced);
  } catch {
    return literal; // not JSON, and so never read
  }
}

function findClosingQuote(json: string, from: number): number {
  for (let position = from; position < json.length; position++) {
    const code = json.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    if (code === BACKSLASH) position++;
  }
  return json.length;
}
