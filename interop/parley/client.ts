/** Our client as one of the programs: does what a plan says, and tells what came of each step. */

import { connect, McpError, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import type { Transport } from '../../packages/parley/src/protocol.ts';
import type { Assignment, Call, Outcome, Step } from '../harness/step.ts';
import { heardInMs, stepMs } from '../harness/times.ts';

/** Runs a plan in this process, at one of the revisions if any are named. */
export async function runParley(
  { steps }: Pick<Assignment, 'steps'>,
  { transport, revisions }: { readonly transport: Transport; readonly revisions: readonly string[] | undefined },
  tell: (outcome: Outcome) => void,
): Promise<void> {
  const heard: string[] = [];
  const report = async (step: string, doing: () => Promise<unknown>): Promise<boolean> => {
    const came = await outcomeOf(doing);
    tell({ step, ...came, heard: heard.splice(0) });
    return 'result' in came;
  };
  let client: Client | undefined;
  const opened = await report('connect', async () => {
    client = await connect(transport, optionsFor(heard, revisions));
    return { revision: client.revision };
  });
  if (!opened || client === undefined) return;
  const exercise = new Exercise(client, heard);
  for (const step of steps) await report(step.id, () => exercise.do(step));
  await client.close();
}

function optionsFor(heard: string[], revisions: readonly string[] | undefined): ConnectOptions {
  return {
    ...(revisions === undefined ? {} : { revisions }),
    onElicit: () => {
      heard.push('asked elicitation');
      return { action: 'accept', content: { name: 'Ann' } };
    },
    onSample: () => {
      heard.push('asked sampling');
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'well met' } };
    },
    roots: () => {
      heard.push('asked roots');
      return [{ uri: 'file:///home/ann', name: 'home' }];
    },
    onLog: ({ level, data }) => heard.push(`log ${level} ${String(data)}`),
    onWarning: () => undefined,
  };
}

async function outcomeOf(doing: () => Promise<unknown>): Promise<Omit<Outcome, 'step'>> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('nothing came in time')), stepMs);
    });
    return { result: await Promise.race([doing(), late]) };
  } catch (error) {
    if (error instanceof McpError) return { error: { code: error.code, message: error.message } };
    return { failed: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

class Exercise {
  readonly #client: Client;
  readonly #heard: string[];

  constructor(client: Client, heard: string[]) {
    this.#client = client;
    this.#heard = heard;
  }

  async do(step: Step): Promise<unknown> {
    const client = this.#client;
    switch (step.do) {
      case 'ping':
        return (await client.ping(), {});
      case 'list':
        return await this.#list(step.what);
      case 'call':
        return await this.#call(step);
      case 'read':
        return await client.readResource(step.uri);
      case 'prompt':
        return await client.getPrompt(step.name, step.arguments);
      case 'complete': {
        const ref = { type: 'ref/prompt', name: step.prompt } as const;
        return (await client.complete(ref, { name: step.argument, value: step.value })).completion.values;
      }
      case 'watch':
        return await this.#watch(step.uri);
      case 'together':
        return await Promise.all(step.calls.map(({ name, arguments: given }) => client.callTool(name, given)));
      case 'close':
        return (await client.close(), {});
    }
  }

  async #list(what: 'tools' | 'prompts' | 'resources' | 'templates'): Promise<readonly string[]> {
    if (what === 'tools') return (await this.#client.listTools()).map(({ name }) => name);
    if (what === 'prompts') return (await this.#client.listPrompts()).map(({ name }) => name);
    if (what === 'resources') return (await this.#client.listResources()).map(({ uri }) => uri);
    return (await this.#client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate);
  }

  async #call(step: Call): Promise<unknown> {
    const giveUp = new AbortController();
    if (step.level !== undefined) await this.#client.setLogLevel(step.level);
    const onProgress = ({ progress, total }: { readonly progress: number; readonly total?: number }): void => {
      this.#heard.push(`progress ${progress}${total === undefined ? '' : `/${total}`}`);
      if (step.cancel) giveUp.abort();
    };
    try {
      const result = await this.#client.callTool(step.name, step.arguments, {
        signal: giveUp.signal,
        ...(step.progress ? { onProgress } : {}),
      });
      await this.#until(step.until ?? []);
      return result;
    } catch (error) {
      if (giveUp.signal.aborted) throw new Error('cancelled', { cause: error });
      throw error;
    }
  }

  async #watch(uri: string): Promise<object> {
    await this.#client.subscribe({ tools: true, updates: [uri] }, (event) => {
      if (event.type === 'list') this.#heard.push(event.list);
      if (event.type === 'update') this.#heard.push(`updated ${event.uri}`);
    });
    return {};
  }

  /** Waits until all of it was heard, in whatever order. */
  async #until(words: readonly string[]): Promise<void> {
    const missing = (): boolean => words.some((word) => !this.#heard.includes(word));
    for (let waited = 0; waited < heardInMs && missing(); waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
