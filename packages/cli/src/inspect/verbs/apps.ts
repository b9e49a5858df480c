/** Verbs by which a person looks at an app of a server, and runs it. */

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { allowedOf, domainsIn } from '../apps/app-policy.ts';
import type { RunningApps } from '../apps/running-apps.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';
import type { InspectedServer } from '../servers/inspected.ts';
import type { InspectedServers } from '../servers/servers.ts';
import type { AppSourceView, JsonView, RunningAppView } from '../view.ts';
import { verb } from './verb.ts';

/** The one type of a resource that is an app. (SEP-1865.) */
const appType = /^text\/html\s*;\s*profile=(?:"mcp-app"|mcp-app)\s*$/i;

/** Longest text of an app, in characters, and of one of its messages. */
const most = { html: 5 * 1024 ** 2, message: 1024 ** 2, messages: 500 };

/** Needs of the verbs. */
export interface AppParts {
  readonly servers: InspectedServers;
  readonly apps: RunningApps;
  /** Origin of the frames of apps. */
  readonly origin: string;
  readonly isReadOnly: boolean;
  openPage(url: string): Promise<void>;
}

interface Source {
  readonly html: string;
  readonly ui: JsonView;
  readonly mimeType: string;
}

/** Makes the verbs of apps. */
export function appVerbs(parts: AppParts): readonly (readonly [string, Verb])[] {
  return [...lookingAtApps(parts), ...usesOfApps(parts)];
}

function lookingAtApps({ servers, apps, origin }: AppParts): readonly (readonly [string, Verb])[] {
  return [
    [
      'app-source',
      verb({ server: 'text', uri: 'text' }, async ({ server: id, uri }, { signal }): Promise<AppSourceView> => {
        const server = servers.get(id);
        const { html, ui, mimeType } = await sourceOf(server, uri, signal);
        const permissions = isObject(ui['permissions']) ? Object.keys(ui['permissions']).slice(0, 20) : [];
        return { uri, html: server.recorder.hidden(html), mimeType, permissions, ...domainsIn(ui) };
      }),
    ],
    [
      'app-run',
      verb(
        { server: 'text', uri: 'text', allow: 'list' },
        async ({ server: id, uri, allow }, { signal }): Promise<RunningAppView> => {
          const server = servers.get(id);
          const { html, ui } = await sourceOf(server, uri, signal);
          const allowed = allowedOf(domainsIn(ui).domains, new Set(allow.map(String)));
          const app = apps.run({ server: id, html, allowed, connection: server.recorder.log.connect() });
          return { app: app.id, frame: `${origin}/proxy/${app.paths.proxy}`, allowed };
        },
      ),
    ],
    [
      'app-end',
      verb({ app: 'text' }, ({ app }) => {
        apps.end(app);
        return {};
      }),
    ],
    [
      'app-heard',
      verb({ app: 'text', messages: 'list' }, ({ app: id, messages }) => {
        const app = apps.get(id);
        const { recorder } = servers.get(app.server);
        for (const message of messages.slice(0, most.messages)) {
          if (!isObject(message) || typeof message['text'] !== 'string') continue;
          const from = message['from'] === 'app' ? 'server' : 'client';
          const text = message['text'].slice(0, most.message);
          recorder.log.note({ lane: 'app', from, text, connection: app.connection });
        }
        return {};
      }),
    ],
  ];
}

function usesOfApps({ servers, apps, isReadOnly, openPage }: AppParts): readonly (readonly [string, Verb])[] {
  return [
    [
      'app-call',
      verb({ app: 'text', name: 'text', arguments: 'object?' }, async (body, { signal }) => {
        const app = apps.get(body.app);
        const server = servers.get(app.server);
        // What an app may not do is its own trouble, and none of the page.
        if (isReadOnly) return { refused: 'tools are not called: this was started with --read-only' };
        if (!isForApps(await server.tool(body.name)))
          return { refused: `the tool ${body.name} is not there, or not for apps` };
        const result = await apps.during(app, () =>
          server.client.callTool(body.name, { ...body.arguments }, { signal, timeoutMs: 0 }),
        );
        return { result };
      }),
    ],
    [
      'app-read',
      verb({ app: 'text', uri: 'text' }, async ({ app: id, uri }, { signal }) => {
        const app = apps.get(id);
        const { client } = servers.get(app.server);
        return { result: await apps.during(app, () => client.readResource(uri, { signal, cache: 'refresh' })) };
      }),
    ],
    [
      'app-asks-link',
      verb({ app: 'text', url: 'text' }, ({ app: id, url }) => {
        const app = apps.get(id);
        const to = URL.canParse(url) ? new URL(url) : undefined;
        if (to === undefined || (to.protocol !== 'https:' && to.protocol !== 'http:'))
          return { refused: 'an app may ask for addresses of the web alone' };
        apps.asked(app, to.href);
        return { url: to.href, host: to.host };
      }),
    ],
    [
      'app-link',
      verb({ app: 'text', url: 'text' }, async ({ app: id, url }) => {
        if (!apps.get(id).links.delete(url)) throw new VerbError(403, 'this app did not ask for that address');
        await openPage(url);
        return {};
      }),
    ],
  ];
}

/** Reads an app. @throws VerbError where the resource is none. */
async function sourceOf({ client }: InspectedServer, uri: string, signal: AbortSignal): Promise<Source> {
  if (!uri.startsWith('ui://')) throw new VerbError(400, `an app has an address that begins with ui://, not ${uri}`);
  const { contents } = await client.readResource(uri, { signal, cache: 'refresh' });
  const [content] = contents.filter((one) => one.uri === uri || contents.length === 1);
  if (content === undefined) throw new VerbError(409, `the server has nothing at ${uri}`);
  const { mimeType = '', _meta: meta } = content;
  if (!appType.test(mimeType))
    throw new VerbError(
      409,
      `an app is text/html;profile=mcp-app, and this is ${mimeType === '' ? 'of no type' : mimeType}`,
    );
  const html = 'text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('utf8');
  if (html.length > most.html) throw new VerbError(413, `an app has at most ${most.html} characters`);
  const ui = isObject(meta) && isObject(meta['ui']) ? meta['ui'] : {};
  return { html, ui, mimeType };
}

/** Tells whether apps may call a tool: they may where it does not say who may. */
function isForApps(tool: JsonView | undefined): boolean {
  if (tool === undefined) return false;
  const meta = isObject(tool['_meta']) ? tool['_meta'] : {};
  const ui = isObject(meta['ui']) ? meta['ui'] : {};
  const { visibility } = ui;
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes('app'));
}
