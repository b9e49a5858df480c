/** Rules about hosts of apps, by the reports of the catalogue's app. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { appTools } from '../catalogue/app.ts';
import { inQuotes, sameAs, unlessKept, type ClientLook, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { paramsOf, type ClientSession } from '../client-session.ts';

/** Arguments of a call that only the app can have made, since they have its token; `undefined` for other calls. */
function saidByApp({ message, clientSession }: HeardOfClient, tool: string): JsonObject | undefined {
  const { name, arguments: given } = paramsOf(message);
  if (message['method'] !== 'tools/call' || name !== tool || !isObject(given)) return undefined;
  return given['token'] === clientSession.appToken ? given : undefined;
}

/** Messages that the app was sent before it did anything. */
function seenByApp(heard: HeardOfClient): readonly JsonObject[] | undefined {
  const { seen } = saidByApp(heard, appTools.reports) ?? {};
  return Array.isArray(seen) ? seen.filter(isObject) : undefined;
}

const refuses: ClientRule = {
  id: 'tools-045',
  message: 'An app cannot call a tool that is not for apps',
  fix: 'look for "app" in _meta.ui.visibility of the tool that an app calls, which is there by default',
  watch(heard) {
    if (saidByApp(heard, appTools.forModels) !== undefined)
      return { breaks: `the app called ${appTools.forModels}, whose visibility is ["model"], and the call came` };
    return saidByApp(heard, appTools.reports)?.['isTried'] === true ? 'holds' : 'not-seen';
  },
};

const waits: ClientRule = {
  id: 'tools-047',
  message: 'Nothing is sent to an app before it is initialized',
  fix: 'send the first request or notification when ui/notifications/initialized came, and answer ui/initialize alone before',
  watch(heard) {
    const seen = seenByApp(heard);
    if (seen === undefined) return 'not-seen';
    const early = seen.find(({ isEarly }) => isEarly === true);
    return unlessKept(early === undefined, `${inQuotes(early?.['method'])} came before that`);
  },
};

const tellsInOrder: ClientRule = {
  id: 'tools-048',
  message: 'An app gets the full arguments of its call once, and then the result',
  fix: 'send ui/notifications/tool-input once, with the arguments of the call, and ui/notifications/tool-result after it',
  watch(heard) {
    const seen = seenByApp(heard);
    return seen === undefined ? 'not-seen' : orderOf(seen, heard.clientSession);
  },
};

function orderOf(seen: readonly JsonObject[], { appCalls }: ClientSession): ClientLook {
  const placesOf = (name: string): readonly number[] =>
    seen.flatMap(({ method }, at) => (method === `ui/notifications/${name}` ? [at] : []));
  const [input, ...more] = placesOf('tool-input');
  const [result] = placesOf('tool-result');
  if (result !== undefined && (input === undefined || result < input))
    return { breaks: 'tool-result came, and no tool-input before it' };
  if (input === undefined) return 'not-seen';
  if (more.length > 0) return { breaks: `tool-input came ${1 + more.length} times for one call` };
  if (placesOf('tool-input-partial').some((at) => at > input))
    return { breaks: 'tool-input-partial came after tool-input' };
  if (result === undefined) return 'not-seen';
  // Which call the result is of is known where it came as it was.
  const call = seen[result]?.['call'];
  const given = typeof call === 'number' ? appCalls.get(call) : undefined;
  const told = seen[input]?.['arguments'];
  return given === undefined
    ? 'not-seen'
    : unlessKept(isDeepStrictEqual(told, given), `the call had ${inQuotes(given)}, and tool-input ${inQuotes(told)}`);
}

const keepsIn: ClientRule = {
  id: 'security-037',
  over: 'http',
  message: 'An app cannot reach an undeclared origin',
  fix: 'serve apps with a Content-Security-Policy that allows only what _meta.ui.csp declares',
  atEnd({ appToken, done }, { apps }) {
    if (apps?.has(appToken) === true)
      return { breaks: 'an app that declares no domains reached an address of another' };
    return done.has('app was kept in') ? 'holds' : 'not-seen';
  },
};

/** Rules about hosts of apps. */
export const appRules: readonly ClientRule[] = [
  refuses,
  waits,
  tellsInOrder,
  keepsIn,
  sameAs(keepsIn, 'security-036', 'The CSP of an app allows only declared origins, and none by default'),
];
