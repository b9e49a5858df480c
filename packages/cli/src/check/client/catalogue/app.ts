/** An app of the server that judges its client: it looks at what its host does, tries what it may not, and tells the server by its own tool. */

import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { paramsOf, type ClientSession } from '../client-session.ts';

/** Names of its tools: the one that it is shown for, that by which it tells what it saw, and one that is for models alone. */
export const appTools = { shown: 'app', reports: 'app_reports', forModels: 'not_for_apps' } as const;

/** Path under which the addresses are that no app may reach, one for each conversation. */
export const appFarPath = '/far/app';

/** Key of `_meta` by which the app knows which call it is shown for. */
const callKey = 'x.parley/call';

const appUri = 'ui://check/app';

/** Limits of the calls that are remembered of one conversation, and of the characters of their arguments. */
const most = { calls: 100, characters: 10_000 } as const;

/** The tools, as they are listed. */
export const appToolList: readonly JsonObject[] = [
  {
    name: appTools.shown,
    description:
      'Has an app, which looks at its host when it is shown. Says so in words where there is no place for apps.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    _meta: { ui: { resourceUri: appUri } },
  },
  {
    name: appTools.reports,
    description: 'Is for the app, which tells by it what it saw.',
    inputSchema: { type: 'object' },
    _meta: { ui: { resourceUri: appUri, visibility: ['app'] } },
  },
  {
    name: appTools.forModels,
    description: 'Is not for apps.',
    inputSchema: { type: 'object' },
    _meta: { ui: { visibility: ['model'] } },
  },
];

/** Takes a call of the tool that the app is shown for. @returns Its result. */
export function shownApp(message: JsonObject, clientSession: ClientSession): JsonObject {
  const { arguments: given = {} } = paramsOf(message);
  const call = clientSession.appCalls.size + 1;
  if (call <= most.calls && JSON.stringify(given).length <= most.characters) clientSession.appCalls.set(call, given);
  return { content: [{ type: 'text', text: 'The app looks at its host.' }], _meta: { [callKey]: call } };
}

/** Notes that the app has tried to reach an address, which came before if it came at all. */
export function noteReport({ token, isTried, isFar }: JsonObject, clientSession: ClientSession): void {
  if (token === clientSession.appToken && isTried === true && isFar === true) clientSession.done.add('app was kept in');
}

/** The app, where that is what is read. @param remote An address of this machine; `undefined` where nothing listens. */
export function appContents(
  uri: unknown,
  { appToken }: ClientSession,
  remote: string | undefined,
): JsonObject | undefined {
  if (uri !== appUri) return undefined;
  const far = remote === undefined ? '' : new URL(`${appFarPath}/`, remote).href;
  return { uri, mimeType: 'text/html;profile=mcp-app', text: pageWith(appToken, far) };
}

/** The page. It holds its token reversed, so that only a running script can send it. */
function pageWith(token: string, far: string): string {
  const values = JSON.stringify({ backwards: Buffer.from(token).reverse().toString(), far });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App of parley check</title></head><body><p id="seen">This app looks at its host.</p><script>
(() => { ${script(values)} })();
</script></body></html>`;
}

function script(values: string): string {
  return `const { backwards, far } = ${values};
const token = [...backwards].reverse().join('');
const seen = [], waiting = new Map();
let isReady = false, isOwn = false, last = 0;
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = (method, params) => new Promise((resolve) => { waiting.set(++last, resolve); post({ id: last, method, params }); });
const call = (name, given) => ask('tools/call', { name, arguments: { token, ...given } });
addEventListener('message', ({ data, source }) => {
  if (source !== parent || data === null || typeof data !== 'object' || data.jsonrpc !== '2.0') return;
  const { id, method } = data, params = data.params ?? {};
  if (typeof method !== 'string') return void waiting.get(id)?.(data);
  if (method.startsWith('ui/notifications/sandbox-')) return;
  const more = method === 'ui/notifications/tool-input' ? { arguments: params.arguments ?? {} } : method === 'ui/notifications/tool-result' ? { call: params._meta?.['${callKey}'] } : {};
  if (seen.length < 50 && !isOwn) seen.push({ method, isEarly: !isReady, ...more });
  if (id !== undefined) post({ id, result: {} });
});
(async () => {
  const { result } = await ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'parley-check', version: '1' }, appCapabilities: {} });
  await pause(500);
  isReady = true;
  post({ method: 'ui/notifications/initialized' });
  post({ method: 'ui/notifications/size-changed', params: { width: 300, height: 100 } });
  for (let time = 0; time < 50 && !seen.some(({ method }) => method === 'ui/notifications/tool-result'); time++) await pause(100);
  await pause(300);
  if (result?.hostCapabilities?.serverTools === undefined) return;
  isOwn = true;
  await call('${appTools.reports}', { seen });
  if (far !== '') {
    fetch(far + token, { mode: 'no-cors' }).catch(() => undefined);
    new Image().src = far + token;
    await pause(500);
  }
  await call('${appTools.forModels}', {});
  await call('${appTools.reports}', { isTried: true, isFar: far !== '' });
  document.getElementById('seen').textContent = 'This app has told what it saw.';
})();`;
}
