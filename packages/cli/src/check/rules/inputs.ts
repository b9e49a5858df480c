import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { nobody, type Harness } from '../harness/harness.ts';
import { entryText, type ServerOffer } from '../harness/offer.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../harness/verdict.ts';

/** Rules about what is no input of a method, which a server may not take for one: no address, no text, no cursor. */

/** A value that is no text. */
const misfit = { 'parley-check': true };

/** Entries of a list in a result. */
function entriesOf({ result }: RequestExchange, field: string): readonly unknown[] {
  const entries = result?.[field];
  return Array.isArray(entries) ? entries : [];
}

const noAddress: ProbeRule = {
  id: 'resources-018',
  message: 'A read of an invalid URI is refused',
  fix: 'parse the uri of resources/read, and answer -32602 where it is none',
  needs: 'resources',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    // It has no scheme, and characters that no URI has.
    const uri = `${nobody} <none>`;
    const answer = await probeClient.request('resources/read', { uri });
    const contents = entriesOf(answer, 'contents');
    if (answer.result !== undefined && contents.length === 0) return notJudged('it was read as nothing');
    if (contents.length === 0) return holds;
    if (contents.some((one) => !isObject(one) || one['uri'] !== uri))
      return notJudged('the resource has another URI, which the server may have derived from the text');
    if (await readsUnknown(harness))
      return notJudged('a missing file is read, too: the server may describe it as text');
    return breaks(answer, 'a text without a scheme, with spaces and brackets, was read');
  },
};

/** Tells whether an address that is one, and that nobody listed, is read. */
async function readsUnknown(harness: Harness): Promise<boolean> {
  const { resources } = await harness.offer();
  const listed = entryText(resources[0], 'uri');
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(listed ?? '')?.[0];
  const probeClient = await harness.shared();
  for (const begin of [...(scheme === undefined ? [] : [scheme]), 'parley-check:']) {
    const answer = await probeClient.request('resources/read', { uri: `${begin}//${nobody}` });
    if (answer.response === undefined || entriesOf(answer, 'contents').length > 0) return true;
  }
  return false;
}

/** A prompt that is had without arguments, and the name of one that it takes. */
function freePrompt({ prompts }: ServerOffer): { readonly name: string; readonly argument: string } | undefined {
  for (const prompt of prompts) {
    const parts = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : [];
    const [name, argument] = [entryText(prompt, 'name'), entryText(parts[0], 'name')];
    const isFree = parts.every(({ required }) => required !== true);
    if (isFree && name !== undefined && argument !== undefined) return { name, argument };
  }
  return undefined;
}

const oddArguments: ProbeRule = {
  id: 'prompts-011',
  message: 'A prompt argument that is not a string is refused',
  fix: 'check that arguments of prompts are texts, and answer -32602 where one is none',
  needs: 'prompts',
  async probe(harness) {
    const found = freePrompt(await harness.offer());
    if (found === undefined) return notApplicable('no prompt has arguments and can be had without them');
    const { name, argument } = found;
    const probeClient = await harness.shared();
    await harness.works(probeClient, 'prompts/get', { name });
    const answer = await probeClient.request('prompts/get', { name, arguments: { [argument]: misfit } });
    const isServed = entriesOf(answer, 'messages').length > 0;
    return isServed ? breaks(answer, `${argument} was an object, and it was served`, `prompts/${name}`) : holds;
  },
};

/** Completes an argument of a listed prompt. */
async function completed(harness: Harness, { name, argument }: Named, value: unknown): Promise<RequestExchange> {
  const probeClient = await harness.shared();
  const params = { ref: { type: 'ref/prompt', name }, argument: { name: argument, value } };
  return await probeClient.request('completion/complete', params);
}

interface Named {
  readonly name: string;
  readonly argument: string;
}

const oddCompletion: ProbeRule = {
  id: 'compl-008',
  message: 'A completion value that is not a string is refused',
  fix: 'check that the value to complete is a text, and answer -32602 where it is none',
  needs: 'completions',
  async probe(harness) {
    const { prompts } = await harness.offer();
    for (const prompt of prompts) {
      const parts = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : [];
      const [name, argument] = [entryText(prompt, 'name'), entryText(parts[0], 'name')];
      if (name === undefined || argument === undefined) continue;
      const found = { name, argument };
      if (valuesOf(await completed(harness, found, '')) === 0) continue;
      const answer = await completed(harness, found, misfit);
      const count = valuesOf(answer);
      return count > 0 ? breaks(answer, `an object is completed by ${count} values`, `prompts/${name}`) : holds;
    }
    return notApplicable('no argument of a prompt has completions');
  },
};

/** Number of values of a completion. */
function valuesOf({ result }: RequestExchange): number {
  const completion = isObject(result?.['completion']) ? result['completion'] : {};
  return Array.isArray(completion['values']) ? completion['values'].length : 0;
}

/** Cursors that no server gave. */
const oddCursors: readonly unknown[] = [70_707, misfit, 'a'.repeat(5_000)];

const gracefully: ProbeRule = {
  id: 'page-006',
  apart: true,
  message: 'An invalid cursor does not make the server fail',
  fix: 'check the type and the size of a cursor before it is used, and answer -32602',
  async probe(harness) {
    const { capabilities } = await harness.offer();
    const field = ['tools', 'prompts', 'resources'].find((name) => isObject(capabilities[name]));
    if (field === undefined) return notApplicable('it lists nothing');
    // What ends by it is no conversation of others.
    const probeClient = await harness.fresh();
    try {
      await harness.works(probeClient, `${field}/list`);
      for (const cursor of oddCursors) {
        const answer = await probeClient.request(`${field}/list`, { cursor });
        const shown = JSON.stringify(cursor).slice(0, 40);
        if ((answer.status ?? 0) >= 500)
          return breaks(answer, `with the cursor ${shown} it gets HTTP ${answer.status}`);
        if (answer.response === undefined && !(await harness.serves(probeClient)))
          return breaks(answer, `after the cursor ${shown} it did not serve`);
      }
      return holds;
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Rules about inputs. */
export const inputRules: readonly ProbeRule[] = [noAddress, oddArguments, oddCompletion, gracefully];
