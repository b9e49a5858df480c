/** Streams of many clients of 2026-07-28, as they are on their sockets. */

import { connect, type Socket } from 'node:net';
import type { BarNode } from './service.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A stream that is open; it hears of changes of tools. */
export class Listener {
  readonly socket: Socket;
  readonly opened: Promise<void>;
  /** Number of changes that came. */
  changes = 0;
  ended = false;
  /** Hears of each change. */
  onChange: () => void = () => {};
  #rest = '';

  /** @param principal Who listens, where that is asked for. */
  constructor({ url }: BarNode, principal: string, reads = true) {
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    const head = [
      `POST ${url.pathname} HTTP/1.1`,
      `Host: ${url.host}`,
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: subscriptions/listen',
      `Authorization: ${principal}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ].join('\r\n');
    this.socket = connect({ host: url.hostname, port: Number(url.port) });
    this.socket.setNoDelay(true);
    this.socket.write(`${head}\r\n\r\n${body}`);
    this.opened = new Promise((resolve, reject) => {
      this.socket.on('data', (chunk: Buffer) => {
        const text = this.#rest + chunk.toString('latin1');
        // What a chunk cuts apart is looked at with the next one.
        const count = text.split('notifications/tools/list_changed').length - 1;
        this.#rest = count > 0 ? '' : text.slice(-40);
        if (text.includes('notifications/subscriptions/acknowledged')) {
          resolve();
          if (!reads) this.socket.pause();
        }
        if (count === 0) return;
        this.changes += count;
        this.onChange();
      });
      this.socket.on('close', () => {
        this.ended = true;
        reject(new Error(`a stream was not opened: ${this.#rest}`));
      });
      this.socket.on('error', () => {});
    });
    this.opened.catch(() => undefined);
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** Opens streams, some at once. */
export async function listenersOf(
  nodes: readonly BarNode[],
  count: number,
  principal: (at: number) => string = () => 'one',
): Promise<readonly Listener[]> {
  const all: Listener[] = [];
  for (let at = 0; at < count; at += 200) {
    const some = Array.from({ length: Math.min(200, count - at) }, (_, more) => {
      const node = nodes[(at + more) % nodes.length];
      if (node === undefined) throw new Error('there are no processes');
      return new Listener(node, principal(at + more));
    });
    await Promise.all(some.map(({ opened }) => opened));
    all.push(...some);
  }
  return all;
}
