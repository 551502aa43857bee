import { raw } from "hono/html";
import type { Attributes, Content } from "./element.ts";

/** Elements without content. */
const EMPTY: ReadonlySet<string> = new Set(["br", "hr", "img"]);
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeText = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Renders a section once, without keys and listeners. */
export const toHtml = (section: Content) => raw(toText(section));

function toText(node: Content): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (typeof node !== "object") return escapeText(String(node));
  if ("svg" in node) return node.svg;
  if (!("name" in node)) return node.map(toText).join("");
  const { name, attributes, content } = node;
  const tag = `<${name}${Object.entries(attributes).map(toAttribute).join("")}>`;
  return EMPTY.has(name) ? tag : `${tag}${content.map(toText).join("")}</${name}>`;
}

function toAttribute([name, value]: [string, Attributes[string]]): string {
  if (value === null || value === undefined || value === false || typeof value === "function") return "";
  if (name === "key") return "";
  return value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`;
}
