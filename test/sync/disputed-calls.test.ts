import { expect, it } from "vitest";
import { newestFirst, type ServedCall, startCallService } from "../support/services/call-service.ts";
import { json } from "../support/services/server.ts";

it.each([
  { title: "and stores the newer one", again: undefined, expected: { duration: 99, calls_conflicting: 0 } },
  {
    title: "and reports it if that fails",
    again: () => json({ code: 500, message: "Internal server error" }, 500),
    expected: { duration: 60, calls_conflicting: 1 },
  },
  {
    title: "and reports it if the call has moved",
    again: (calls: readonly ServedCall[]) => ({ rows: calls.slice(40) }),
    expected: { duration: 60, calls_conflicting: 1 },
  },
])("sync requests a call again when two concurrent requests disagree about it, $title", async (scene) => {
  const { promise: isBothAsked, resolve: bothAsked } = Promise.withResolvers<void>();
  await using service = await startCallService(newestFirst(60), ({ offset, honest }, calls) => {
    if (offset === 15) return scene.again?.(calls);
    // Requested first, and answered last, after an edit.
    if (offset === 10) return (...exchange) => isBothAsked.then(() => honest(...exchange));
    if (offset === 20) {
      service.calls = calls.map((call) => (call.call_id === 35 ? { ...call, duration: 99 } : call));
      bothAsked();
    }
    return undefined;
  });
  const { duration, calls_conflicting } = scene.expected;
  const run = await service.sync();
  expect(run).toMatchObject({ verdict: "exact", calls_read: 60, calls_new: 60, calls_conflicting });
  const stored = "SELECT duration FROM calls WHERE call_id = 35";
  expect(service.read(stored)).toEqual([{ duration }]);
  // The repeated page is not a page of the walk.
  const pages = service.read('SELECT "offset" FROM sync_pages');
  expect(pages).toHaveLength(run.pages ?? -1);
  expect(pages).not.toContainEqual({ offset: 15 });
});
