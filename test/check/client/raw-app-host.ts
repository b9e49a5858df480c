/** A small host of apps, without a browser, that makes one mistake, or none. */

import { createContext, runInContext } from 'node:vm';
import type { Client } from '../../../packages/parley/src/client.ts';

/** Mistakes that it can make. */
export type HostMistake =
  | 'tells-too-early'
  | 'asks-too-early'
  | 'tells-twice'
  | 'result-first'
  | 'parts-at-the-end'
  | 'other-arguments'
  | 'no-arguments'
  | 'calls-for-models'
  | 'lets-out';

type Json = Readonly<Record<string, unknown>>;

/** Calls the tool that has an app, shows that, and serves it until it has told all that it saw. */
export async function showApp(client: Client, mistake?: HostMistake): Promise<void> {
  const tools = await client.listTools();
  const given = { city: 'Oslo' };
  const result = await client.callTool('app', given);
  const { contents } = await client.readResource('ui://check/app');
  const html = contents.map((content) => ('text' in content ? content.text : '')).join('');
  const isForApps = (name: unknown): boolean => {
    const { ui } = (tools.find((tool) => tool.name === name)?.['_meta'] ?? {}) as { ui?: { visibility?: string[] } };
    return mistake === 'calls-for-models' || ui?.visibility?.includes('app') !== false;
  };
  await new Promise<void>((resolve, reject) => {
    let hear: ((event: object) => void) | undefined;
    const reached: Promise<unknown>[] = [];
    const reach = async (url: string): Promise<void> => {
      if (mistake === 'lets-out') await (await fetch(url)).text();
    };
    const send = (message: Json): void => {
      const data: unknown = JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message }));
      setTimeout(() => hear?.({ data, source: parent }), 1);
    };
    const tell = (name: string, params: Json): void => send({ method: `ui/notifications/${name}`, params });
    const show = (): void => {
      const whole = {
        arguments: mistake === 'other-arguments' ? { city: 'Rome' } : mistake === 'no-arguments' ? {} : given,
      };
      if (mistake !== 'result-first') tell('tool-input', whole);
      if (mistake === 'tells-twice') tell('tool-input', whole);
      if (mistake === 'parts-at-the-end') tell('tool-input-partial', { arguments: {} });
      tell('tool-result', result as unknown as Json);
      if (mistake === 'result-first') tell('tool-input', whole);
    };
    const take = async ({ id, method, params }: Json): Promise<void> => {
      const { name, arguments: own } = (params ?? {}) as { readonly name: string; readonly arguments: Json };
      if (method === 'ui/initialize') {
        send({ id, result: { protocolVersion: '2026-01-26', hostCapabilities: { serverTools: {} }, hostInfo: {} } });
        if (mistake === 'tells-too-early') tell('host-context-changed', { theme: 'dark' });
        if (mistake === 'asks-too-early') send({ id: 'early', method: 'ping', params: {} });
      } else if (method === 'ui/notifications/initialized') show();
      else if (method === 'tools/call') {
        if (isForApps(name)) send({ id, result: (await client.callTool(name, own)) as unknown as Json });
        else send({ id, error: { code: -32_000, message: 'it is not for apps' } });
        await Promise.all(reached);
        if (own['isTried'] === true) resolve();
      }
    };
    const parent = { postMessage: (message: Json) => void take(message).catch(reject) };
    class Picture {
      set src(url: string) {
        reached.push(reach(url));
      }
    }
    const page = createContext({
      parent,
      setTimeout,
      fetch: (url: string) => {
        reached.push(reach(url));
        return Promise.reject(new TypeError('it is not allowed'));
      },
      Image: Picture,
      document: { getElementById: () => ({}) },
      addEventListener: (_: string, listener: (event: object) => void) => (hear = listener),
    });
    const script = /<script>([^]*)<\/script>/.exec(html)?.[1] ?? 'throw new Error("there is no script")';
    try {
      runInContext(script, page);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
