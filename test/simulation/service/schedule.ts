/** One schedule: the processes of a service, their clients, and all the trouble that a plan has. */

import type { FetchRequest } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import type { RevisionDate } from '../../../packages/parley/src/protocol/revision.ts';
import type { ServerOptions } from '../../../packages/parley/src/server.ts';
import { memoryStore } from '../../../packages/parley/src/storage/memory/store.ts';
import { inWorld } from '../globals.ts';
import { Process, World } from '../world.ts';
import { BridgeNode } from './bridged.ts';
import { callsIn } from './called.ts';
import { chance } from './chance.ts';
import { guestsOf, type Guest } from './guests.ts';
import { Happened } from './happened.ts';
import { Judge } from './judge.ts';
import { Network } from './network.ts';
import type { Reached } from './network-parts.ts';
import { Node, roundsOf, toolCount, type ServiceParts } from './node.ts';
import { Peace } from './peace.ts';
import { isKept, isSticky, isToldOnce, type Fault, type Plan } from './plan.ts';
import { littleRoom, SharedStore } from './shared-store.ts';
import { countedTimers } from './handling.ts';
import { stateOfFault, type State } from './states.ts';
import { Tokens } from './tokens.ts';
import { visit } from './visitor.ts';
import { warmUp, warmUpBehind } from './warm.ts';

/** What came of a schedule. */
export interface Outcome {
  readonly plan: Plan;
  readonly violations: readonly string[];
  readonly counts: Readonly<Judge['counts']>;
  /** What it came to. */
  readonly states: ReadonlySet<State>;
  readonly events: number;
  /** The same for the same course of events. */
  readonly digest: string;
  trace(most: number): string;
}

/** Runs a plan. */
export async function runPlan(plan: Plan): Promise<Outcome> {
  await (warm ??= warmUp(warming));
  if (plan.upstream !== undefined) await (warmBehind ??= warmUpBehind(warming));
  return await run(plan);
}

let warm: Promise<void> | undefined;

let warmBehind: Promise<void> | undefined;

const warming = async (plan: Plan): Promise<unknown> => await run(plan, true);

async function run(plan: Plan, loads = false): Promise<Outcome> {
  const world = new World(plan.seed);
  world.loads = loads;
  const judge = new Judge(world, isToldOnce(plan));
  await inWorld(world, async () => {
    const service = new Service(plan, world, judge);
    service.begin();
    try {
      await world.run();
      service.isLeft();
    } catch (error) {
      judge.violated(error instanceof Error ? error.message : String(error));
    }
  });
  judge.unfinished();
  judge.counts.events = world.events;
  const { violations, counts, states } = judge;
  return {
    plan,
    violations,
    counts,
    states,
    events: world.events,
    digest: world.digest(),
    trace: (most) => world.trace(most),
  };
}

class Service {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #judge: Judge;
  readonly #network: Network;
  readonly #parts: ServiceParts;
  readonly #nodes: (Node | BridgeNode | undefined)[];
  /** The server behind a bridge, and the way to it. */
  #upstream: Node | undefined;
  readonly #inner: Network;
  /** What several processes share. */
  readonly #store: SharedStore | undefined;
  /** What clients are known by. */
  readonly #tokens: Tokens | undefined;
  readonly #added: string[] = [];
  /** Who is there, and did not leave. */
  readonly #visitors = new Set<Process>();
  #news = 0;
  /** The processes that clients were sent to last. */
  readonly #stuck = new Map<string, Node | BridgeNode>();
  readonly #times: Happened;
  readonly #peace: Peace;
  #made = 0;

  constructor(plan: Plan, world: World, judge: Judge) {
    this.#plan = plan;
    this.#times = new Happened(world);
    this.#peace = new Peace(world, plan);
    this.#world = world;
    this.#judge = judge;
    this.#store = plan.nodes > 1 ? new SharedStore(world, plan, judge) : undefined;
    this.#tokens = plan.tokenMs === undefined ? undefined : new Tokens(world, plan.tokenMs);
    this.#nodes = Array.from({ length: plan.nodes }, () => undefined);
    this.#parts = {
      judge,
      added: this.#added,
      news: () => this.#news,
      service: plan.service,
      knowsClients: plan.knowsClients,
      tokens: this.#tokens,
      peace: this.#peace,
      optionsOf: (process) => ({
        onError: () => undefined,
        rounds: roundsOf(plan.service),
        ...(this.#store && { store: this.#store.of(process) }),
        ...(plan.nodes === 1 && plan.service === 'full store' && { store: memoryStore(littleRoom) }),
      }),
      wait: (key, place) => Math.floor(chance(plan.seed, 'wait', key, place) ** 3 * 4_000),
    };
    const common = {
      state: (name: State) => judge.state(name),
      writers: new Map<string, Process>(),
      asked: new Map(),
      cutsAlone: plan.cutsAlone,
      world,
      trouble: () => (world.now < plan.calmAt ? plan.trouble : 0),
      wrong: () => (world.now < plan.calmAt ? plan.wrong : 0),
      saidTwice: (words: string) => judge.violated(words),
      arrived: (process: Process, { method, body, headers }: FetchRequest) => {
        if (this.#tokens?.admits(process, headers['authorization']) !== false) this.#arrived(method, body);
      },
    };
    const isBridged = plan.upstream !== undefined;
    this.#inner = new Network({
      ...common,
      seed: plan.seed + 1,
      choose: () => this.#upstream,
      denied: () => this.#times.add('denied'),
      isOut: () => false,
      isUnreadable: () => false,
      endedEarly: () => undefined,
      notResumed: () => undefined,
    });
    this.#network = new Network({
      ...common,
      seed: plan.seed,
      choose: (client, flow) => this.#choose(client, flow),
      isUnreadable: () => plan.isUnreadable && world.now < plan.calmAt,
      isOut: () => plan.outAt !== undefined && world.now >= plan.outAt && world.now < plan.calmAt,
      endedEarly: (words) => {
        if (this.#peace.isUnbroken) judge.violated(words);
      },
      notResumed: (words) => {
        if (isKept(plan)) judge.violated(words);
      },
      overAt: (request) => this.#tokens?.overOf(request),
      outlived: (words) => judge.violated(words),
      // What is sent to be run is counted where it runs.
      arrived: (process, request) => void (isBridged || common.arrived(process, request)),
    });
  }

  begin(): void {
    const plan = this.#plan;
    if (plan.upstream !== undefined) this.#serveBehind(plan.upstream);
    for (let at = 0; at < plan.nodes; at++) this.#start(at, 0);
    for (const fault of plan.faults) this.#world.later(fault.at, undefined, () => this.#befall(fault));
    // Not all that went under then went under in plans of the first kind.
    if (plan.outAt !== undefined && !plan.isFirst)
      this.#world.later(plan.outAt, undefined, () => this.#network.broken());
    for (let at = 0; at < plan.clients; at++) {
      const process = new Process(`c${at}`);
      this.#visitors.add(process);
      const operations = plan.operations.filter(({ client }) => client === at);
      this.#world.later(1 + at, process, () => {
        this.#until(
          process,
          visit(process, operations, {
            world: this.#world,
            plan,
            judge: this.#judge,
            network: this.#network,
            tokens: this.#tokens,
            thinks: (question) => Math.floor(chance(plan.seed, 'thinks', question) ** 4 * 8_000),
            tools: (time) => toolCount + this.#times.until('tools', time),
            news: (time) => this.#times.until('news', time),
            peace: this.#peace,
            isDeniedBehind: () => this.#times.until('denied', Infinity) > 0,
          }),
        );
      });
    }
    for (const { at, name, be } of guestsOf(plan)) this.#invite(at, name, be);
  }

  #invite(at: number, name: string, be: Guest['be']): void {
    const process = new Process(name);
    this.#visitors.add(process);
    const { network, judge, tokens } = { network: this.#network, judge: this.#judge, tokens: this.#tokens };
    const stop = (node: number, ms: number): void => this.#befall({ at: 0, kind: 'stop', node, ms });
    const parts = { world: this.#world, plan: this.#plan, judge, network, tokens, change: () => this.#change(), stop };
    this.#world.later(at, process, () => this.#until(process, be(process, parts)));
  }

  /** Nothing happens any more: nobody waits for something that never comes. */
  isLeft(): void {
    for (const { name } of this.#visitors) this.#judge.violated(`${name} never leaves`);
  }

  /** Lets a client be, until it leaves. */
  #until(process: Process, visiting: Promise<void>): void {
    visiting.then(
      () => this.#left(process),
      (error: unknown) => {
        this.#judge.violated(`${process.name} fails: ${error instanceof Error ? error.stack : String(error)}`);
        this.#left(process);
      },
    );
  }

  #serveBehind(revision: RevisionDate): void {
    const process = new Process('u');
    // What its bridges share is none of its own, and its one client is a bridge.
    const optionsOf = (own: Process): ServerOptions => {
      const { store: _, ...options } = this.#parts.optionsOf(own);
      return { ...options, revisions: [revision] };
    };
    const parts = { ...this.#parts, optionsOf, knowsClients: false, tokens: undefined };
    this.#world.later(0, process, () => (this.#upstream = new Node(process, parts)));
  }

  #serving(process: Process): Node | BridgeNode {
    if (this.#plan.upstream === undefined) return new Node(process, this.#parts);
    const { knowsClients, seed } = this.#plan;
    return new BridgeNode(process, {
      fetch: this.#inner.fetchOf(process),
      store: this.#store?.of(process),
      knowsClients,
      seed,
    });
  }

  #start(at: number, delayMs: number): void {
    const process = new Process(`n${at}.${this.#made++}`);
    this.#judge.counts.processes++;
    this.#world.later(delayMs, process, () => {
      this.#world.note(`${process.name} listens`);
      this.#nodes[at] = this.#serving(process);
    });
  }

  #choose(client: string, flow: number): Reached | undefined {
    const up = this.#nodes.filter((node) => node !== undefined).filter((node) => node.process.alive && !node.draining);
    // A bridge that does not reach its server yet is not sent anything, as long as another one does.
    const ready = up.filter(({ handler }) => handler !== undefined);
    const all = ready.length > 0 ? ready : up;
    const kept = isSticky(this.#plan) ? this.#stuck.get(client) : undefined;
    if (kept !== undefined && all.includes(kept)) return kept;
    const chosen = all[Math.floor(chance(this.#plan.seed, 'node', client, flow) * all.length)];
    if (chosen !== undefined) this.#stuck.set(client, chosen);
    return chosen;
  }

  #arrived(method: string, body: string | undefined): void {
    for (const call of callsIn(method, body)) this.#judge.posted(call);
  }

  #befall({ kind, node: at, ms }: Fault): void {
    const state = stateOfFault.get(kind);
    if (state !== undefined) this.#judge.state(state);
    const node = this.#nodes[at];
    if (kind === 'change') return this.#change();
    if (kind === 'news') return this.#tellNews();
    if (kind === 'take back') return this.#takeBack();
    if (kind === 'garble') return this.#store?.garble();
    if (kind === 'spoil') return this.#store?.spoil();
    if (kind === 'falter') return this.#store?.falter(ms);
    if (kind === 'empty') return this.#store?.empty();
    if (kind === 'take over') return this.#store?.takeOver();
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
    this.#broken(node.process);
    this.#nodes[at] = undefined;
    this.#start(at, ms);
  }

  /** A process makes room for another, which listens before or after. */
  #drain(at: number, node: Node | BridgeNode, ms: number): void {
    this.#nodes[at] = undefined;
    this.#start(at, ms % 3 === 0 ? 0 : ms);
    this.#world.later(0, node.process, () => {
      this.#world.note(`${node.process.name} drains`);
      void node.close(5_000).then(() => this.#gone(node.process, node));
    });
  }

  #gone(process: Process, node?: Node | BridgeNode): void {
    this.#checkTimers(process);
    if (node instanceof Node && (node.told.sessions !== 0 || node.told.streams !== 0))
      this.#judge.violated(`${process.name} ended and said that it has ${JSON.stringify(node.told)}`);
    this.#world.kill(process);
    this.#broken(process);
  }

  /** Nothing of a process is heard of any more. */
  #broken(process: Process): void {
    this.#network.gone(process);
    this.#inner.gone(process);
    this.#store?.gone(process);
  }

  #change(): void {
    const name = `added${this.#added.length}`;
    this.#added.push(name);
    this.#times.add('tools');
    this.#judge.counts.changes++;
    for (const node of [...this.#nodes, this.#upstream])
      if (node instanceof Node) this.#world.later(0, node.process, () => node.change(name));
  }

  #takeBack(): void {
    const tokens = this.#tokens;
    tokens?.takeBack();
    for (const node of this.#nodes)
      if (tokens !== undefined && node instanceof Node)
        this.#world.later(0, node.process, () => {
          node.takesBack(tokens.clients());
          tokens.heard(node.process);
        });
  }

  #tellNews(): void {
    this.#news++;
    this.#times.add('news');
    this.#judge.counts.changes++;
    for (const node of [...this.#nodes, this.#upstream])
      if (node instanceof Node) this.#world.later(0, node.process, () => node.hasNews());
  }

  #checkTimers({ name, timers }: Process): void {
    if (countedTimers(timers) > 0) this.#judge.violated(`${name} has ${countedTimers(timers)} timers left`);
  }

  #left(client: Process): void {
    // What a client does in the turns after its end is over then.
    this.#world.later(5_000, client, () => {
      this.#checkTimers(client);
      this.#visitors.delete(client);
      if (this.#visitors.size > 0) return;
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
          this.#gone(node.process, node);
          if (--left === 0) this.#endBehind();
        });
      });
    }
    if (left === 0) this.#endBehind();
  }

  #endBehind(): void {
    const behind = this.#upstream;
    if (behind === undefined) return this.#world.end();
    // What the bridge says in the turns after its end arrives before.
    this.#world.later(60_000, behind.process, () => {
      void behind.close(5_000).then(() => {
        this.#gone(behind.process, behind);
        this.#world.end();
      });
    });
  }
}
