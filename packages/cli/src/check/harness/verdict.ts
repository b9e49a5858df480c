import type { RawExchange } from './exchange.ts';

/** Place that breaks a rule; `where` names it, such as `tools/add/inputSchema`, where one exchange shows several. */
export interface BrokenPlace {
  readonly why: string;
  readonly exchange: RawExchange;
  readonly where?: string;
  /** Reason for which it is no fault, where texts say two things of this and one of the rest of the row. */
  readonly disputed?: string;
}

/** Finding of a rule about a server in one revision. */
export type RuleVerdict =
  | { readonly verdict: 'holds' }
  /** `more` are other places that break it too. */
  | (BrokenPlace & { readonly verdict: 'breaks'; readonly more?: readonly BrokenPlace[] })
  /** `not-allowed`: who judges has to allow it first, such as by naming a tool. */
  | {
      readonly verdict: 'not-applicable' | 'not-seen' | 'not-judged' | 'not-allowed';
      readonly why: string;
      /** Wait for each answer with which it could be judged, in milliseconds, where that was too short. */
      readonly neededMs?: number;
    };

/** Reason for which a probe says nothing of a rule. */
export class NotJudged extends Error {}

/** The server ended the session, as it may at any time: in another one the probe may say something. */
export class SessionLost extends NotJudged {}

/** Reason for which a rule is not about a server, found while it was probed. */
export class NotApplicable extends Error {}

/** Need of a probe that was not allowed, in words. */
export class NotAllowed extends Error {}

/** RuleVerdict of a rule that is kept. */
export const holds: RuleVerdict = { verdict: 'holds' };

/** RuleVerdict of a rule that is broken. */
export function breaks(exchange: RawExchange, why: string, where?: string): RuleVerdict {
  return { verdict: 'breaks', why, exchange, ...(where === undefined ? {} : { where }) };
}

/** RuleVerdict of a rule of which nothing in this server is subject. */
export function notApplicable(why: string): RuleVerdict {
  return { verdict: 'not-applicable', why };
}

/** RuleVerdict of a rule that could not be put to the test. */
export function notJudged(why: string): RuleVerdict {
  return { verdict: 'not-judged', why };
}

/** Shorthand: kept, or broken for a reason. */
export function unless(isBroken: boolean, exchange: RawExchange, why: string): RuleVerdict {
  return isBroken ? breaks(exchange, why) : holds;
}
