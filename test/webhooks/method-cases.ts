/** Methods of events, and whether they are taken: one rule, which the client and the sandbox each have for themselves. */
export const METHOD_CASES: readonly { method: string; isTaken: boolean }[] = [
  ...["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PURGE", "post", "Get", "M-SEARCH"].map(
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
  ].map((method) => ({ method, isTaken: false })),
];
