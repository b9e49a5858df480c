import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { requestLimits } from '../call/time-limit.ts';
import { neededName, noMoreWords, useOptions, useServer } from '../call/use-server.ts';
import { UsageError, type Io } from '../io.ts';
import { reasonOf, shownJson } from '../shown.ts';

/** Sends any request, and prints its result as JSON. */
export async function sendCommand(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(argv, { io, options: useOptions }, ({ words, json }, timed) => {
    const [first, text, ...extra] = words;
    const method = neededName(first, 'a method, such as tools/list');
    noMoreWords(extra);
    const params = text === undefined ? json.input : { ...paramsOf(text), ...json.input };
    return {
      async run(client) {
        if (method.startsWith('notifications/')) {
          await client.notify(method, params);
          return 0;
        }
        try {
          const result = await client.request(method, params, requestLimits(timed));
          timed.stdout.write(`${shownJson(result, 2)}\n`);
          return 0;
        } catch (error) {
          throw error instanceof McpError ? explained(error) : error;
        }
      },
    };
  });
}

/** An error of the server, with its code and data. */
function explained(error: McpError): Error {
  const data = error.data === undefined ? '' : `; its data: ${shownJson(error.data)}`;
  return new Error(`error ${error.code}: ${reasonOf(error)}${data}`, { cause: error });
}

function paramsOf(text: string): JsonObject {
  try {
    JSON.parse(text);
    const value = parseExactJson(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new UsageError(`the parameters are not JSON: ${reasonOf(cause)}; write them as '{"name":"value"}'`, {
      cause,
    });
  }
  throw new UsageError(`the parameters must be a JSON object, such as '{"name":"value"}'`);
}
