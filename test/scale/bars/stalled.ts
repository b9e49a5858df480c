/** 12.10: readers that never read cost what is bounded, and nobody else any time. */

import { Listener, listenersOf } from './listeners.ts';
import { parts, pause, startBars, type BarService } from './service.ts';

/** Changes tools again and again; gives how long each took to reach everybody who reads. */
async function changes(service: BarService, readers: readonly Listener[], count: number): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let at = 0; at < count; at++) {
    const began = performance.now();
    const heard = readers.map(
      (reader) =>
        new Promise<void>((resolve) => {
          reader.onChange = () => {
            taken.push(performance.now() - began);
            reader.onChange = () => {};
            resolve();
          };
        }),
    );
    await service.nodes[at % 3]?.tell('change');
    await Promise.race([Promise.all(heard), pause(10_000)]);
    await pause(20);
  }
  return taken;
}

export async function stalled(scale: number): Promise<readonly string[]> {
  const service = await startBars({ env: { AUTH: 'yes' } });
  const wrong: string[] = [];
  const count = Math.ceil(3_000 * scale);
  const rounds = Math.ceil(50 * scale);
  const memory = async (): Promise<number> => {
    const all = await Promise.all(
      service.nodes.map(async (node) => {
        await node.tell('collect');
        return await node.tell('usage');
      }),
    );
    return all.reduce((sum, { rss }) => sum + rss, 0) / 2 ** 20;
  };
  try {
    const readers = await listenersOf(service.nodes, count, (at) => `reader ${at % 30}`);
    await changes(service, readers, 5);
    const before = await memory();
    const alone = parts(await changes(service, readers, rounds));
    const idle = Array.from({ length: Math.ceil(count / 100) }, (_, at) => {
      const node = service.nodes[at % 3];
      if (node === undefined) throw new Error('there are no processes');
      return new Listener(node, `idle ${at % 10}`, false);
    });
    await Promise.all(idle.map(({ opened }) => opened));
    const beside = parts(await changes(service, readers, rounds));
    const after = await memory();
    const missed = readers.filter(({ changes: heard }) => heard < rounds * 2).length;
    console.log(
      `12.10 ${count} readers: a change p50 ${alone.p50.toFixed(0)}, p99 ${alone.p99.toFixed(0)} ms; beside ${idle.length} that never read p50 ${beside.p50.toFixed(0)}, p99 ${beside.p99.toFixed(0)} ms; RSS of all ${before.toFixed(0)} → ${after.toFixed(0)} MB; missed ${missed}`,
    );
    if (missed > 0) wrong.push(`${missed} readers missed changes`);
    if (beside.p99 > 2 * alone.p99 + 20) wrong.push(`p99 grew from ${alone.p99} to ${beside.p99} ms`);
    wrong.push(...(await flooded(service)));
  } finally {
    await service.stop();
  }
  return wrong;
}

/** A client that calls and does not read its answers: each process keeps no more than its limits for it. */
async function flooded(service: BarService): Promise<readonly string[]> {
  const [node] = service.nodes;
  if (node === undefined) return ['there are no processes'];
  await node.tell('collect');
  const { rss: before } = await node.tell('usage');
  const { connect } = await import('node:net');
  const text = 'x'.repeat(500_000);
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect({ host: node.url.hostname, port: Number(node.url.port) });
    socket.on('error', () => {});
    socket.pause();
    const params = {
      name: 'echo',
      arguments: { text },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const head = `POST ${node.url.pathname} HTTP/1.1\r\nHost: ${node.url.host}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nAuthorization: idle\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let call = 0; call < 40; call++) socket.write(head + body);
    return socket;
  });
  await pause(3_000);
  await node.tell('collect');
  const { rss: after } = await node.tell('usage');
  const grown = (after - before) / 2 ** 20;
  const status = await fetch(new URL('/livez', node.url)).then((response) => response.status);
  for (const socket of sockets) socket.destroy();
  console.log(
    `12.10 20 connections with 40 calls each of 0.5 MB that nobody reads (400 MB in all): RSS + ${grown.toFixed(0)} MB, /livez ${status}`,
  );
  return grown > 200 || status !== 200 ? [`RSS grew by ${grown} MB, and /livez is ${status}`] : [];
}
