import { describe, expect, it } from "vitest";
import { cutPage, MAX_ROWS } from "../../src/api/cut-page.ts";

const bodyOf = (rows: readonly string[]) =>
  Buffer.from(`{"code":200,"data":{"calls":[${rows.join()}],"total":1}}`);

describe("cutPage", () => {
  it.each([
    { rows: MAX_ROWS, isCut: true },
    { rows: MAX_ROWS + 1, isCut: false },
  ])("cuts as many calls as are read from a page, and no more: $rows, $isCut", ({ rows, isCut }) => {
    const served = Array.from({ length: rows }, (_, id) => `{"call_id":${id}}`);
    const cut = cutPage(bodyOf(served));
    expect(cut?.rows.map(String)).toEqual(isCut ? served : undefined);
  });

  it.each([
    { title: "begins just before", head: 4096, isCut: true },
    { title: "does not", head: 4097, isCut: false },
  ])(
    "looks for the list in the first 4,096 bytes, where its first name ends: it $title",
    ({ head, isCut }) => {
      const [before, first] = ['{"note":"', '","calls":[{"call_id":'];
      const filler = "x".repeat(head - before.length - first.length);
      const cut = cutPage(Buffer.from(`${before}${filler}${first}1}]}`));
      expect(cut?.rows.map(String)).toEqual(isCut ? ['{"call_id":1}'] : undefined);
    },
  );

  it.each([
    { brackets: 7, isCut: true },
    { brackets: 8, isCut: false },
  ])("tries eight brackets from the end: $brackets lists behind the calls", ({ brackets, isCut }) => {
    const behind = Array.from({ length: brackets }, () => "[1]").join();
    const cut = cutPage(Buffer.from(`{"calls":[{"call_id":1}],"x":{"a":[${behind.slice(1)}}}`));
    expect(cut?.rows.map(String)).toEqual(isCut ? ['{"call_id":1}'] : undefined);
  });
});
