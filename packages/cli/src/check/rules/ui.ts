import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { excerptOf, type Harness } from '../harness/harness.ts';
import { entryText } from '../harness/offer.ts';
import { errorCodeOf } from '../harness/exchange.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, NotApplicable, notJudged, type RuleVerdict } from '../harness/verdict.ts';
import { uiAddress } from './common/ui-address.ts';

/** Rules about tools that show their results in an app. Of the addresses that they name those that are listed are read. */

/** Codes of the errors for what is not there. */
const notThere: readonly unknown[] = [-32_002, -32_602];

/** Most apps that are read. */
const maxApps = 5;

/** A tool with an app, and what came when that was read. */
interface ReadApp {
  readonly name: string;
  readonly uri: string;
  readonly answer: RequestExchange;
}

async function readApps(harness: Harness): Promise<readonly ReadApp[]> {
  const { tools, resources } = await harness.offer();
  const listed = new Set(resources.map(({ uri }) => uri));
  const uris = new Map<string, string>();
  for (const tool of tools) {
    const uri = uiAddress(tool);
    if (typeof uri === 'string' && uri.startsWith('ui://') && listed.has(uri))
      uris.set(uri, entryText(tool, 'name') ?? '?');
  }
  return await harness.kept('apps', async () => {
    const probeClient = await harness.shared();
    const apps: ReadApp[] = [];
    for (const [uri, name] of [...uris].slice(0, maxApps)) {
      await harness.ready(probeClient);
      apps.push({ name, uri, answer: await probeClient.request('resources/read', { uri }) });
    }
    return apps;
  });
}

/** @throws NotApplicable where no tool has an app. */
async function namedApps(harness: Harness): Promise<readonly (readonly [tool: string, address: unknown])[]> {
  const { tools } = await harness.offer();
  const found = tools.map((tool) => [entryText(tool, 'name') ?? '?', uiAddress(tool)] as const);
  const named = found.filter(([, address]) => address !== undefined);
  if (named.length === 0) throw new NotApplicable('no tool has an app');
  return named;
}

const there: ProbeRule = {
  id: 'resources-023',
  needs: 'tools',
  message: 'The app of a tool has a ui:// URI, and can be read',
  fix: 'add a resource with the address that _meta.ui.resourceUri names',
  async probe(harness): Promise<RuleVerdict> {
    const named = await namedApps(harness);
    const probeClient = await harness.shared();
    const wrong = named.find(([, address]) => typeof address !== 'string' || !address.startsWith('ui://'));
    if (wrong !== undefined) {
      const list = await harness.works(probeClient, 'tools/list');
      return breaks(list, `that of ${wrong[0]} is ${JSON.stringify(wrong[1])?.slice(0, 100)}`, `tools/${wrong[0]}`);
    }
    const apps = await readApps(harness);
    if (apps.length === 0) return notJudged('its URI is not listed, and the check reads only listed resources');
    for (const { name, uri, answer } of apps) {
      if (answer.response === undefined) return notJudged(`${uri} was not read in time`);
      if (answer.result !== undefined) continue;
      // Any other error says that reading failed, and not that nothing is there.
      if (!notThere.includes(errorCodeOf(answer.response)))
        return notJudged(`${uri} was not read: ${excerptOf(answer)}`);
      return breaks(answer, `${name}: ${uri} cannot be read`, `tools/${name}`);
    }
    return holds;
  },
};

const isPage: ProbeRule = {
  id: 'resources-024',
  needs: 'tools',
  message: 'An app is text/html;profile=mcp-app, as a text or in base64',
  fix: 'give the resource the mimeType text/html;profile=mcp-app, and its page as text or blob',
  async probe(harness) {
    await namedApps(harness);
    let read = 0;
    for (const { uri, answer } of await readApps(harness)) {
      const contents = answer.result?.['contents'];
      const [first] = Array.isArray(contents) ? contents.filter(isObject) : [];
      if (first === undefined) continue;
      read++;
      const { mimeType, text, blob } = first;
      if (!isAppType(mimeType)) return breaks(answer, `its mimeType is ${JSON.stringify(mimeType) ?? 'missing'}`, uri);
      if (typeof text !== 'string' && typeof blob !== 'string')
        return breaks(answer, 'it has neither text nor blob', uri);
    }
    return read > 0 ? holds : notJudged('no app could be read: see resources-023');
  },
};

function isAppType(type: unknown): boolean {
  return typeof type === 'string' && /^text\/html\s*;\s*profile=(?:"mcp-app"|mcp-app)\s*$/i.test(type);
}

/** Rules about apps. */
export const uiRules: readonly ProbeRule[] = [there, isPage];
