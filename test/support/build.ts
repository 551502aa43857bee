import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { promisify } from "node:util";

/**
 * Tests of the command line run the built program. The first file that needs it builds it (see `built.ts`), so that it is
 * never outdated, and a file that needs none does not wait for it.
 */
export default async function serveBuild(): Promise<() => void> {
  let built: Promise<unknown> | undefined;
  const server = createServer(async (_request, response) => {
    built ??= promisify(execFile)("npm", ["run", "build"]);
    await built.then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.requestTimeout = 0;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error(`Cannot tell the port: ${address}`);
  process.env.TEST_BUILD_OF_CALLTALLY = `http://127.0.0.1:${address.port}`;
  // All test processes share Node's compile cache, with which the next one starts in three quarters of the time.
  process.env.NODE_COMPILE_CACHE = resolve("dist/.compiled");
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
