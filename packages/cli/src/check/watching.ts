import { jsonIn } from '../../../parley/src/json/parse.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { answers, type RawExchange } from './harness/exchange.ts';
import type { ProbeMessage } from './harness/probe-client.ts';
import { rowOf } from './register.ts';
import type { HeardMessage, WatchedFault, WatchRule } from './rule.ts';
import type { JudgedRule } from './run.ts';
import type { BrokenPlace, RuleVerdict } from './harness/verdict.ts';

/** State of one rule in one revision: the first message that broke it, that it was kept, or that what broke it breaks another by name. */
type RuleState =
  | Extract<RuleVerdict, { verdict: 'breaks' | 'holds' }>
  | { readonly verdict: 'not-judged'; readonly why: string };

/** Has rules look at everything that a server says. */
export class Watching {
  readonly #rules: readonly WatchRule[];
  readonly #seen = new Map<string, RuleState>();
  /** Faults that a rule by name is broken by too, and that rule, by the revision in which it was. */
  readonly #named = new Map<string, Map<Revision, string>>();

  constructor(rules: readonly WatchRule[]) {
    this.#rules = [
      ...rules.filter(({ isGeneral }) => isGeneral !== true),
      ...rules.filter(({ isGeneral }) => isGeneral),
    ];
  }

  /** Looks at what came of one message. */
  heard(
    exchange: RawExchange,
    { revision, capabilities, declared, request: sent, running, asked, again, isAside }: ProbeMessage,
  ): void {
    // The body of a refusal over HTTP may be a JSON-RPC error, and need not. (Spec 2025-11-25, Streamable HTTP, Sending Messages to the Server, point 4.)
    const isRefusal = exchange.status !== undefined && exchange.status >= 400;
    // What belongs to no message of ours, in a piece that is no JSON, is for rules about lines.
    for (const malformed of isRefusal ? [] : exchange.malformed)
      this.#look({}, { malformed, exchange, revision, capabilities, sent, request: undefined });
    // That it came is a finding of its own, and it may be right in another revision.
    if (isAside) return;
    for (const message of exchange.messages.flat())
      if (isObject(message) && !(isRefusal && message['jsonrpc'] === undefined))
        this.#look(message, {
          exchange,
          revision,
          capabilities,
          declared,
          sent,
          running,
          asked,
          isAgain: again.has(message),
          request: requestOf(message, sent),
        });
  }

  /** Looks at the lines that a process said of its own accord. */
  unasked(lines: readonly string[], revision: Revision, again: readonly string[] = []): void {
    const malformed = lines.filter((line) => !isJson(line));
    const looked = (text: string): Omit<Looked, 'malformed'> => {
      const exchange: RawExchange = {
        sent: '',
        status: undefined,
        headers: {},
        text,
        messages: [],
        malformed,
        end: 'complete',
      };
      return { exchange, revision, capabilities: {}, sent: undefined, request: undefined };
    };
    for (const line of malformed) this.#look({}, { ...looked(line), malformed: line });
    for (const line of again) {
      const message = jsonIn(line);
      if (isObject(message)) this.#look(message, { ...looked(line), isAgain: true });
    }
  }

  /** Findings of each rule in each revision. @param judged Those of rules that act, which may name a cause. */
  outcomes(
    revisions: readonly Revision[],
    judged: readonly JudgedRule[] = [],
  ): readonly { readonly rule: WatchRule; readonly revision: Revision; readonly outcome: RuleVerdict }[] {
    return this.#rules.flatMap((rule) =>
      revisions
        .filter((revision) => isInForce(rule, revision))
        .map((revision) => {
          const isBroken = (id: string): boolean =>
            judged.some((one) => one.rule.id === id && one.outcome.verdict === 'breaks');
          // What was said in a revision that is not spoken is found nowhere, so that it is the cause of nothing.
          const named = (fault: string): string | undefined =>
            revisions.map((one) => this.#named.get(fault)?.get(one)).find((cause) => cause !== undefined);
          return { rule, revision, outcome: this.#outcomeOf(rule, revision, { isBroken, named }) };
        }),
    );
  }

  #look(message: Readonly<Record<string, unknown>>, looked: Looked): void {
    const { exchange, revision } = looked;
    const causes: WatchRule[] = [];
    for (const rule of this.#rules) {
      // What a revision does not say is the cause of nothing in it.
      if (!isInForce(rule, revision)) continue;
      const key = keyOf(rule, revision);
      const seen = this.#seen.get(key);
      if (rule.isGeneral === true && seen?.verdict === 'breaks' && (seen.more?.length ?? 0) >= maxMore) continue;
      const found = rule.watch({ message, ...looked });
      if (found === 'not-seen') continue;
      if (found === 'holds') {
        if (seen === undefined) this.#seen.set(key, { verdict: 'holds' });
      } else if (rule.isGeneral === true)
        this.#broken(key, [found, ...(found.more ?? [])], { causes, exchange, revision });
      else {
        causes.push(rule);
        if (seen?.verdict !== 'breaks')
          this.#seen.set(key, {
            verdict: 'breaks',
            ...placeOf(found, exchange),
            more: (found.more ?? []).slice(0, maxPlaces).map((fault) => placeOf(fault, exchange)),
          });
      }
    }
  }

  /** Adds places to those of a general rule, but for what has a cause by name: one cause is one finding. */
  #broken(
    key: string,
    faults: readonly WatchedFault[],
    { causes, exchange, revision }: Pick<Looked, 'exchange' | 'revision'> & { readonly causes: readonly WatchRule[] },
  ): void {
    for (const fault of faults) {
      const seen = this.#seen.get(key);
      const known = seen?.verdict === 'breaks' ? [seen, ...(seen.more ?? [])] : [];
      const place = placeOf(fault, exchange);
      const cause = causes.find(({ fields = [] }) => covers(fields, fault))?.id;
      if (cause !== undefined) {
        this.#name(fault.breaks, cause, revision);
        if (known.length === 0)
          this.#seen.set(key, { verdict: 'not-judged', why: `what breaks ${cause} breaks it too` });
      } else if (known.length <= maxMore && !known.some((one) => spotOf(one) === spotOf(place))) {
        const [first, ...others] = known;
        const more = first === undefined ? [] : [...others, place];
        this.#seen.set(key, { ...(first ?? place), verdict: 'breaks', more });
      }
    }
  }

  /** Remembers that a fault has a cause by name. */
  #name(fault: string, cause: string, revision: Revision): void {
    const known = this.#named.get(fault);
    if (known !== undefined) known.set(revision, cause);
    else if (this.#named.size < maxNamed) this.#named.set(fault, new Map([[revision, cause]]));
  }

  /** Verdict on a rule, without what breaks another one by name in any revision that is spoken. */
  #outcomeOf(
    rule: WatchRule,
    revision: Revision,
    { isBroken, named }: { isBroken(id: string): boolean; named(fault: string): string | undefined },
  ): RuleVerdict {
    const seen = this.#seen.get(keyOf(rule, revision));
    if (seen === undefined) return { verdict: 'not-seen', why: 'the server said nothing of the kind' };
    if (rule.isGeneral !== true || seen.verdict !== 'breaks') return seen;
    const causeOf = ({ why, where = '' }: BrokenPlace): string | undefined =>
      named(why) ??
      byProbe.find(
        ([method, field, id]) =>
          (field === '' ? where === method : where.startsWith(`${method} `) && covers([field], { where })) &&
          isBroken(id),
      )?.[2];
    const { more = [], ...own } = seen;
    const [first, ...others] = [own, ...more].filter((place) => causeOf(place) === undefined);
    return first === undefined
      ? { verdict: 'not-judged', why: `what breaks ${causeOf(own)} breaks it too` }
      : { ...first, verdict: 'breaks', more: others };
  }
}

/** Most places beside the first, and most faults with a cause that are remembered. */
const [maxMore, maxNamed] = [4, 200];

/** Most places beside the first of one message that are told of a rule by name. */
const maxPlaces = 20;

/** Rules that act and name what a message of some method must have, and where; nowhere is the result itself, which is no object. */
const byProbe = [
  ['resources/read', 'contents[]', 'resources-008'],
  ['ping', '', 'ping-001'],
  ['server/discover', '', 'versioning-003'],
  ['tools/list', '', 'tools-002'],
  ['prompts/list', '', 'prompts-002'],
  ['resources/list', '', 'resources-002'],
  ['logging/setLevel', '', 'logging-002'],
] as const;

/** Tells whether a fault may be that of a rule which names it: what is wrong in one field is the cause of nothing in another. */
function covers(fields: readonly string[], { where = '' }: Pick<WatchedFault, 'where'>): boolean {
  // The method stands before it.
  const place = spotOf({ where: where.slice(where.indexOf(' ') + 1) });
  return fields.some((field) => place === field || (field.endsWith('.*') && place.startsWith(field.slice(0, -1))));
}

function placeOf({ breaks, where }: WatchedFault, exchange: RawExchange): BrokenPlace {
  return { why: breaks, exchange, ...(where === undefined ? {} : { where }) };
}

/** A place, whatever the entry of a list. */
function spotOf({ where = '' }: Pick<WatchedFault, 'where'>): string {
  return where.replaceAll(/\d+/g, '');
}

function isInForce({ id, lives }: WatchRule, revision: Revision): boolean {
  return (lives ?? rowOf(id).lives)(revision);
}

type Looked = Omit<HeardMessage, 'message'>;

function keyOf({ id }: WatchRule, { date }: Revision): string {
  return `${id} ${date}`;
}

/** The request, where the message answers it. */
function requestOf(
  message: Readonly<Record<string, unknown>>,
  request: ProbeMessage['request'],
): ProbeMessage['request'] {
  const isAnswer = request?.['method'] !== undefined && answers(message, request['id']);
  return isAnswer ? request : undefined;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
