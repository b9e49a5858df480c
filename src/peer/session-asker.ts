import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { maySend, methodOf } from '../protocol/method.ts';
import { toWire } from '../protocol/to-wire.ts';
import { Once, type Ask, type Asker } from './ask.ts';
import type { Call } from './call.ts';
import { demand } from './demand.ts';
import type { Outgoing } from './outgoing.ts';

/** How often a question is put before an answer that does not fit is the end of it. */
const attempts = 3;

/** Asks as the handshake revisions do: by requests to the client while the call waits. */
export class SessionAsker implements Asker {
  readonly #call: Call;
  readonly #outgoing: Outgoing;
  readonly #timeoutMs: number;
  readonly #once = new Once();

  constructor(call: Call, outgoing: Outgoing, timeoutMs: number) {
    this.#call = call;
    this.#outgoing = outgoing;
    this.#timeoutMs = timeoutMs;
  }

  async ask<T>({ method, params, accept }: Ask<T>): Promise<T> {
    const { facts, client } = this.#call;
    const row = methodOf(method);
    if (row?.params === undefined || row.result === undefined || !maySend('server', row, facts)) {
      throw new McpError(
        'missingRequiredClientCapability',
        `${method} does not exist in ${facts.date}, the revision of this client`,
      );
    }
    demand(method, params, facts, client.capabilities);
    // The method's own rows are the types of its parameters and result.
    const wire = toWire(facts, row.params, params as never);
    let problem = '';
    for (let attempt = 0; attempt < attempts; attempt++) {
      const answer = fromWire(
        facts,
        row.result,
        await this.#outgoing.request(method, wire, this.#call, this.#timeoutMs),
      );
      const accepted = await accept(answer as never);
      if (accepted.problem === undefined) return accepted.value;
      problem = accepted.problem;
    }
    throw new McpError('invalidParams', `the client's answer to ${method} does not fit: ${problem}`);
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    return this.#once.run(key, run);
  }
}
