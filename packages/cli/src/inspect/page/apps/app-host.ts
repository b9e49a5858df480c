/** Host of an app: what it asks is answered here, or by the process, and everything that crosses is recorded. */

import type { JsonView } from '../../view.ts';
import { ApiError, type Api } from '../api.ts';

/** Revision of the protocol between apps and hosts. (SEP-1865.) */
const revision = '2026-01-26';

/** Limits: messages that wait to be recorded, and the longest text of one. */
const most = { waiting: 500, text: 1024 ** 2 };

/** Time in which what crosses is gathered, in milliseconds. */
const gatherMs = 50;

/** A link that an app wants to be opened, until the person says so or not. */
export interface AskedLink {
  readonly id: number;
  readonly url: string;
  readonly host: string;
  answer(opens: boolean): void;
}

/** Surroundings of an app. */
export interface AppSurroundings {
  readonly api: Api;
  readonly app: string;
  readonly allowed: JsonView;
  /** Tool for which it is shown, with the arguments and the result of its last call. */
  readonly tool?: JsonView | undefined;
  readonly input?: JsonView | undefined;
  readonly result?: JsonView | undefined;
  readonly isReadOnly: boolean;
  /** Sends a message to the frame. */
  send(message: JsonView): void;
  resize(height: number): void;
  ask(link: AskedLink): void;
}

/** An app, as its host speaks to it. */
export interface AppHost {
  /** Takes what came from its frame. */
  take(data: unknown): void;
  /** Says that the page is light or dark now. */
  themed(theme: 'light' | 'dark'): void;
  /** Tells it that it ends, and resolves when it answered, or did not within half a second. */
  end(): Promise<void>;
}

/** A refusal, in the words of JSON-RPC. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Recording of what crosses, gathered for a while. */
function recorderOf({ api, app }: AppSurroundings): {
  record(from: 'app' | 'host', text: string): void;
  flush(): void;
} {
  const waiting: { readonly from: 'app' | 'host'; readonly text: string }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    void api.post('app-heard', { app, messages: waiting.splice(0) }).catch(() => {});
  };
  return {
    record(from, text) {
      if (waiting.length >= most.waiting) return;
      waiting.push({ from, text });
      timer ??= setTimeout(flush, gatherMs);
    },
    flush,
  };
}

/** Speaks to an app. */
export function hostApp(around: AppSurroundings): AppHost {
  const { record, flush } = recorderOf(around);
  let isReady = false;
  let ended = (): void => {};
  const send = (message: JsonView): void => {
    const whole = { jsonrpc: '2.0', ...message };
    record('host', JSON.stringify(whole));
    around.send(whole);
  };
  const begin = (): void => {
    if (isReady) return;
    isReady = true;
    const { input, result } = around;
    if (input === undefined) return;
    send({ method: 'ui/notifications/tool-input', params: { arguments: input } });
    if (result !== undefined) send({ method: 'ui/notifications/tool-result', params: result });
  };
  const notified = (method: string, { height }: JsonView): void => {
    if (method === 'ui/notifications/initialized') begin();
    else if (method === 'ui/notifications/size-changed' && typeof height === 'number') around.resize(height);
  };
  return {
    take(data) {
      const text = textOf(data);
      if (text === undefined) return;
      record('app', text);
      // A value that is not a JSON object is ignored. An object was parsed from JSON, so it holds plain data.
      const { id, method, params } = JSON.parse(text) as JsonView;
      if (typeof method !== 'string') {
        if (id === 'teardown') ended();
      } else if (id === undefined) notified(method, fieldsOf(params));
      else void answered({ id, method, params: fieldsOf(params) }, around).then(send);
    },
    themed(theme) {
      if (isReady) send({ method: 'ui/notifications/host-context-changed', params: { theme } });
    },
    async end() {
      if (isReady) {
        const over = new Promise<void>((resolve) => {
          ended = resolve;
          setTimeout(resolve, 500);
        });
        send({ id: 'teardown', method: 'ui/resource-teardown', params: { reason: 'the person ends it' } });
        await over;
      }
      flush();
      await around.api.post('app-end', { app: around.app }).catch(() => {});
    },
  };
}

/** Answer to a request, or the error in its place. */
async function answered(
  { id, method, params }: { readonly id: unknown; readonly method: string; readonly params: JsonView },
  around: AppSurroundings,
): Promise<JsonView> {
  try {
    return { id, result: await answerTo(method, params, around) };
  } catch (error) {
    const code = error instanceof Refusal ? error.code : error instanceof ApiError ? -32000 : -32603;
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

/** JSON of a message; `undefined` if it is not an object. */
function textOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  try {
    const text: string | undefined = JSON.stringify(data);
    return text === undefined || text.length > most.text ? undefined : text;
  } catch {
    return undefined;
  }
}

async function answerTo(method: string, params: JsonView, around: AppSurroundings): Promise<unknown> {
  const { api, app, isReadOnly } = around;
  switch (method) {
    case 'ping':
      return {};
    case 'ui/initialize':
      return initialized(around);
    case 'ui/request-display-mode':
      return { mode: 'inline' };
    case 'ui/open-link':
      return await openLink(params, around);
    case 'tools/call': {
      if (isReadOnly) throw new Refusal(-32000, 'tools are not called: this was started with --read-only');
      const body = { app, name: String(params['name']), arguments: fieldsOf(params['arguments']) };
      return given(await api.post<Given>('app-call', body)).result;
    }
    case 'resources/read':
      return (await api.post<{ readonly result: unknown }>('app-read', { app, uri: String(params['uri']) })).result;
    case 'ui/message':
    case 'ui/update-model-context':
      throw new Refusal(-32000, 'there is no conversation and no model here; the message stands in the wire');
    default:
      throw new Refusal(-32601, `there is no ${method.slice(0, 100)}`);
  }
}

/** Answer of the process to what an app asks for. */
interface Given {
  readonly refused?: string;
  readonly result?: unknown;
}

/** The same where it was given. @throws Refusal where it was refused. */
function given<Answer extends Given>(answer: Answer): Answer {
  if (answer.refused !== undefined) throw new Refusal(-32000, answer.refused);
  return answer;
}

function initialized({ tool, allowed, isReadOnly }: AppSurroundings): JsonView {
  return {
    protocolVersion: revision,
    hostInfo: { name: 'parley-inspect', version: '1' },
    hostCapabilities: {
      openLinks: {},
      serverResources: {},
      logging: {},
      ...(isReadOnly ? {} : { serverTools: {} }),
      sandbox: { csp: allowed },
    },
    hostContext: {
      theme: themeNow(),
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: { maxHeight: tallest },
      locale: navigator.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      platform: 'web',
      ...(tool === undefined ? {} : { toolInfo: { tool } }),
    },
  };
}

/** Greatest height of an app, in pixels. */
export const tallest = 800;

/** Tells whether the page is light or dark. */
export function themeNow(): 'light' | 'dark' {
  const { colorScheme } = getComputedStyle(document.documentElement);
  if (colorScheme === 'light' || colorScheme === 'dark') return colorScheme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Count of the links that were asked for. */
let asked = 0;

async function openLink({ url }: JsonView, { api, app, ask }: AppSurroundings): Promise<JsonView> {
  const link = given(
    await api.post<Given & { readonly url: string; readonly host: string }>('app-asks-link', { app, url: String(url) }),
  );
  const opens = await new Promise<boolean>((resolve) => ask({ ...link, id: ++asked, answer: resolve }));
  if (!opens) throw new Refusal(-32000, 'the person does not want to open it');
  await api.post('app-link', { app, url: link.url });
  return {};
}

function fieldsOf(value: unknown): JsonView {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
