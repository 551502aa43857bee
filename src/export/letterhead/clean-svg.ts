/** Elements that only draw. Filters and patterns are not among them: they can draw for minutes. */
const DRAWING = new Set(
  "svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath mask style".split(
    " ",
  ),
);
/** Elements without which a drawing that stands still looks the same. */
const INVISIBLE = new Set(
  "script metadata animate animateTransform animateMotion animateColor set".split(" "),
);

const MAX_ELEMENTS = 5000;
/** Each may draw others: thirty of them could draw a shape a billion times. */
const MAX_USES = 16;

const NAME = "[A-Za-z_][\\w.-]*(?::[\\w.-]+)?";
const ATTRIBUTE = `\\s+(?:${NAME})\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`;
/** The tokens of XML: what is not shown, character data, a tag, text. */
const TOKEN = new RegExp(
  `<!--.*?-->|<\\?.*?\\?>|<!DOCTYPE[^>[]*>|<!\\[CDATA\\[(?<data>.*?)\\]\\]>|<(?<end>/?)(?<name>${NAME})(?<attributes>(?:${ATTRIBUTE})*)\\s*(?<empty>/?)>|(?<text>[^<]+)`,
  "suy",
);
const EACH_ATTRIBUTE = new RegExp(`(?<name>${NAME})\\s*=\\s*(?:"(?<one>[^"]*)"|'(?<other>[^']*)')`, "gu");
const SHOWN_PREFIXES = /^(?:xlink:href|xml:space)$/;
const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/**
 * Writes a drawing again from what is known to be harmless: elements that draw, their attributes, and references within
 * it. Leaves out scripts, handlers, animations and what editors keep; refuses what would be missing.
 * @throws Error that names what it refuses
 */
export function cleanSvg(source: string): string {
  const text = source.replace(/^\uFEFF/, "");
  const open: { name: string; isKept: boolean }[] = [];
  let [elements, uses, isRootClosed] = [0, 0, false];
  let clean = "";
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const { groups: { name, end, attributes = "", empty, data, text: shown } = {} } =
      TOKEN.exec(text) ?? refuse(/^<!DOCTYPE/.test(text.slice(TOKEN.lastIndex)) ? "entities" : undefined);
    const parent = open.at(-1);
    if (name === undefined) {
      const content = data ?? (shown === undefined ? "" : decode(shown));
      if (parent === undefined && content.trim() !== "") refuse();
      if (parent?.name === "style" && parent.isKept) assertLoadsNothing(content, "a style");
      if (parent?.isKept) clean += encode(content);
      continue;
    }
    if (end !== "") {
      const closed = open.pop();
      if (closed?.name !== name) refuse();
      if (closed?.isKept) clean += `</${name}>`;
      isRootClosed = open.length === 0;
      continue;
    }
    if (parent === undefined && (name !== "svg" || isRootClosed)) refuse();
    if (++elements > MAX_ELEMENTS) throw new Error(`it has more than ${MAX_ELEMENTS} elements`);
    if (name === "use" && ++uses > MAX_USES) throw new Error(`it has more than ${MAX_USES} elements <use>`);
    const isKept = (parent?.isKept ?? true) && isDrawn(name);
    if (isKept)
      clean += `<${name}${parent === undefined ? ` ${NAMESPACES}` : ""}${cleanAttributes(attributes)}${empty}>`;
    if (empty === "") open.push({ name, isKept });
    else if (parent === undefined) isRootClosed = true;
  }
  if (!isRootClosed) refuse();
  return clean;
}

function isDrawn(name: string): boolean {
  if (DRAWING.has(name)) return true;
  // A prefix is that of an editor's own elements.
  if (INVISIBLE.has(name) || name.includes(":")) return false;
  return refuse(`<${name}>`);
}

function cleanAttributes(attributes: string): string {
  return [...attributes.matchAll(EACH_ATTRIBUTE)]
    .map(({ groups = {} }) => ({ name: groups.name ?? "", value: decode(groups.one ?? groups.other ?? "") }))
    .filter(({ name }) => !/^on|^xmlns/i.test(name) && (!name.includes(":") || SHOWN_PREFIXES.test(name)))
    .map(({ name, value }) => {
      if (/href$/i.test(name) && !/^#/.test(value)) refuse(`${name}="${value.slice(0, 40)}"`);
      assertLoadsNothing(value, name);
      return ` ${name}="${encode(value)}"`;
    })
    .join("");
}

/** A backslash could spell the words that are looked for, and `@` begins a rule that loads a style or a font. */
function assertLoadsNothing(value: string, where: string): void {
  const others = value.replace(/url\(\s*(["']?)#[\w.-]+\1\s*\)/gi, "");
  if (/url\s*\(|image-set|image\s*\(|javascript:|expression|[\\@]/i.test(others))
    refuse(`${where} that may load something`);
}

const ENTITIES = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** @throws Error for entities of the document: a few lines of them could become gigabytes */
function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));?|&/gi, (whole, decimal, hex, name) => {
    if (!whole.endsWith(";")) return refuse();
    if (name !== undefined) return ENTITIES.get(name) ?? refuse("entities");
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x10_ff_ff ? refuse() : String.fromCodePoint(code);
  });
}

function encode(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function refuse(what?: string): never {
  throw new Error(what === undefined ? "it is neither a PNG nor a well-formed SVG" : `it has ${what}`);
}
