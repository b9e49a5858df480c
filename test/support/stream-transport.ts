/** A client transport over a pair of streams in this process, framed as stdio is. */

import { createInterface } from 'node:readline';
import type { PassThrough } from 'node:stream';
import { ConnectionError, type Transport } from '../../packages/parley/src/jsonrpc/transport.ts';

/** @param input Where the server reads. @param output Where it writes. It can be opened once. */
export function streamTransport(input: PassThrough, output: PassThrough): Transport {
  return {
    description: 'streams',
    ownsProcess: true,
    open: async (receiver) => {
      const lines = createInterface({ input: output });
      let closed = false;
      lines.on('line', (line) => receiver.message(JSON.parse(line)));
      lines.on('close', () => {
        if (!closed) receiver.closed(new ConnectionError('closed', 'the server closed its output'));
      });
      return {
        send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
        close: async () => {
          closed = true;
          lines.close();
          input.end();
        },
      };
    },
  };
}
