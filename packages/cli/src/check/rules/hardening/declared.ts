import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import { errorCodeOf } from '../../harness/exchange.ts';
import { rowOf } from '../../register.ts';
import type { ProbeRule } from '../../rule.ts';
import { holds, notApplicable, type BrokenPlace } from '../../harness/verdict.ts';

/** A request of a capability that harms nothing, and the row that judges its method, where one does. */
interface DeclaredMethod {
  readonly capability: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly row?: string;
}

const methods: readonly DeclaredMethod[] = [
  { capability: 'tools', method: 'tools/list', row: 'tools-002' },
  { capability: 'prompts', method: 'prompts/list', row: 'prompts-002' },
  { capability: 'resources', method: 'resources/list', row: 'resources-002' },
  { capability: 'resources', method: 'resources/templates/list' },
  {
    capability: 'completions',
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'parley-check' }, argument: { name: 'a', value: '' } },
  },
];

const methodNotFound = -32_601;

/** Requests of declared capabilities that the server does not know. */
async function missing(harness: Harness, declared: readonly DeclaredMethod[]): Promise<readonly BrokenPlace[]> {
  const probeClient = await harness.shared();
  await harness.ready(probeClient);
  const places: BrokenPlace[] = [];
  for (const { capability, method, params = {} } of declared) {
    const exchange = await probeClient.request(method, params);
    if (errorCodeOf(exchange.response) === methodNotFound)
      places.push({ exchange, why: `${capability} is declared, and ${method} is not found`, where: method });
  }
  return places;
}

/** Rule about capabilities whose methods are not there; where a row of the register says so, that is left to it. */
export const declaredMethods: ProbeRule = {
  id: 'harden-declared',
  message: 'The methods of a declared capability exist',
  fix: 'answer the method, or do not declare the capability',
  async probe(harness) {
    const { capabilities } = await harness.shared();
    const declared = methods.filter(
      ({ capability, row }) =>
        isObject(capabilities[capability]) && (row === undefined || !rowOf(row).lives(harness.revision)),
    );
    if (declared.length === 0) return notApplicable('it declares no such capability');
    const [first, ...more] = await missing(harness, declared);
    return first === undefined ? holds : { verdict: 'breaks', ...first, more };
  },
};
