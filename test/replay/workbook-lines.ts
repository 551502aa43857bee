import { CFB } from "@e965/xlsx";

/** Returns the content of a workbook: a line for each cell with its style, and the rest of its sheets. */
export function workbookLines(bytes: Buffer): string[] {
  const parts = readParts(bytes);
  const styles = readStyles(parts.get("xl/styles.xml") ?? "");
  const strings = all(parts.get("xl/sharedStrings.xml") ?? "", /<si>(.*?)<\/si>/gs).map(([, xml = ""]) =>
    textOf(xml),
  );
  const relations = new Map(
    all(parts.get("xl/_rels/workbook.xml.rels") ?? "", /<Relationship ([^>]*)>/g).map(([, text = ""]) => [
      attribute(text, "Id"),
      attribute(text, "Target"),
    ]),
  );
  const book = parts.get("xl/workbook.xml") ?? "";
  const sheets = all(book, /<sheet ([^>]*)>/g).flatMap(([, text = ""]) => {
    const target = relations.get(attribute(text, "r:id")) ?? "";
    const xml = parts.get(target.startsWith("/") ? target.slice(1) : `xl/${target}`) ?? "";
    return [`Sheet ${text}`, ...sheetLines(xml, styles, strings)];
  });
  return [`Parts ${[...parts.keys()].sort().join(" ")}`, `Workbook ${book}`, ...sheets];
}

function sheetLines(xml: string, styles: readonly string[], strings: readonly string[]): string[] {
  const rows = all(xml, /<row ([^>]*?)(?:\/>|>(.*?)<\/row>)/gs).flatMap(([, row = "", cells = ""]) => [
    `Row ${row}`,
    ...all(cells, /<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs).map(([, text = "", content = ""]) => {
      const type = attribute(text, "t") || "n";
      const value = type === "s" ? strings[Number(textOf(content))] : textOf(content);
      const isText = ["s", "inlineStr", "str"].includes(type);
      const shown = isText ? JSON.stringify(value) : `${type} ${value}`;
      return `${attribute(text, "r")} ${shown} ${styles[Number(attribute(text, "s") || 0)]}`;
    }),
  ]);
  // Columns, panes, filters, print settings.
  const around = xml.replace(/<sheetData>.*<\/sheetData>/s, "\n").replaceAll("><", ">\n<");
  return [...rows, around];
}

/** Returns each style of a cell, with its font and format written out. */
function readStyles(xml: string): string[] {
  const list = (name: string, pattern: RegExp) =>
    all(new RegExp(`<${name}[ >].*?</${name}>`, "s").exec(xml)?.[0] ?? "", pattern).map(([text]) => text);
  const formats = new Map(
    all(xml, /<numFmt ([^>]*)>/g).map(([, text = ""]) => [
      attribute(text, "numFmtId"),
      attribute(text, "formatCode"),
    ]),
  );
  const fonts = list("fonts", /<font>.*?<\/font>|<font\/>/gs);
  const fills = list("fills", /<fill>.*?<\/fill>/gs);
  return list("cellXfs", /<xf [^>]*?\/>|<xf\/>|<xf .*?<\/xf>/gs).map((xf) => {
    const format = attribute(xf, "numFmtId");
    const font = fonts[Number(attribute(xf, "fontId") || 0)];
    const fill = fills[Number(attribute(xf, "fillId") || 0)];
    const align = /<alignment[^>]*>/.exec(xf)?.[0] ?? "";
    return `{${formats.get(format) ?? format} ${font} ${fill} ${align}}`;
  });
}

function readParts(bytes: Buffer): Map<string, string> {
  const { FileIndex, FullPaths }: Container = CFB.read(bytes, { type: "buffer" });
  const parts = FileIndex.map(({ content = [] }, index): [string, string] => [
    (FullPaths[index] ?? "").replace("Root Entry/", ""),
    Buffer.from(content).toString(),
  ]);
  return new Map(parts.filter(([path, text]) => text !== "" && !path.includes("Sh33tJ5")));
}

/** A file as the reader of ZIP files returns it. */
interface Container {
  FileIndex: { content?: Uint8Array }[];
  FullPaths: string[];
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)];
const attribute = (text: string, name: string) =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1] ?? "";
const textOf = (xml: string) => xml.replace(/<[^>]*>/g, "");
