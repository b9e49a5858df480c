/** Rules of `parley check` that only inspect, for every message of a server in use. */

import type { RawExchange } from '../../check/harness/exchange.ts';
import { rowOf } from '../../check/register.ts';
import { isProbe, type CheckRule, type WatchRule } from '../../check/rule.ts';
import { apartOnPage } from '../../check/rules/listed.ts';
import { checkRules } from '../../check/rules/rules.ts';
import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { revisionOf, type Revision } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { WireContext } from './context.ts';

const rules: readonly WatchRule[] = [
  ...checkRules.filter((rule): rule is WatchRule => !isProbe(rule)),
  // Who judges a server walks over all pages for it.
  apartOnPage,
];

/** Rules by their ids, for who tells what they say. */
export const ruleById: ReadonlyMap<string, CheckRule> = new Map(checkRules.map((rule) => [rule.id, rule]));

/** Size limit of a checked message, in characters: a larger one would delay the others. */
const largest = 262_144;

/** Finds the requirements that an entry of a server breaks. It does not throw. */
export function requirementsBroken(entry: RecordingEntry, context: WireContext): readonly string[] {
  const { lane, from, text, cut, revision: date } = entry;
  const revision = date === undefined ? undefined : revisionOf(date);
  if (from !== 'server' || lane !== 'message' || text === undefined) return [];
  if (cut !== undefined || text.length > largest || revision === undefined) return [];
  const head = entry.http ?? (entry.exchange === undefined ? undefined : context.headOf(entry.exchange)?.http);
  const value = jsonIn(text);
  const exchange: RawExchange = {
    sent: '',
    status: head?.status,
    headers: head?.headers ?? {},
    text,
    messages: value === undefined ? [] : [value],
    malformed: value === undefined ? [text.slice(0, 1_000)] : [],
    end: 'complete',
  };
  const heard = { exchange, revision, capabilities: context.capabilities };
  const messages = [value].flat().filter(isObject).slice(0, 100);
  if (value === undefined)
    return found({ message: {}, malformed: text.slice(0, 1_000), sent: undefined, request: undefined, ...heard });
  const broken = messages.flatMap((message) => {
    if (!context.speaks(revision.date, message)) return [];
    const sent = context.requestOf(entry, message);
    const isAnswer = message['method'] === undefined && entry.pair !== undefined;
    return found({ message, sent, request: isAnswer ? sent : undefined, ...heard });
  });
  return [...new Set(broken)];
}

function found(heard: Parameters<WatchRule['watch']>[0]): readonly string[] {
  return rules.filter((rule) => breaks(rule, heard, heard.revision)).map(({ id }) => id);
}

function breaks(rule: WatchRule, heard: Parameters<WatchRule['watch']>[0], revision: Revision): boolean {
  if (!(rule.lives ?? rowOf(rule.id).lives)(revision)) return false;
  try {
    return typeof rule.watch(heard) === 'object';
  } catch {
    // Rules expect a run of their own around a message; one that has it not says nothing.
    return false;
  }
}
