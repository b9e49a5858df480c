/** Rules about where a client looks for its authorization server, and what it believes of what it finds. */

import { namedPath } from './gate.ts';
import { isMachineGrant } from './machine.ts';
import { each, likewise, stepsAfter, uses, type AuthorizationRule } from './rule.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** Paths that were asked for at a place, in their order, each once. */
function paths(authorizationLog: AuthorizationLog, place: 'resource-metadata' | 'server-metadata'): readonly string[] {
  return [...new Set(authorizationLog.at(place).map(({ url }) => url.pathname))];
}

const refused = (authorizationLog: AuthorizationLog): AuthorizationLogStep | undefined =>
  authorizationLog.at('endpoint').find(({ status }) => status === 401);

const byResource: AuthorizationRule = {
  id: 'auth-025',
  message: 'The client finds the authorization server through the resource metadata',
  fix: 'fetch the metadata of the protected resource, and use an authorization server that they name',
  in: ['right', 'plain', 'openid'],
  judge(authorizationLog) {
    const [use] = uses(authorizationLog);
    if (use === undefined) return 'not-seen';
    const before = authorizationLog.steps.slice(0, authorizationLog.steps.indexOf(use));
    const isKnown = before.some(({ place, status }) => place === 'resource-metadata' && status === 200);
    return isKnown ? 'holds' : { breaks: 'it used an authorization server before it had read any', at: use };
  },
};

const named: AuthorizationRule = {
  id: 'auth-028',
  message: 'The client reads WWW-Authenticate and signs in after a 401',
  fix: 'read the parameter resource_metadata of the challenge, and fetch what it names',
  in: ['right'],
  judge(authorizationLog) {
    const looked = authorizationLog.at('resource-metadata');
    if (looked.some(({ url }) => url.pathname === namedPath)) return 'holds';
    const [other] = [...looked, ...authorizationLog.at('astray'), ...uses(authorizationLog)];
    if (refused(authorizationLog) === undefined || other === undefined || !authorizationLog.isOver) return 'not-seen';
    return { breaks: `the challenge named ${namedPath}, which was never fetched`, at: other };
  },
};

const wellKnown: AuthorizationRule = {
  id: 'auth-030',
  message: 'Without metadata in the challenge, the client tries the well-known URI of the path, then of the root',
  fix: 'fetch /.well-known/oauth-protected-resource/<path>, and where that is not there, /.well-known/oauth-protected-resource',
  in: ['plain'],
  judge(authorizationLog) {
    const known = paths(authorizationLog, 'resource-metadata').map((path) => path.endsWith('/mcp'));
    const [first, second] = known;
    const [step] = authorizationLog.at('resource-metadata');
    if (first === undefined) return 'not-seen';
    if (!first) return { breaks: 'it asked at the root first', at: step };
    if (second !== undefined) return 'holds';
    return authorizationLog.isOver ? { breaks: 'it asked for that of the path alone', at: step } : 'not-seen';
  },
};

const oauthMetadata: AuthorizationRule = {
  id: 'auth-032',
  message: 'The client uses the authorization server metadata',
  fix: 'fetch /.well-known/oauth-authorization-server of the issuer before its endpoints are used',
  in: ['right'],
  judge: (authorizationLog) =>
    each(uses(authorizationLog).slice(0, 1), (use) => {
      const before = authorizationLog.steps.slice(0, authorizationLog.steps.indexOf(use));
      return (
        !before.some(({ place, status }) => place === 'server-metadata' && status === 200) &&
        'they were not read before'
      );
    }),
};

const openid: AuthorizationRule = {
  id: 'auth-034',
  message: 'The client accepts OpenID Connect metadata and OAuth metadata',
  fix: 'where there are no metadata of OAuth, look for /.well-known/openid-configuration',
  in: ['openid', 'plain'],
  judge(authorizationLog) {
    const looked = authorizationLog.at('server-metadata').filter(({ issuer }) => issuer !== undefined);
    if (looked.length === 0) return 'not-seen';
    const isBoth = looked.some(({ url }) => url.pathname.includes('openid-configuration'));
    if (isBoth) return 'holds';
    return authorizationLog.isOver
      ? { breaks: 'it looked for metadata of OAuth alone', at: looked.at(-1) }
      : 'not-seen';
  },
};

/** The places of metadata are tried in their order. */
function inOrder(authorizationLog: AuthorizationLog, wanted: readonly string[]) {
  const looked = authorizationLog.at('server-metadata').filter(({ issuer }) => issuer !== undefined);
  const asked = paths(authorizationLog, 'server-metadata').filter((path) => wanted.includes(path));
  // Who looks for metadata of OAuth alone breaks another row by that.
  if (!looked.some(({ url }) => url.pathname.includes('openid-configuration'))) return 'not-seen' as const;
  const isRight = asked.join() === wanted.slice(0, asked.length).join();
  if (!isRight) return { breaks: `it asked for ${asked.join(', then ')}`, at: looked[0] };
  if (asked.length === wanted.length) return 'holds' as const;
  // Who gives up before the last has not tried them all.
  return !authorizationLog.isOver
    ? ('not-seen' as const)
    : { breaks: `it never asked for ${wanted[asked.length] ?? ''}`, at: looked.at(-1) };
}

const withPath: AuthorizationRule = {
  id: 'auth-035',
  message: 'The client looks for metadata of an issuer with a path at three URLs, in order',
  fix: 'try /.well-known/oauth-authorization-server/<path>, /.well-known/openid-configuration/<path>, /<path>/.well-known/openid-configuration',
  in: ['openid'],
  judge: (authorizationLog) =>
    inOrder(authorizationLog, [
      `/.well-known/oauth-authorization-server${authorizationLog.scenario.issuer.path}`,
      `/.well-known/openid-configuration${authorizationLog.scenario.issuer.path}`,
      `${authorizationLog.scenario.issuer.path}/.well-known/openid-configuration`,
    ]),
};

const withoutPath: AuthorizationRule = {
  id: 'auth-036',
  message: 'The client looks for metadata of an issuer without a path at two URLs, in order',
  fix: 'try /.well-known/oauth-authorization-server, then /.well-known/openid-configuration',
  in: ['plain'],
  judge: (authorizationLog) =>
    inOrder(authorizationLog, ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']),
};

/** A rule that something which is wrong in a scenario is not used. */
function stops(id: string, scenario: string, [words, fix, why]: readonly [string, string, string]): AuthorizationRule {
  return {
    id,
    message: words,
    fix,
    in: [scenario],
    judge(authorizationLog) {
      const place = scenario === 'other-resource' ? 'resource-metadata' : 'server-metadata';
      const read = authorizationLog.at(place).find(({ status }) => status === 200);
      if (read === undefined) return 'not-seen';
      const [use] = stepsAfter(authorizationLog, read).filter(
        // PKCE applies to clients that send a user to a page.
        ({ place, fields }) =>
          place === 'authorize' ||
          (place === 'token' && !(scenario === 'no-pkce' && isMachineGrant(fields['grant_type']))),
      );
      return use === undefined ? 'holds' : { breaks: why, at: use };
    },
  };
}

const sameIssuer = stops('auth-037', 'other-issuer', [
  'The issuer in the metadata equals the issuer of the metadata URL',
  'compare issuer of the metadata with the issuer that the URL was made of, and refuse another',
  'the metadata said another issuer, and it went on to sign in',
]);

const sameResource = stops('auth-041', 'other-resource', [
  'The resource in the metadata is the server that the client called',
  'compare resource of the metadata with the address of the server, and refuse another',
  'the metadata said another resource, and it went on to sign in',
]);

const capitals: AuthorizationRule = {
  id: 'auth-095',
  message: 'A resource with an upper-case scheme is the same',
  fix: 'compare resources as URLs, whose scheme and host have no case',
  in: ['capitals'],
  judge(authorizationLog, others) {
    const read = authorizationLog.at('resource-metadata').find(({ url }) => url.pathname === namedPath);
    if (read === undefined) return 'not-seen';
    if (uses(authorizationLog).length > 0) return 'holds';
    // A client that also fails elsewhere has another reason.
    const canSignIn = others.some((other) => other !== authorizationLog && uses(other).length > 0);
    return canSignIn && authorizationLog.isOver
      ? { breaks: 'the metadata said its scheme in capitals, and it went no further', at: read }
      : 'not-seen';
  },
};

const knowsPkce = stops('auth-099', 'no-pkce', [
  'The client checks the metadata for PKCE support before it continues',
  'refuse an authorization server whose metadata have no code_challenge_methods_supported',
  'the metadata said nothing of PKCE, and it went on to sign in',
]);

const rootMetadata = '/.well-known/oauth-authorization-server';

const first: AuthorizationRule = {
  id: 'auth-012',
  message: 'The client looks for metadata before it uses the default endpoints',
  fix: 'fetch /.well-known/oauth-authorization-server of the server first',
  in: ['own'],
  judge: (authorizationLog) =>
    each(uses(authorizationLog).slice(0, 1), (use) => {
      const before = authorizationLog.steps.slice(0, authorizationLog.steps.indexOf(use));
      return !before.some(({ url }) => url.pathname.startsWith(rootMetadata)) && 'it did not look for metadata before';
    }),
};

const atRoot: AuthorizationRule = {
  id: 'auth-013',
  message: 'The authorization server is at the URL of the MCP server without the path',
  fix: 'leave the path of the server away: metadata and endpoints are at the root',
  in: ['own'],
  judge: (authorizationLog) =>
    each(authorizationLog.at('server-metadata').slice(-1), () => {
      const asked = paths(authorizationLog, 'server-metadata');
      return authorizationLog.isOver && !asked.includes(rootMetadata) && `it asked for ${asked.join()}`;
    }),
};

const fallsBack: AuthorizationRule = {
  id: 'auth-011',
  message: 'Without metadata, the client uses the default endpoints',
  fix: 'use /authorize, /token and /register of the address of the server, without its path',
  in: ['own'],
  judge(authorizationLog) {
    const looked = authorizationLog.at('server-metadata').find(({ url }) => url.pathname === rootMetadata);
    if (looked === undefined) return 'not-seen';
    if (uses(authorizationLog).length > 0) return 'holds';
    return authorizationLog.isOver ? { breaks: 'it gave up when there were no metadata', at: looked } : 'not-seen';
  },
};

const saysRevision: AuthorizationRule = {
  id: 'auth-015',
  message: 'Metadata requests have the header MCP-Protocol-Version',
  fix: 'send MCP-Protocol-Version with the request for metadata',
  in: ['own'],
  judge: (authorizationLog) =>
    each(
      authorizationLog.at('server-metadata').filter(({ url }) => url.pathname === rootMetadata),
      ({ headers }) => headers['mcp-protocol-version'] === undefined && 'the header is missing',
    ),
};

/** Rules about discovery. */
export const discoveryRules: readonly AuthorizationRule[] = [
  byResource,
  named,
  likewise(named, 'auth-029', 'The client uses the metadata that the challenge names'),
  wellKnown,
  oauthMetadata,
  openid,
  withPath,
  withoutPath,
  sameIssuer,
  likewise(sameIssuer, 'auth-038', 'The client does not use metadata with another issuer'),
  sameResource,
  capitals,
  knowsPkce,
  likewise(knowsPkce, 'auth-100', 'Without code_challenge_methods_supported, the client stops'),
  first,
  likewise(first, 'auth-009', 'The client uses the metadata of the authorization server'),
  atRoot,
  fallsBack,
  saysRevision,
];
