import { type Check, warn } from "./check.ts";

/** Node options that make its TLS weaker, or show what it protects. */
const NODE_OPTIONS: readonly [option: RegExp, effect: string][] = [
  [/--tls-keylog\b/, "writes the keys of each TLS connection to a file, with which the token can be read"],
  [/--tls-min-v1\.[01]\b|--tls-max-v1\.[01]\b/, "allows TLS 1.0 or 1.1, which are broken"],
  [/--tls-cipher-list\b/, "chooses the TLS ciphers, which may be weak ones"],
  [/--insecure-http-parser\b/, "lets malformed HTTP responses pass"],
  [/--inspect\b(?!-port)/, "opens a debugger that can read the token"],
];

/** Looks for what Node takes from the environment that lets others read the token; nothing where there is none. */
export function checkEnvironment(env: Readonly<Record<string, string | undefined>>): Check[] {
  const options = NODE_OPTIONS.filter(([option]) => option.test(env.NODE_OPTIONS ?? "")).map(([, effect]) =>
    warn("NODE_OPTIONS", effect, "Take it out of NODE_OPTIONS."),
  );
  // Node compares with this text alone.
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return options;
  const found = "0: the service's certificate is not checked, so anybody in between can read the token";
  const hint =
    "Unset it. For a service or proxy with a certificate authority of its own set NODE_EXTRA_CA_CERTS to its file.";
  return [warn("NODE_TLS_REJECT_UNAUTHORIZED", found, hint), ...options];
}
