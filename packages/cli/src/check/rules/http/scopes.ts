import { claimsOf } from '../../../../../parley/src/auth/common/base64url.ts';
import type { Challenge } from '../../../../../parley/src/auth/common/challenge.ts';
import type { Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { bearerIn, guardOf } from '../../harness/guard.ts';
import type { ProbeRule } from '../../rule.ts';
import { holds, notApplicable, notJudged, breaks, type RuleVerdict } from '../../harness/verdict.ts';

/** Rules about what a challenge says of scopes. */

const consistent: ProbeRule = {
  id: 'auth-046',
  over: 'http',
  closed: true,
  message: 'The same request gets the same challenge each time',
  fix: 'name the same scopes, and the same metadata, for the same request',
  async probe(harness) {
    const { challenge } = await guardOf(harness);
    if (challenge === undefined) return notJudged('there is no challenge: see auth-026');
    for (let left = 2; left > 0; left--) {
      const probeClient = await harness.unopened();
      await probeClient.open('nobody');
      await harness.end(probeClient);
      const { opening } = probeClient;
      const again = opening && bearerIn(opening);
      if (opening === undefined || again === undefined) return notJudged('another request got no challenge');
      for (const name of ['scope', 'resource_metadata'])
        if (again.parameters[name] !== challenge.parameters[name])
          return breaks(opening, `${name} was ${shown(challenge, name)}, and then ${shown(again, name)}`);
    }
    return holds;
  },
};

function shown({ parameters }: Challenge, name: string): string {
  return JSON.stringify(parameters[name])?.slice(0, 100) ?? 'missing';
}

/** Judges each call that was refused for want of a scope, with the challenge that came. */
async function onRefusedCalls(
  harness: Harness,
  judge: (challenge: Challenge, refusal: RawExchange) => Promise<string | undefined> | string | undefined,
): Promise<RuleVerdict> {
  await guardOf(harness);
  let judged = 0;
  for (const { of, last } of [...(await harness.made('mute')), ...(await harness.made('obliging'))]) {
    const challenge = bearerIn(last);
    if (challenge?.parameters['error'] !== 'insufficient_scope') continue;
    judged++;
    const why = await judge(challenge, last);
    if (why !== undefined) return breaks(last, `${of.name}: ${why}`, `tools/${of.name}`);
  }
  return judged > 0 ? holds : notApplicable('no tool that was called wants a scope that your token lacks');
}

const challenged: ProbeRule = {
  id: 'auth-049',
  over: 'http',
  needs: 'tools',
  message: 'A call without the required scopes gets 403 and a challenge with scope and resource_metadata',
  fix: 'answer HTTP 403 with WWW-Authenticate: Bearer error="insufficient_scope", scope="…", resource_metadata="…"',
  probe: (harness) =>
    onRefusedCalls(harness, ({ parameters }, { status }) => {
      if (status !== 403) return `it gets HTTP ${status}`;
      const missing = ['scope', 'resource_metadata'].filter((name) => parameters[name] === undefined);
      return missing.length === 0 ? undefined : `the challenge has no ${missing.join(' and no ')}`;
    }),
};

const covers: ProbeRule = {
  id: 'auth-050',
  over: 'http',
  needs: 'tools',
  message: 'The challenge of the 403 names scopes that the token lacks',
  fix: 'name all scopes that the call needs',
  async probe(harness) {
    await guardOf(harness);
    const own = scopesOf(await harness.http.token());
    if (own === undefined) return notJudged('your token does not say in words which scopes it has');
    return await onRefusedCalls(harness, ({ parameters: { scope } }) => {
      const named = scope?.split(' ').filter((one) => one !== '') ?? [];
      if (named.length === 0) return scope === undefined ? undefined : 'it names none';
      return named.every((one) => own.has(one)) ? `it names ${named.join(' ')}, which your token has` : undefined;
    });
  },
};

/** Scopes that a token of JWT says it has. */
function scopesOf(token: string | undefined): ReadonlySet<string> | undefined {
  const said = token === undefined ? undefined : claimsOf(token);
  const scope = said?.['scope'] ?? said?.['scp'];
  if (typeof scope === 'string') return new Set(scope.split(' '));
  return Array.isArray(scope) ? new Set(scope.map(String)) : undefined;
}

/** Rules about scopes. */
export const scopeRules: readonly ProbeRule[] = [consistent, challenged, covers];
