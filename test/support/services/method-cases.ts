/** Methods of events, and whether they are accepted: one rule, implemented in both the client and the sandbox. */
export const METHOD_CASES: readonly { method: string; isTaken: boolean }[] = [
  ...["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PURGE", "post", "Get", "M-SEARCH"].map(
    (method) => ({ method, isTaken: true }),
  ),
  ...[
    "",
    " ",
    "GET ",
    " GET",
    "GE T",
    "GET POST",
    "GET,POST",
    "POST\r\n",
    "POST\n",
    "PÖST",
    "poſt",
    "GET/",
    "CONNECT",
    "connect",
    "Trace",
  ].map((method) => ({ method, isTaken: false })),
];
