import { escapeText } from "./cell-text.ts";

export interface CellStyle {
  /** Number format as in Excel's dialog "Custom"; `@` is text. @default General */
  numFmt?: string | undefined;
  isBold?: boolean | undefined;
  isHeader?: boolean | undefined;
  isTotal?: boolean | undefined;
  isFaint?: boolean | undefined;
  /** @default numbers on the right, text on the left */
  align?: "left" | "center" | "right" | undefined;
  isWrapped?: boolean | undefined;
}

/** Smaller numbers are Excel's own formats. */
const FIRST_FORMAT = 164;

export class Styles {
  readonly #indexes = new Map<string, number>([["<xf/>", 0]]);
  readonly #formats: string[] = [];

  indexOf({ numFmt, isBold, isHeader, isTotal, isFaint, align, isWrapped }: CellStyle): number {
    const fontId = (isBold || isHeader || isTotal ? 1 : 0) + (isFaint ? 2 : 0);
    // Without it, LibreOffice takes another font.
    const font = ` fontId="${fontId}" applyFont="1"`;
    const fill = isHeader || isTotal ? ' fillId="2" applyFill="1"' : "";
    const border = isTotal ? ' borderId="1" applyBorder="1"' : "";
    const format = numFmt === undefined ? "" : ` numFmtId="${this.#formatOf(numFmt)}" applyNumberFormat="1"`;
    const open = `<xf${format}${font}${fill}${border}`;
    // Numbers are next to the first line of wrapped text.
    const alignment = `${align === undefined ? "" : ` horizontal="${align}"`} vertical="top"${isWrapped ? ' wrapText="1"' : ""}`;
    const xf = `${open} applyAlignment="1"><alignment${alignment}/></xf>`;
    const known = this.#indexes.get(xf);
    if (known !== undefined) return known;
    this.#indexes.set(xf, this.#indexes.size);
    return this.#indexes.size - 1;
  }

  #formatOf(numFmt: string): number {
    if (!this.#formats.includes(numFmt)) this.#formats.push(numFmt);
    return FIRST_FORMAT + this.#formats.indexOf(numFmt);
  }

  toXml(): string {
    const formats = this.#formats.map(
      (format, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escapeText(format)}"/>`,
    );
    const font = (bold: string, color = "") =>
      `<font>${bold}<sz val="11"/>${color}<name val="Calibri"/><family val="2"/></font>`;
    const grey = '<color rgb="FF666666"/>';
    const border = (top: string) => `<border><left/><right/>${top}<bottom/><diagonal/></border>`;
    const fill = (pattern: string) => `<fill>${pattern}</fill>`;
    return `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${[
      formats.length > 0 ? list("numFmts", formats) : "",
      list("fonts", [font(""), font("<b/>"), font("", grey), font("<b/>", grey)]),
      list("fills", [
        // Excel reserves the first two fills.
        fill('<patternFill patternType="none"/>'),
        fill('<patternFill patternType="gray125"/>'),
        fill(
          '<patternFill patternType="solid"><fgColor rgb="FFE7E6E6"/><bgColor indexed="64"/></patternFill>',
        ),
      ]),
      list("borders", [border("<top/>"), border('<top style="thin"/>')]),
      list("cellStyleXfs", ["<xf/>"]),
      list("cellXfs", [...this.#indexes.keys()]),
      list("cellStyles", ['<cellStyle name="Normal" xfId="0" builtinId="0"/>']),
    ].join("")}</styleSheet>`;
  }
}

function list(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join("")}</${name}>`;
}
