import { isObject } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import { answers, type Exchanged } from './bench/exchange.ts';
import type { ProbeMessage } from './bench/prober.ts';
import { rowOf } from './register.ts';
import type { HeardMessage, WatchRule } from './rule.ts';
import type { RuleVerdict } from './verdict.ts';

/** State of one rule in one revision: the first message that broke it, that it was kept, or that what broke it breaks another by name. */
type Seen =
  | Extract<RuleVerdict, { verdict: 'breaks' | 'holds' }>
  | { readonly verdict: 'not-judged'; readonly why: string };

/** Has rules look at everything that a server says. */
export class Watching {
  readonly #rules: readonly WatchRule[];
  readonly #seen = new Map<string, Seen>();

  constructor(rules: readonly WatchRule[]) {
    this.#rules = [
      ...rules.filter(({ isGeneral }) => isGeneral !== true),
      ...rules.filter(({ isGeneral }) => isGeneral),
    ];
  }

  /** Looks at what came of one message. */
  heard(
    exchange: Exchanged,
    { revision, capabilities, declared, request: sent, running, isAside }: ProbeMessage,
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
          request: requestOf(message, sent),
        });
  }

  /** Looks at the lines that a process said of its own accord. */
  unasked(lines: readonly string[], revision: Revision): void {
    for (const line of lines) {
      const exchange: Exchanged = {
        sent: '',
        status: undefined,
        headers: {},
        text: line,
        messages: [],
        malformed: [line],
        end: 'complete',
      };
      if (!isJson(line))
        this.#look({}, { malformed: line, exchange, revision, capabilities: {}, sent: undefined, request: undefined });
    }
  }

  /** Findings of each rule in each revision. */
  outcomes(
    revisions: readonly Revision[],
  ): readonly { readonly rule: WatchRule; readonly revision: Revision; readonly outcome: RuleVerdict }[] {
    return this.#rules.flatMap((rule) =>
      revisions
        .filter((revision) => (rule.lives ?? rowOf(rule.id).lives)(revision))
        .map((revision) => {
          const seen = this.#seen.get(keyOf(rule, revision));
          return {
            rule,
            revision,
            outcome: seen ?? { verdict: 'not-seen' as const, why: 'the server said nothing of the kind' },
          };
        }),
    );
  }

  #look(message: Readonly<Record<string, unknown>>, looked: Looked): void {
    const { exchange, revision } = looked;
    let cause: string | undefined;
    for (const rule of this.#rules) {
      const key = keyOf(rule, revision);
      const seen = this.#seen.get(key);
      if (rule.isGeneral === true && seen?.verdict === 'breaks') continue;
      const found = rule.watch({ message, ...looked });
      if (found === 'not-seen') continue;
      if (found === 'holds') {
        if (seen?.verdict !== 'breaks') this.#seen.set(key, { verdict: 'holds' });
      } else if (rule.isGeneral === true && cause !== undefined)
        // One cause is one finding.
        this.#seen.set(key, { verdict: 'not-judged', why: `what breaks ${cause} breaks it too` });
      else {
        cause ??= rule.id;
        const where = found.where === undefined ? {} : { where: found.where };
        if (seen?.verdict !== 'breaks')
          this.#seen.set(key, { verdict: 'breaks', why: found.breaks, exchange, ...where });
      }
    }
  }
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
