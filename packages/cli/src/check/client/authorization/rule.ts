import type { Stated } from '../../rule.ts';
import { inQuotes } from '../client-rule.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** Finding of a look at a scenario: kept, broken at a step, or nothing of the kind. */
export type AuthorizationLogView =
  | 'holds'
  | 'not-seen'
  | { readonly breaks: string; readonly at?: AuthorizationLogStep | undefined };

/** A statement about clients that are authorized, seen from where their servers stand. */
export interface AuthorizationRule extends Stated {
  /** Scenarios of which it says something, by their names; all by default. */
  readonly in?: readonly string[];
  /** Row with the same statement that is checked in its place: one cause is one finding. */
  readonly as?: string;
  /** Judges a scenario that is over. @param others All of them, for what one can do elsewhere. */
  judge(authorizationLog: AuthorizationLog, others: readonly AuthorizationLog[]): AuthorizationLogView;
}

/** Judges each of some steps: broken by the first that is wrong, and not seen where there is none. */
export function each(
  steps: readonly AuthorizationLogStep[],
  wrong: (step: AuthorizationLogStep) => string | false | undefined,
): AuthorizationLogView {
  for (const step of steps) {
    const breaks = wrong(step);
    if (typeof breaks === 'string') return { breaks, at: step };
  }
  return steps.length === 0 ? 'not-seen' : 'holds';
}

/** A rule that says the same as another, in words of its own. */
export function likewise({ fix, judge, ...rule }: AuthorizationRule, id: string, words: string): AuthorizationRule {
  return { ...(rule.in !== undefined && { in: rule.in }), id, message: words, fix, as: rule.as ?? rule.id, judge };
}

/** A parameter in the words of a finding. */
export function parameterOf(step: AuthorizationLogStep, name: string): string {
  return `${name} of ${step.method} ${step.url.pathname} is ${inQuotes(step.fields[name])}`;
}

/** Steps after another. */
export function stepsAfter(
  authorizationLog: AuthorizationLog,
  step: AuthorizationLogStep | undefined,
): readonly AuthorizationLogStep[] {
  return step === undefined ? [] : authorizationLog.steps.slice(authorizationLog.steps.indexOf(step) + 1);
}

/** Steps at an authorization server that make use of it, and do not only look. */
export function uses(authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] {
  return authorizationLog.at('register', 'authorize', 'token');
}

/** Registrations at an authorization server. A request to a wrong address is a different fault. */
export function registrations(authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] {
  return authorizationLog.at('register').filter(({ issuer }) => issuer !== undefined);
}

/** Tells whether a redirect URI leads to this machine. */
export function isLocal(uri: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/i.test(uri);
}

/** Id and secret of a client by `Basic`; `undefined` where it says nothing of the kind. */
export function basicOf(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || !/^basic +\S+$/i.test(header)) return undefined;
  const text = Buffer.from(header.replace(/^basic +/i, ''), 'base64').toString('utf8');
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)].map((part) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      // Some do not encode it. (RFC 6749, section 2.3.1, says that one does.)
      return part;
    }
  });
}
