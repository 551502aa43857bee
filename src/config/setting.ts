import { z } from "zod";
import { describeError } from "../base/errors.ts";
import { parseFilePath } from "../base/text/path-text.ts";
import { nameSecretFile, readSecret } from "./files/secret-file.ts";
import { by } from "./request/issues.ts";

/** How a value is written, as text and in `calltally.yaml`. */
interface Kind<T> {
  /** Throws an Error that says what is wrong. */
  parse: (text: string) => T;
  schema: z.ZodType;
  /** A path; in `calltally.yaml` relative to that file's folder. */
  isPath?: boolean;
  /** The value is read from the file that the path names. */
  isRead?: boolean;
}

interface About {
  /** Unit, bounds and meaning, without a final period. */
  help: string;
  /** As text. Without one the setting is required, or off. */
  default?: string;
  /** The default of an account of `calltally.yaml`, if different. */
  accountDefault?: string;
  /** For `calltally.yaml`. @default the default */
  example?: unknown;
  flag?: string;
  /** The flag's name in commander. @default that of the flag */
  option?: string;
  /** Only its length is ever shown. */
  isSecret?: boolean;
  /**
   * Who may have it: each account or all of them together, one account, the program, or only the environment.
   * @default shared
   */
  scope?: "shared" | "account" | "program" | "environment";
}

/** One setting: its environment variable, flag, `calltally.yaml` key, JSON Schema and reference entry derive from this. */
export interface Setting<T = unknown> extends Kind<T>, About {
  /** As in `calltally.yaml`; `keep.transcripts` is below `keep`. */
  key: string;
  /** CALLTALLY_KEEP_TRANSCRIPTS */
  env: string;
}

export function setting<T, const A extends About>(key: string, kind: Kind<T>, about: A): Setting<T> & A {
  const { help, default: standard = "", accountDefault = standard, example }: About = about;
  const env = `CALLTALLY_${key.replace(".", "_").toUpperCase()}`;
  const described = kind.schema.meta({
    description: `${help}.${accountDefault === "" ? "" : ` Default: ${accountDefault}.`} As ${env}.`,
    examples: [example ?? (/^(\d+|true|false)$/.test(standard) ? JSON.parse(standard) : standard)],
  });
  return { ...kind, ...about, key, env, schema: described.optional() };
}

export const text = <T>(parse: (text: string) => T): Kind<T> => ({
  parse,
  schema: z.string().superRefine(by(parse)),
});

/** Text that may look like a number. */
export const id = <T>(parse: (text: string) => T): Kind<T> => ({
  parse,
  schema: z.union([z.string(), z.int()]).superRefine(by(parse)),
});

export const path = (parse: (text: string) => string): Kind<string> => ({ ...text(parse), isPath: true });

export const secretFile = <T>(parse: (text: string) => T): Kind<T> => ({
  ...path(parseFilePath),
  isRead: true,
  parse: (file) => {
    const secret = readSecret(parseFilePath(file));
    try {
      return parse(secret);
    } catch (error) {
      throw new Error(`${nameSecretFile(file)} ${describeError(error)}`);
    }
  },
});

export function whole(min: number, max: number): Kind<number> {
  const parse = (text: string) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };
  return { parse, schema: z.int().superRefine(by(parse)) };
}

export function choice<const C extends string>(choices: readonly C[]): Kind<C> {
  const parse = (text: string) => {
    const value = choices.find((known) => known === text.toLowerCase());
    if (value === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
    return value;
  };
  return { parse, schema: z.enum(choices) };
}

export const YES_NO: Kind<boolean> = {
  parse: (text) => {
    if (text !== "true" && text !== "false") throw new Error("must be true or false");
    return text === "true";
  },
  schema: z.boolean(),
};

export const LIST: Kind<string[]> = {
  parse: toItems,
  schema: z.array(
    z
      .string()
      .regex(/^[^,]*$/, "must not contain a comma: each value is a separate item")
      .regex(/\S/, "is empty"),
  ),
};

export const IDS: Kind<number[]> = {
  parse: (text) =>
    toItems(text).map((item) => {
      if (/^\d{1,15}$/.test(item)) return Number(item);
      throw new Error(`must be whole numbers separated by commas, not ${item}`);
    }),
  schema: z.array(z.int().nonnegative()),
};

function toItems(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
