/** Rules of `parley check` that only inspect, for every message of a server in use. */

import type { RawExchange } from '../../check/harness/exchange.ts';
import { rowOf } from '../../check/register.ts';
import { isProbe, type CheckRule, type WatchRule } from '../../check/rule.ts';
import { apartOnPage } from '../../check/rules/common/listed.ts';
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

/** A requirement that an entry breaks: what is wrong, and where, such as `tools/add`. */
export interface BrokenRequirement {
  readonly id: string;
  readonly breaks: string;
  readonly where?: string;
}

/** Finds the requirements that an entry of a server breaks. It does not throw. */
export function requirementsBroken(entry: RecordingEntry, context: WireContext): readonly BrokenRequirement[] {
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
  const all = messages.flatMap((message) => {
    if (!context.speaks(revision.date, message)) return [];
    const sent = context.requestOf(entry, message);
    const isAnswer = message['method'] === undefined && entry.pair !== undefined;
    return found({ message, sent, request: isAnswer ? sent : undefined, ...heard });
  });
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

function found(heard: Parameters<WatchRule['watch']>[0]): readonly BrokenRequirement[] {
  return rules.flatMap((rule) => broken(rule, heard, heard.revision) ?? []);
}

function broken(
  rule: WatchRule,
  heard: Parameters<WatchRule['watch']>[0],
  revision: Revision,
): BrokenRequirement | undefined {
  if (!(rule.lives ?? rowOf(rule.id).lives)(revision)) return undefined;
  try {
    const fault = rule.watch(heard);
    if (typeof fault === 'string') return undefined;
    return { id: rule.id, breaks: fault.breaks, ...(fault.where === undefined ? {} : { where: fault.where }) };
  } catch {
    // Rules expect a run of their own around a message; one that has it not says nothing.
    return undefined;
  }
}
