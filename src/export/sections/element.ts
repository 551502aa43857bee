/**
 * A part of a page, as data: `to-html.ts` renders it once, for a page without scripts, and a page with scripts builds it in
 * the browser and keeps it up to date.
 */
export interface Element {
  name: string;
  attributes: Attributes;
  content: readonly Content[];
}
/** A chart that was drawn as text, and is not escaped. */
export interface Drawing {
  svg: string;
}
export type Content = Element | Drawing | string | number | null | undefined | boolean | readonly Content[];

/** A class, a label, a `key` for the rows of a list, and what a live page does, such as `onClick`. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | null | undefined | (() => void);
}

export function element(name: string, attributes: Attributes, ...content: Content[]): Element {
  return { name, attributes, content };
}
