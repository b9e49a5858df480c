import type { RawExchange } from '../../harness/exchange.ts';
import { rowOf } from '../../register.ts';
import type { JudgedRule } from '../../run.ts';
import { breaks, holds, notJudged, type RuleVerdict } from '../../harness/verdict.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { AuthorizationRule } from './rule.ts';
import { discoveryRules } from './rules-discovery.ts';
import { machineRules } from './rules-machine.ts';
import { proofRules } from './rules-proofs.ts';
import { registrationRules } from './rules-registration.ts';
import { requestRules } from './rules-requests.ts';
import { useRules } from './rules-use.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** All rules about clients that are authorized. */
export const clientAuthorizationRules: readonly AuthorizationRule[] = [
  ...discoveryRules,
  ...registrationRules,
  ...requestRules,
  ...useRules,
  ...machineRules,
  ...proofRules,
];

/** Judges scenarios that are over, in each revision that was spoken in one. */
export function judgeTrails(
  authorizationLogs: readonly AuthorizationLog[],
  isChosen: (id: string) => boolean,
): readonly JudgedRule[] {
  const spoken = new Set(authorizationLogs.flatMap(({ revision }) => (revision === undefined ? [] : [revision])));
  const rules = clientAuthorizationRules.filter(({ id }) => isChosen(id));
  return [...spoken].flatMap((revision) =>
    rules
      .filter(({ id }) => rowOf(id).lives(revision))
      .map((rule) => ({ rule, revision, outcome: outcomeOf(rule, revision, { authorizationLogs, isChosen }) })),
  );
}

interface Looked {
  readonly authorizationLogs: readonly AuthorizationLog[];
  isChosen(id: string): boolean;
}

function outcomeOf(rule: AuthorizationRule, revision: Revision, { authorizationLogs, isChosen }: Looked): RuleVerdict {
  const looks = authorizationLogs
    .filter(
      (authorizationLog) =>
        authorizationLog.revision === revision &&
        (rule.in ?? [authorizationLog.scenario.name]).includes(authorizationLog.scenario.name),
    )
    // What clients of the first revision do says nothing of those of others.
    .filter(({ scenario }) => scenario.isFirst !== true || rowOf('auth-011').lives(revision))
    .map((authorizationLog) => ({ authorizationLog, look: rule.judge(authorizationLog, authorizationLogs) }));
  for (const { authorizationLog, look } of looks)
    if (typeof look !== 'string')
      return rule.as === undefined || !isChosen(rule.as)
        ? breaks(exchangeOf(look.at, authorizationLogs), look.breaks, `scenario ${authorizationLog.scenario.name}`)
        : notJudged(`it is broken with ${rule.as}`);
  return looks.some(({ look }) => look === 'holds')
    ? holds
    : { verdict: 'not-seen', why: 'the client did nothing of the kind' };
}

/** Headers that a finding shows. */
const shownHeaders = /^(accept|authorization|content-type|dpop|mcp-.*)$/;

/**
 * A request and its response. Values that were issued here are worthless elsewhere, and shown; other secrets are not.
 */
function exchangeOf(
  step: AuthorizationLogStep | undefined,
  authorizationLogs: readonly AuthorizationLog[],
): RawExchange {
  const { method = '', url, headers = {}, fields = {}, status, came = '' } = step ?? {};
  const lines = Object.entries(headers).filter(([name]) => shownHeaders.test(name));
  const own = (text: string): string => shownOf(text, authorizationLogs);
  const body =
    method === 'POST' ? ['', JSON.stringify(fields, (key, value) => (isSecret(key, value) ? own(value) : value))] : [];
  const query = [...(url?.searchParams ?? [])].map(
    ([name, value]) => `${name}=${isSecret(name, value) ? own(value) : value}`,
  );
  const head = url === undefined ? '' : `${method} ${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const shown = lines.map(([name, value = '']) => `${name}: ${name === 'authorization' ? own(value) : value}`);
  return {
    sent: [head, ...shown, ...body].join('\n').slice(0, 4_000),
    status,
    headers: {},
    text: came.slice(0, 2_000),
    messages: [],
    malformed: [],
    end: 'complete',
  };
}

/** Names of parameters that are secrets of a client, its person or its token. */
const secretNames =
  /^(client_secret|refresh_token|access_token|code|code_verifier|password|assertion|client_assertion|subject_token)$/;

function isSecret(name: string, value: unknown): value is string {
  return typeof value === 'string' && secretNames.test(name);
}

/** A secret as it came, where it was given here, and its length in its place where it is one of elsewhere. */
function shownOf(text: string, authorizationLogs: readonly AuthorizationLog[]): string {
  const given = authorizationLogs.flatMap(({ tokens, refreshTokens, codes, clients, usedCodes }) => [
    ...tokens.keys(),
    ...refreshTokens.keys(),
    ...codes.keys(),
    ...usedCodes,
    ...[...clients.values()].flatMap(({ secret }) => secret ?? []),
  ]);
  const [scheme = '', rest] = /^(bearer|basic|dpop) +(\S+)$/i.exec(text)?.slice(1) ?? [];
  const secret = rest ?? text;
  const isGiven = given.some((one) => secret === one || (/^basic$/i.test(scheme) && basicHas(secret, one)));
  return isGiven ? text : `${scheme === '' ? '' : `${scheme} `}(${secret.length} characters that were not given here)`;
}

function basicHas(text: string, secret: string): boolean {
  return Buffer.from(text, 'base64').toString('utf8').includes(secret);
}
