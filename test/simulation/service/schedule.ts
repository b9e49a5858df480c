/** One schedule: the processes of a service, their clients, and all the trouble that a plan has. */

import { revisions } from '../../../src/protocol/revision.ts';
import { inWorld } from '../globals.ts';
import { Process, World } from '../world.ts';
import { chance } from './chance.ts';
import { Judge } from './judge.ts';
import { Network, type Reached } from './network.ts';
import { Node, type ServiceParts } from './node.ts';
import { calmPlan, isPeaceful, type Fault, type Plan } from './plan.ts';
import { SharedStore } from './shared-store.ts';
import { visit } from './visitor.ts';

/** What came of a schedule. */
export interface Outcome {
  readonly plan: Plan;
  readonly violations: readonly string[];
  readonly counts: Readonly<Judge['counts']>;
  readonly events: number;
  /** The same for the same course of events. */
  readonly digest: string;
  trace(most: number): string;
}

/** Runs a plan. */
export async function runPlan(plan: Plan): Promise<Outcome> {
  await (warm ??= warmUp());
  return await run(plan);
}

let warm: Promise<void> | undefined;

/** Has everything loaded that is loaded when it is needed first: that takes real time, which no world has. */
async function warmUp(): Promise<void> {
  for (const nodes of [1, 2]) for (const { date } of revisions) await run(calmPlan(date, nodes), 3);
}

async function run(plan: Plan, patienceMs = 0): Promise<Outcome> {
  const world = new World(plan.seed);
  world.patienceMs = patienceMs;
  const judge = new Judge(world);
  await inWorld(world, async () => {
    new Service(plan, world, judge).begin();
    try {
      await world.run();
    } catch (error) {
      judge.violated(error instanceof Error ? error.message : String(error));
    }
  });
  judge.unfinished();
  judge.counts.events = world.events;
  const { violations, counts } = judge;
  return { plan, violations, counts, events: world.events, digest: world.digest(), trace: (most) => world.trace(most) };
}

class Service {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #judge: Judge;
  readonly #network: Network;
  readonly #parts: ServiceParts;
  readonly #nodes: (Node | undefined)[];
  /** What several processes share. */
  readonly #store: SharedStore | undefined;
  readonly #added: string[] = [];
  #visitors = 0;
  #made = 0;

  constructor(plan: Plan, world: World, judge: Judge) {
    this.#plan = plan;
    this.#world = world;
    this.#judge = judge;
    this.#store = plan.nodes > 1 ? new SharedStore(world, plan.seed) : undefined;
    this.#nodes = Array.from({ length: plan.nodes }, () => undefined);
    this.#parts = {
      judge,
      added: this.#added,
      peaceful: isPeaceful(plan),
      optionsOf: (process) => ({
        onError: () => undefined,
        rounds: { keys: [new Uint8Array(32).fill(7)] },
        ...(this.#store && { store: this.#store.of(process) }),
      }),
      wait: (key, place) => Math.floor(chance(plan.seed, 'wait', key, place) ** 3 * 4_000),
    };
    this.#network = new Network({
      seed: plan.seed,
      cutsAlone: plan.cutsAlone,
      world,
      choose: (client, flow) => this.#choose(client, flow),
      trouble: () => (world.now < plan.calmAt ? plan.trouble : 0),
      arrived: (_, { method, body }) => this.#arrived(method, body),
    });
  }

  begin(): void {
    const { plan } = { plan: this.#plan };
    for (let at = 0; at < plan.nodes; at++) this.#start(at, 0);
    for (const fault of plan.faults) this.#world.later(fault.at, undefined, () => this.#befall(fault));
    for (let at = 0; at < plan.clients; at++) {
      const process = new Process(`c${at}`);
      this.#visitors++;
      const operations = plan.operations.filter(({ client }) => client === at);
      this.#world.later(1 + at, process, () => {
        visit(process, operations, {
          world: this.#world,
          plan,
          judge: this.#judge,
          network: this.#network,
          thinks: (question) => Math.floor(chance(plan.seed, 'thinks', question) ** 4 * 8_000),
          tools: () => this.#tools(),
        }).then(
          () => this.#left(process),
          (error: unknown) => {
            this.#judge.violated(`${process.name} fails: ${error instanceof Error ? error.stack : String(error)}`);
            this.#left(process);
          },
        );
      });
    }
  }

  #tools(): number {
    return 5 + this.#added.length;
  }

  #start(at: number, delayMs: number): void {
    const process = new Process(`n${at}.${this.#made++}`);
    this.#judge.counts.processes++;
    this.#world.later(delayMs, process, () => {
      this.#world.note(`${process.name} listens`);
      this.#nodes[at] = new Node(process, this.#parts);
    });
  }

  #choose(client: string, flow: number): Reached | undefined {
    const up = this.#nodes.filter((node) => node !== undefined && node.process.alive && !node.draining) as Node[];
    return up[Math.floor(chance(this.#plan.seed, 'node', client, flow) * up.length)];
  }

  #arrived(method: string, body: string | undefined): void {
    if (method !== 'POST' || body === undefined) return;
    const { method: called, params } = JSON.parse(body) as {
      method?: string;
      params?: { name?: string; arguments?: { key?: number } };
    };
    if (called === 'tools/call') this.#judge.posted(`${params?.name} ${params?.arguments?.key}`);
  }

  #befall({ kind, node: at, ms }: Fault): void {
    const node = this.#nodes[at];
    if (kind === 'change') return this.#change();
    if (kind === 'store away') return this.#store?.away(ms);
    if (node === undefined || !node.process.alive) return;
    if (kind === 'deaf') return this.#store?.deafen(node.process, ms);
    if (kind === 'stop') return this.#world.stop(node.process, ms);
    if (kind === 'clock') {
      node.process.clockOffset += ms;
      return this.#world.note(`the clock of ${node.process.name} is ahead by ${ms} ms`);
    }
    if (kind === 'drain') return this.#drain(at, node, ms);
    this.#world.kill(node.process);
    this.#network.gone(node.process);
    this.#store?.gone(node.process);
    this.#nodes[at] = undefined;
    this.#start(at, ms);
  }

  /** A process makes room for another, which listens before or after. */
  #drain(at: number, node: Node, ms: number): void {
    this.#nodes[at] = undefined;
    this.#start(at, ms % 3 === 0 ? 0 : ms);
    this.#world.later(0, node.process, () => {
      this.#world.note(`${node.process.name} drains`);
      void node.close(5_000).then(() => this.#gone(node.process));
    });
  }

  #gone(process: Process): void {
    this.#checkTimers(process);
    this.#world.kill(process);
    this.#network.gone(process);
    this.#store?.gone(process);
  }

  #change(): void {
    const name = `added${this.#added.length}`;
    this.#added.push(name);
    this.#judge.counts.changes++;
    for (const node of this.#nodes) if (node !== undefined) this.#world.later(0, node.process, () => node.change(name));
  }

  #checkTimers({ name, timers }: Process): void {
    if (timers.size > 0) this.#judge.violated(`${name} has ${timers.size} timers left`);
  }

  #left(client: Process): void {
    // What a client does in the turns after its end is over then.
    this.#world.later(5_000, client, () => {
      this.#checkTimers(client);
      if (--this.#visitors > 0) return;
      this.#end();
    });
  }

  #end(): void {
    let left = 0;
    for (const node of this.#nodes) {
      if (node === undefined || !node.process.alive) continue;
      left++;
      this.#world.later(0, node.process, () => {
        void node.close(5_000).then(() => {
          this.#gone(node.process);
          if (--left === 0) this.#world.end();
        });
      });
    }
    if (left === 0) this.#world.end();
  }
}
