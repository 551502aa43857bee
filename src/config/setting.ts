import { z } from "zod";
import { describeError } from "../base/errors.ts";
import { parseFilePath } from "../base/path-text.ts";
import { by } from "../request/issues.ts";
import { readSecret } from "./secret-file.ts";

/** What is said of a setting beside its name and type. */
interface About {
  /** Unit, bounds and meaning, without a dot at the end. */
  help: string;
  /** As text. Without one the setting is required, or off. */
  default?: string;
  /** The default of an account of `calltally.yaml`, where it is another. */
  accountDefault?: string;
  /** An example for `calltally.yaml`. @default the default */
  example?: unknown;
  /** The flag that takes precedence, where commands have one. */
  flag?: string;
  /** Its name in commander. @default that of the flag */
  option?: string;
  /** Only its length is ever shown. */
  isSecret?: boolean;
  /** A path, which `calltally.yaml` has relative to its own folder. */
  isPath?: boolean;
  /** Its value is read from the file that it names. */
  isRead?: boolean;
  /**
   * Who may have it: each account or all of them together, one account alone, the program, or the environment alone.
   * @default shared
   */
  scope?: "shared" | "account" | "program" | "environment";
  /** An account of `calltally.yaml` must have it. */
  isRequired?: boolean;
}

/** One setting: what the environment, flags, `calltally.yaml`, its JSON Schema and the reference pages have of it. */
export interface Setting<T = unknown> extends About {
  /** As in `calltally.yaml`; `keep.transcripts` is below `keep`. */
  key: string;
  /** As in the environment: CALLTALLY_KEEP_TRANSCRIPTS. */
  env: string;
  /** Reads its text; throws an Error that says what is wrong with it. */
  parse: (text: string) => T;
  /** Its value in `calltally.yaml`. */
  schema: z.ZodType;
}

function declare<T, const A extends About>(
  key: string,
  parse: (text: string) => T,
  schema: z.ZodType,
  about: A,
): Setting<T> & A {
  const env = `CALLTALLY_${key.replace(".", "_").toUpperCase()}`;
  const { help, example, isRequired }: About = about;
  const fallback = (about as About).accountDefault ?? (about as About).default;
  const described = schema.meta({
    description: `${help}.${fallback === undefined ? "" : ` Default: ${fallback}.`} As ${env}.`,
    ...(example !== undefined && { examples: [example] }),
  });
  return { ...about, key, env, parse, schema: isRequired ? described : described.optional() };
}

export function textSetting<T, const A extends About>(key: string, parse: (text: string) => T, about: A) {
  return declare(key, parse, z.string().superRefine(by(parse)), about);
}

/** A text that may look like a number. */
export function idSetting<T, const A extends About>(key: string, parse: (text: string) => T, about: A) {
  return declare(key, parse, z.union([z.string(), z.int()]).superRefine(by(parse)), about);
}

export function pathSetting<const A extends About>(key: string, parse: (text: string) => string, about: A) {
  return declare(key, parse, z.string().superRefine(by(parse)), { isPath: true, ...about });
}

/** The path of a file that holds the value. */
export function secretFileSetting<T, const A extends About>(
  key: string,
  parse: (text: string) => T,
  about: A,
) {
  return declare(key, inFile(parse), z.string().superRefine(by(parseFilePath)), {
    isPath: true,
    isRead: true,
    isSecret: true,
    ...about,
  });
}

export function wholeNumberSetting<const A extends About & { default: string }>(
  key: string,
  min: number,
  max: number,
  about: A,
) {
  const parse = wholeNumber(min, max);
  return declare(key, parse, z.int().superRefine(by(parse)), { example: Number(about.default), ...about });
}

export function yesNoSetting<const A extends About & { default: string }>(key: string, about: A) {
  return declare(key, parseYesNo, z.boolean(), { example: about.default === "true", ...about });
}

export function choiceSetting<const C extends string, const A extends About>(
  key: string,
  choices: readonly C[],
  about: A,
) {
  const parse = (text: string): C => {
    const choice = choices.find((known) => known === text.toLowerCase());
    if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
    return choice;
  };
  return declare(key, parse, z.enum(choices), about);
}

export function listSetting<const A extends About>(key: string, about: A) {
  return declare(key, parseList, z.array(z.string().superRefine(by(parseItem))), about);
}

export function idsSetting<const A extends About>(key: string, about: A) {
  return declare(key, parseIds, z.array(z.int().nonnegative()), about);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };
}

function parseYesNo(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error("must be true or false");
  return text === "true";
}

function parseList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function parseIds(text: string): number[] {
  return parseList(text).map((item) => {
    if (/^\d{1,15}$/.test(item)) return Number(item);
    throw new Error(`must be whole numbers separated by commas, and ${item} is none`);
  });
}

/** In an environment variable, a comma begins the next one. */
function parseItem(text: string): void {
  if (text.trim() === "") throw new Error("is empty");
  if (text.includes(",")) throw new Error("must be without a comma: each value is an item of its own");
}

function inFile<T>(parse: (text: string) => T): (file: string) => T {
  return (file) => {
    const text = readSecret(parseFilePath(file));
    try {
      return parse(text);
    } catch (error) {
      throw new Error(`${file} ${describeError(error)}`);
    }
  };
}
