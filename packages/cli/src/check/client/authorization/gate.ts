/** The guard before the server of a scenario: it wants a token, says where one is to be had, and notes who comes with what. */

import type { Socket } from 'node:net';
import { parseJson } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { chooseRevision, revisionOf, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from '../client-rule.ts';
import type { Gate, GateAnswer } from '../run/http-door.ts';
import { metaOf, paramsOf } from '../client-session.ts';
import { lacksNonce, nonceHeaders, wantsNonce } from './proofs.ts';
import { scopes } from './scenarios.ts';
import type { GivenToken, AuthorizationLogPlace, AuthorizationLog } from './authorization-log.ts';

/** AuthorizationLogPlace of metadata that only the challenge names. */
export const namedPath = '/elsewhere/metadata';

/** Endpoints by their fixed names, which only the scenario of the first revision has here. */
const fixed: Readonly<Record<string, AuthorizationLogPlace>> = {
  '/authorize': 'authorize',
  '/token': 'token',
  '/register': 'register',
};

const wellKnown = '/.well-known/oauth-protected-resource';

/** Makes the guard of a scenario. @param astray Issuer that metadata of the wrong place name. */
export function gateOf(
  authorizationLog: AuthorizationLog,
  astray: string,
  served: readonly Revision[],
  progress: () => void,
): Gate {
  const sockets = new WeakSet<Socket>();
  const { scenario, resource } = authorizationLog;
  const { origin } = new URL(resource);
  const note = (
    head: HeardHead,
    place: AuthorizationLogPlace,
    answer: GateAnswer,
    more: NotedMore = {},
  ): GateAnswer => {
    const url = new URL(head.path, origin);
    const came = answer.body === undefined ? '' : JSON.stringify(answer.body);
    const { method, headers } = head;
    const { size = 0, ...own } = more;
    authorizationLog.add({ place, method, url, headers, fields: {}, status: answer.status, came, ...own }, size);
    progress();
    return answer;
  };
  return {
    serves(head) {
      const { pathname } = new URL(head.path, origin);
      const at = metadataAt(pathname, authorizationLog, astray);
      if (at !== undefined) return note(head, 'resource-metadata', at);
      // Clients of the first revision look for the authorization server at the root of this one.
      const place = pathname.startsWith('/.well-known/') ? 'server-metadata' : fixed[pathname];
      return place === undefined ? undefined : note(head, place, { status: 404 });
    },
    refuses(head, text, socket) {
      const message = messageOf(text);
      authorizationLog.revision = revisionOfCaller(message, head, served) ?? authorizationLog.revision;
      const token = tokenBrought(head, authorizationLog);
      const refusal = lacksNonce(scenario, 'endpoint', head.headers)
        ? { status: 401, body: wantsNonce, headers: nonceHeaders('endpoint') }
        : refusalOf(token, message, authorizationLog);
      // A client whose only token was refused has no other to send.
      const isAfterToken =
        (sockets.has(socket) || head.headers['mcp-session-id'] !== undefined) && hasGoodToken(authorizationLog);
      if (token !== undefined) sockets.add(socket);
      note(head, 'endpoint', refusal ?? { status: 200 }, { fields: message, isAfterToken, size: text.length });
      if (refusal === undefined) called(message, authorizationLog);
      return refusal;
    },
  };

  function called(
    message: Readonly<Record<string, unknown>>,
    { called: done, tokens, refreshTokens }: AuthorizationLog,
  ): void {
    const { name } = paramsOf(message);
    if (message['method'] !== 'tools/call' || typeof name !== 'string' || !scenario.tools.includes(name)) return;
    done.add(name);
    if (name === 'expire' || name === 'move') for (const token of tokens.values()) token.isOver = true;
    if (name === 'move') for (const token of refreshTokens.values()) token.isOver = true;
  }
}

interface NotedMore {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly isAfterToken?: boolean;
  /** Characters of the body. */
  readonly size?: number;
}

/** Tells whether a token was given that would be taken now. */
function hasGoodToken(authorizationLog: AuthorizationLog): boolean {
  return [...authorizationLog.tokens.values()].some(
    ({ isOver, issuer }) => !isOver && issuer === issuerNow(authorizationLog),
  );
}

/** Issuer that the metadata name now: the second, once the server has moved. */
function issuerNow(authorizationLog: AuthorizationLog): string | undefined {
  const { called, issuers, scenario } = authorizationLog;
  const isMeanwhile = scenario.movesMeanwhile === true && authorizationLog.at('authorize').length > 0;
  return called.has('move') || isMeanwhile ? issuers[1] : issuers[0];
}

/** Metadata at a path; `undefined` where nothing of the kind is. */
function metadataAt(path: string, authorizationLog: AuthorizationLog, astray: string): GateAnswer | undefined {
  const { scenario, resource } = authorizationLog;
  const isKnown = path === wellKnown || path === `${wellKnown}/mcp`;
  if (!isKnown && path !== namedPath) return undefined;
  const right = scenario.metadata === 'named' ? namedPath : scenario.metadata === 'root' ? wellKnown : undefined;
  if (path !== right && (right !== namedPath || !isKnown)) return { status: 404 };
  return {
    status: 200,
    body: {
      resource: scenario.resource?.(resource) ?? resource,
      authorization_servers: [path === right ? issuerNow(authorizationLog) : astray],
      ...(scenario.supported !== undefined && { scopes_supported: scenario.supported }),
    },
  };
}

function refusalOf(
  token: GivenToken | undefined,
  message: Readonly<Record<string, unknown>>,
  authorizationLog: AuthorizationLog,
): GateAnswer | undefined {
  const { scenario, resource } = authorizationLog;
  const { origin } = new URL(resource);
  const named = scenario.metadata === 'named' ? [`resource_metadata="${origin}${namedPath}"`] : [];
  if (token === undefined) {
    const asked = scenario.challenged === undefined ? [] : [`scope="${scenario.challenged}"`];
    return challenge(401, [...named, ...asked]);
  }
  if (token.isOver || token.issuer !== issuerNow(authorizationLog))
    return challenge(401, ['error="invalid_token"', ...named]);
  const needed = neededFor(message);
  if (needed === undefined || token.scopes.includes(needed)) return undefined;
  return challenge(403, ['error="insufficient_scope"', `scope="${needed}"`, ...named]);
}

/** Scope without which a message is refused. */
export function neededFor(message: Readonly<Record<string, unknown>>): string | undefined {
  if (message['method'] !== 'tools/call') return undefined;
  const { name } = paramsOf(message);
  return name === 'more' ? scopes.more : name === 'never' ? scopes.never : undefined;
}

function challenge(status: number, parameters: readonly string[]): GateAnswer {
  const text = ['Bearer', parameters.join(', ')].join(' ').trim();
  return { status, headers: { 'www-authenticate': text } };
}

/** Token that a request brings, where it is one of ours. */
export function tokenBrought(
  { headers }: Pick<HeardHead, 'headers'>,
  { tokens }: AuthorizationLog,
): GivenToken | undefined {
  return tokens.get(/^(?:bearer|dpop) +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '');
}

function messageOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = text === '' ? {} : parseJson(text);
    const one: unknown = Array.isArray(value) ? value[0] : value;
    return isObject(one) ? one : {};
  } catch {
    // The caller checks text that is not JSON.
    return {};
  }
}

/** The caller's revision, from its claims before it is admitted. */
function revisionOfCaller(
  message: Readonly<Record<string, unknown>>,
  { headers }: HeardHead,
  served: readonly Revision[],
): Revision | undefined {
  const handshakes = served.filter(({ sessions }) => sessions);
  if (message['method'] === 'initialize' && handshakes.length > 0)
    return chooseRevision(handshakes, paramsOf(message)['protocolVersion']);
  const own = revisionOf(metaOf(message)[metaKey.protocolVersion]);
  return own?.sessions === false ? own : revisionOf(headers['mcp-protocol-version']);
}
