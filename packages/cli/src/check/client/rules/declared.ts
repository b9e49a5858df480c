/** Rules about what a client can do, and what it says of that. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { unlessKept, type ClientRule } from '../client-rule.ts';
import { metaOf, paramsOf, type ClientProbe, type Prompted } from '../client-session.ts';
import { roundOf } from './rounds.ts';

interface Ability {
  readonly capability: 'roots' | 'sampling' | 'elicitation';
  readonly method: string;
  readonly probe: ClientProbe;
}

const abilities: readonly (Ability & { readonly once: string; readonly each: string })[] = [
  { capability: 'roots', method: 'roots/list', probe: 'roots-undeclared', once: 'roots-001', each: 'roots-002' },
  {
    capability: 'sampling',
    method: 'sampling/createMessage',
    probe: 'sampling-undeclared',
    once: 'sampling-001',
    each: 'sampling-002',
  },
  {
    capability: 'elicitation',
    method: 'elicitation/create',
    probe: 'form-undeclared',
    once: 'elicit-001',
    each: 'elicit-002',
  },
];

/** A rule that a client which can do something says so when it opens: what it can is seen where it answers all the same. */
function saidOnce(id: string, { capability, method, probe }: Ability): ClientRule {
  return {
    id,
    message: `A client that answers ${method} has declared ${capability} in initialize`,
    fix: `declare ${capability}, or answer ${method} with an error`,
    watch({ message, put, revision }) {
      // Who declared it is asked as others are.
      if (put?.method === method && put.probe === undefined) return isObject(message['result']) ? 'holds' : 'not-seen';
      if (put?.probe !== probe) return 'not-seen';
      const shape = methodOf(method)?.result;
      const isAnswer = isObject(message['result']) && shape !== undefined;
      return isAnswer && check(revision, shape, message['result']).length === 0
        ? { breaks: `it answered ${method}, and had declared no ${capability}` }
        : 'not-seen';
    },
  };
}

/** A rule that a client says so with each request, where what it can is seen from what it answers in that. */
function saidEachTime(id: string, { capability, method }: Ability): ClientRule {
  return {
    id,
    message: `A request that answers ${method} declares ${capability} itself`,
    fix: `put ${capability} into io.modelcontextprotocol/clientCapabilities of every request`,
    watch(heard) {
      const round = roundOf(heard);
      const { inputResponses } = paramsOf(heard.message);
      if (round === undefined || !isObject(inputResponses)) return 'not-seen';
      const isOf = (put: Prompted | undefined): boolean => put?.method === method;
      if (!Object.keys(inputResponses).some((key) => isOf(round.asked.get(key)))) return 'not-seen';
      const declared = metaOf(heard.message)[metaKey.clientCapabilities];
      // If nothing is declared at all, another rule checks that.
      if (!isObject(declared)) return 'not-seen';
      return unlessKept(isObject(declared[capability]), `it answers ${method}, and declares no ${capability}`);
    },
  };
}

const modeLeftOut: ClientRule = {
  id: 'elicit-019',
  message: 'An elicitation without a mode is a form',
  fix: 'take a mode that is missing for "form"',
  watch({ message, put }) {
    if (put?.method !== 'elicitation/create' || put.params['mode'] !== undefined) return 'not-seen';
    if (put.probe === 'form-unnamed')
      return unlessKept(
        !isObject(message['error']),
        'it refused a question without a mode, and answered one for a form',
      );
    return put.probe === undefined && isObject(message['result']) ? 'holds' : 'not-seen';
  },
};

const oddMeta: ClientRule = {
  id: 'meta-001',
  message: 'Unknown _meta keys may have any value',
  fix: 'pass over keys of _meta that you do not know, whatever they hold',
  watch: ({ message, put }) =>
    put?.probe === 'odd-meta'
      ? unlessKept(!isObject(message['error']), 'it refused a ping with such a key')
      : 'not-seen',
};

/** Rules about what is declared. */
export const declaredRules: readonly ClientRule[] = [
  ...abilities.flatMap((ability) => [saidOnce(ability.once, ability), saidEachTime(ability.each, ability)]),
  modeLeftOut,
  oddMeta,
];
