import { rowOf } from '../register.ts';
import type { JudgedRule } from '../run.ts';
import type { RawExchange } from '../harness/exchange.ts';
import { breaks, holds, notJudged, type RuleVerdict } from '../harness/verdict.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import type { ClientRule, HeardOfClient, ClientLook, SeenElsewhere } from './client-rule.ts';
import type { ClientSession } from './client-session.ts';

/** Headers that a finding shows. */
const shownHeaders = /^(accept|content-type|mcp-.*|last-event-id)$/;

/** Has rules look at everything that a client says. */
export class ClientWatching {
  readonly #rules: readonly ClientRule[];
  readonly #isChosen: (id: string) => boolean;
  readonly #seen = new Map<string, RuleVerdict>();
  readonly #spoken = new Set<Revision>();

  /** @param isChosen Tells which rows to report; all by default. Rows with the same statement are checked too. */
  constructor(rules: readonly ClientRule[], isChosen: (id: string) => boolean = () => true) {
    const chosen = rules.filter(({ id }) => isChosen(id));
    const looking = new Set(chosen.flatMap(({ id, as = id }) => [id, as]));
    this.#rules = rules.filter(({ id }) => looking.has(id));
    this.#isChosen = isChosen;
  }

  /** The revisions that were spoken. */
  get spoken(): ReadonlySet<Revision> {
    return this.#spoken;
  }

  /** Checks a received message. @param text Its whole text. */
  heard(heard: HeardOfClient, text: string): void {
    const { revision, clientSession } = heard;
    this.#spoken.add(revision);
    const rules = this.#rulesOf(revision, clientSession);
    let isBroken = false;
    for (const rule of [
      ...rules.filter(({ yields }) => yields !== true),
      ...rules.filter(({ yields }) => yields === true),
    ]) {
      const found = rule.watch?.(heard) ?? 'not-seen';
      if (typeof found !== 'string' && isBroken && rule.yields === true) continue;
      isBroken ||= typeof found !== 'string';
      this.#take(rule, revision, found, () => exchangeOf(heard, text));
    }
  }

  /** Judges a conversation that is over. */
  over(clientSession: ClientSession, elsewhere: SeenElsewhere): void {
    const { revision } = clientSession;
    if (revision === undefined || !this.#spoken.has(revision)) return;
    for (const rule of this.#rulesOf(revision, clientSession)) {
      const found = rule.atEnd?.(clientSession, elsewhere);
      if (found !== undefined) this.#take(rule, revision, found, () => said(clientSession, ''));
    }
  }

  /** Findings of each rule in each revision that was spoken. */
  outcomes(): readonly JudgedRule[] {
    return [...this.#spoken].flatMap((revision) =>
      this.#rules
        .filter((rule) => this.#isChosen(rule.id) && livesIn(rule, revision))
        .map((rule) => {
          const outcome = this.#outcomeOf(rule, revision);
          return {
            rule,
            revision,
            outcome: outcome ?? { verdict: 'not-seen' as const, why: 'the client did nothing of the kind' },
          };
        }),
    );
  }

  #outcomeOf({ id, as }: ClientRule, { date }: Revision): RuleVerdict | undefined {
    if (as === undefined) return this.#seen.get(`${id} ${date}`);
    const other = this.#seen.get(`${as} ${date}`);
    return other?.verdict === 'breaks' && this.#isChosen(as) ? notJudged(`it is broken with ${as}`) : other;
  }

  #rulesOf(revision: Revision, { over, isForeign }: ClientSession): readonly ClientRule[] {
    return this.#rules.filter(
      (rule) =>
        livesIn(rule, revision) &&
        (rule.over === undefined || rule.over === over) &&
        (rule.isForeign === true) === isForeign,
    );
  }

  #take(rule: ClientRule, revision: Revision, found: ClientLook, exchange: () => RawExchange): void {
    const key = keyOf(rule, revision);
    if (found === 'not-seen' || this.#seen.get(key)?.verdict === 'breaks') return;
    this.#seen.set(key, found === 'holds' ? holds : breaks(exchange(), found.breaks));
  }
}

function livesIn({ id, lives }: ClientRule, revision: Revision): boolean {
  return (lives ?? rowOf(id).lives)(revision);
}

function keyOf({ id }: ClientRule, { date }: Revision): string {
  return `${id} ${date}`;
}

/** A message of the client, and the message that it received before. */
function exchangeOf({ http, clientSession }: HeardOfClient, text: string): RawExchange {
  if (http === undefined) return said(clientSession, text);
  const headers = Object.entries(http.headers).filter(([name]) => shownHeaders.test(name));
  const lines = headers.map(([name, value]) => `${name}: ${value ?? ''}`);
  return said(clientSession, [`${http.method} ${http.path}`, ...lines, ...(text === '' ? [] : ['', text])].join('\n'));
}

function said(clientSession: ClientSession, sent: string): RawExchange {
  return {
    sent: sent.slice(0, 4_000),
    status: undefined,
    headers: {},
    text: clientSession.said,
    messages: [],
    malformed: [],
    end: 'complete',
  };
}
