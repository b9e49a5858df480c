import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import { excerptOf } from '../../harness/harness.ts';
import { rowOf } from '../../register.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, type RuleVerdict } from '../../harness/verdict.ts';
import { ownMeta } from '../common/own-meta.ts';

/** Rules about what a client may add to its requests. */

/** Additions that the schema of a revision has room for, in words. */
function additions({ revision }: Harness): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  const keys = { 'com.example/parley-check': 'added' };
  return [
    ['a progressToken in _meta', { progressToken: 'parley-check-token' }],
    // Before there were names for them, nobody had keys of his own.
    ...(rowOf('meta-002').lives(revision) ? [['a key of another in _meta', keys] as const] : []),
  ];
}

const lists = ['tools', 'prompts', 'resources'];

const taken: ProbeRule = {
  id: 'wire-meta',
  message: 'A request with any _meta that the schema allows is served',
  fix: 'pass over what you do not know in params._meta, and take a progressToken there for a wish',
  async probe(harness): Promise<RuleVerdict> {
    const probeClient = await harness.shared();
    const listed = lists.find((name) => isObject(probeClient.capabilities[name]));
    const methods = new Set([harness.harmless, ...(listed === undefined ? [] : [`${listed}/list`])]);
    for (const method of methods) {
      const isServed = async (): Promise<boolean> => (await probeClient.request(method)).result !== undefined;
      for (const [words, addition] of additions(harness)) {
        const meta = harness.revision.clientDescribed === 'each-request' ? ownMeta(harness, addition) : addition;
        const answer = await probeClient.request(method, undefined, { meta });
        // What is not answered without it either has rows of its own.
        if (answer.result === undefined && (await isServed()))
          return breaks(answer, `${method} with ${words}: ${excerptOf(answer)}`);
      }
    }
    return holds;
  },
};

/** Rules about additions. */
export const takenMetaRules: readonly ProbeRule[] = [taken];
