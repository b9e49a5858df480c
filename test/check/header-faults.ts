/** Planted faults of the headers that say again what stands in the body. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { encodeHeaderValue } from '../../packages/parley/src/connection/header.ts';
import { metaOf } from './faults.ts';
import { eachMessage, type Fault, type Passing } from './faulty.ts';

/** Value of `Mcp-Name` by the body of a request; `undefined` where it names nothing. */
function nameIn({ message: { method, params } }: Passing): string | undefined {
  const about = isObject(params) ? params : {};
  const name = method === 'resources/read' ? about['uri'] : about['name'];
  const isNaming = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
  return isNaming && typeof name === 'string' ? encodeHeaderValue(name) : undefined;
}

/** Has the header say what the body says, where it is of one of some methods, and as wrong as it should be. */
function renamed(methods: readonly string[], isLet: (said: string | undefined) => boolean): Fault {
  return {
    request(passing) {
      const name = nameIn(passing);
      if (name === undefined || metaOf(passing.message) === undefined) return;
      if (methods.includes(String(passing.message['method'])) && isLet(passing.headers['mcp-name']))
        passing.headers['mcp-name'] = name;
    },
  };
}

const isMissing = (said: string | undefined): boolean => said === undefined;
const isThere = (said: string | undefined): boolean => said !== undefined;

/** Every fault, with the row that it must be found in. */
export const headerFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'call-without-name': ['http-074', renamed(['tools/call'], isMissing)],
  'prompt-without-name': ['http-074', renamed(['prompts/get'], isMissing)],
  'read-without-name': ['http-074', renamed(['resources/read'], isMissing)],
  'call-by-another-name': ['http-075', renamed(['tools/call'], isThere)],
  'prompt-by-another-name': ['http-075', renamed(['prompts/get'], isThere)],
  'read-by-another-name': ['http-075', renamed(['resources/read'], isThere)],
  'another-name-is-no-mismatch': [
    'http-076',
    {
      response(returning, passing) {
        if (passing.message['method'] === 'resources/read')
          eachMessage(returning, ({ error }) => {
            if (isObject(error) && error['code'] === -32_020) error['code'] = -32_600;
          });
      },
    },
  ],
};
