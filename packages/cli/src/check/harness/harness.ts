import type { ClientCapabilities } from '../../../../parley/src/protocol/capability.ts';
import type { Implementation } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import { projectClientCapabilities } from '../../../../parley/src/protocol/compile/capabilities.ts';
import { NotAllowed, NotJudged } from './verdict.ts';
import { callable, type AllowedCall, type CallableTool, type UncalledTool } from './allowed.ts';
import { callEach, numberedToken, type MadeCall } from './calls.ts';
import { excerptOfText } from '../texts/excerpt.ts';
import { inFront, mostBytes, type RawExchange } from './exchange.ts';
import type { RawHttp, RawRequest } from './http.ts';
import type { Budget } from './limits.ts';
import { rawLines, type RawLines, type StartedBy } from './lines.ts';
import { rawPair } from './pair.ts';
import { KnownServer } from './known.ts';
import { listOf, listOffer, type ServerOffer } from './offer.ts';
import type { AnswerWaits } from './waits/answer-waits.ts';
import type { Suspects } from './suspects.ts';
import { ProbeClient, type ProbeMessage, type RequestExchange, type Conventions, type Road } from './probe-client.ts';

/** Way to the checked server. */
export type ServerAccess =
  | { readonly over: 'http'; readonly http: RawHttp }
  /** Of processes, one may have been started already, for the first conversation. */
  | { readonly over: 'stdio'; readonly start: StartedBy; readonly started?: RawLines[] };

/** Parts that the benches of one run share. */
export interface Ground {
  readonly info: Implementation;
  readonly way: ServerAccess;
  readonly budget: Budget;
  /** Longest wait for an answer, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** Longest wait for the first answer of a conversation, in milliseconds. */
  readonly openMs: number;
  /** Time of silence that is taken for "nothing comes", in milliseconds. */
  readonly quietMs: number;
  /** Waits for a process; left out where each wait is in full. */
  readonly silence?: AnswerWaits;
  /** Tools that may be called. */
  readonly calls: readonly AllowedCall[];
  /** Messages that the server may have died of. */
  readonly suspects: Suspects;
  heard(exchange: RawExchange, about: ProbeMessage): void;
  /** Hears what was sent and is no message. */
  told(exchange: RawExchange, revision: Revision): void;
  /** Hears the lines that a process said unasked, and those of them that answer what was answered before. */
  unasked(lines: readonly string[], revision: Revision, again: readonly string[]): void;
  /** Hears the name of an allowed tool that is called though it is not listed. */
  calledAnyway(name: string): void;
}

/** A name that no server gives to anything. */
export const nobody = 'parley-check-zkqvwxjhfbtnmdrlsgpc';

/** Capabilities of a client that can be asked for everything. */
export const obliging: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Means by which probes speak to a server in one revision. */
export class Harness {
  readonly revision: Revision;
  /** The revisions that the server speaks, oldest first; known before the first probe. */
  spoken: readonly Revision[] = [];
  /** Tools that say in any revision that they destroy; known before the first probe. */
  destructive: ReadonlySet<unknown> = new Set();
  readonly #ground: Ground;
  readonly #open = new Set<ProbeClient>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;
  #isPair = false;
  #shared: Promise<ProbeClient> | undefined;
  #asked: Promise<ProbeClient> | undefined;
  readonly #known: KnownServer;
  readonly #siblings: Harness[] = [];

  constructor(revision: Revision, ground: Ground, known: KnownServer = new KnownServer()) {
    this.revision = revision;
    this.#ground = ground;
    this.#known = known;
  }

  /** Time of each answer in milliseconds, if the server is too slow for requests in sequence; otherwise 0. */
  get slowMs(): number {
    return this.#known.slowMs;
  }

  /** Takes the server for one each of whose answers takes so many milliseconds. */
  takeTime(ms: number): void {
    this.#known.slowMs = ms;
  }

  /** Makes a bench that has conversations of its own, and knows what this one does; it waits for answers for `waitTimeoutMs`, and is closed with it. */
  sibling(waitTimeoutMs: number = this.waitTimeoutMs): Harness {
    const { silence: _short, ...ground } = this.#ground;
    // Another time is meant as it is.
    const isSame = waitTimeoutMs === this.waitTimeoutMs;
    const one = new Harness(this.revision, isSame ? this.#ground : { ...ground, waitTimeoutMs }, this.#known);
    Object.assign(one, { spoken: this.spoken, destructive: this.destructive });
    one.#isPair = this.#isPair;
    one.#isClosed = this.#isClosed;
    this.#siblings.push(one);
    return one;
  }

  get over(): Road['over'] {
    return this.#isPair ? 'sse' : this.#ground.way.over;
  }

  /** Speaks by HTTP+SSE from now on, as far as the revision knows it. */
  usePair(): void {
    this.#isPair = true;
  }

  get waitTimeoutMs(): number {
    return this.#ground.waitTimeoutMs;
  }

  /** Longest wait for the first answer of a conversation, before which a process may have much to load, in milliseconds. */
  get coldMs(): number {
    const { silence, way } = this.#ground;
    return way.over === 'stdio' && silence !== undefined ? silence.openMs : 30_000;
  }

  get suspects(): Suspects {
    return this.#ground.suspects;
  }

  /** Silence that counts as "no message comes", in milliseconds, including the server's delay. */
  get quietMs(): number {
    return this.#ground.quietMs + this.#known.slowMs;
  }

  /** HTTP below what a speaker sends. @throws NotJudged where there is none. */
  get http(): RawHttp {
    const { way } = this.#ground;
    if (way.over === 'stdio') throw new NotJudged('there is no HTTP');
    return way.http;
  }

  /**
   * Gets a page of the server without credentials. It is not an MCP message, so message rules ignore it.
   *
   * @throws NotJudged if there is no HTTP.
   */
  async page(path: string): Promise<RawExchange> {
    const { budget, waitTimeoutMs, told } = this.#ground;
    const { http } = this;
    await budget.message();
    const headers = { accept: 'application/json' };
    const exchange = await http.send({ method: 'GET', headers, path, as: 'nobody', waitTimeoutMs });
    told(exchange, this.revision);
    return exchange;
  }

  /**
   * Asks as a stranger, who shows nothing that the user gave, be it a header or the query of the address; no rule about messages looks at
   * what comes.
   *
   * @param at Address of the machine that it goes to, where that is another than its host says.
   */
  async stranger(request: Pick<RawRequest, 'method' | 'headers' | 'body'>, at?: string): Promise<RawExchange> {
    const { budget, told } = this.#ground;
    const { http, quietMs } = this;
    await budget.message();
    const place = { path: http.url.pathname, ...(at !== undefined && { at }) };
    const exchange = await http.send({ ...request, ...place, as: 'stranger', waitTimeoutMs: 3 * quietMs });
    told(exchange, this.revision);
    return exchange;
  }

  /** The conversation that harmless probes have in common; a new one where the process or the session of the last has ended. */
  async shared(): Promise<ProbeClient> {
    const probeClient = await this.#shared?.catch(() => undefined);
    if (probeClient !== undefined && isAlive(probeClient)) return probeClient;
    this.#shared = this.fresh();
    return await this.#shared;
  }

  /** Takes a conversation that was opened for the one that probes share. */
  adopt(probeClient: ProbeClient): void {
    this.#shared = Promise.resolve(probeClient);
  }

  /**
   * Opens a conversation for one probe; it ends with the run at the latest.
   *
   * @throws NotJudged when the server does not open one.
   */
  async fresh(capabilities: ClientCapabilities = {}): Promise<ProbeClient> {
    const probeClient = await this.unopened(capabilities);
    if (!(await probeClient.open()))
      throw new NotJudged(`it opened no conversation: ${excerptOf(probeClient.opening)}`);
    return probeClient;
  }

  /** Makes a conversation that is not opened. */
  async unopened(capabilities: ClientCapabilities = {}): Promise<ProbeClient> {
    const { info, budget, waitTimeoutMs, openMs, quietMs: least, heard, calls, silence, way } = this.#ground;
    const quietMs = this.slowMs > 0 ? Math.max(least, waitTimeoutMs / 10) : least;
    const probeClient = new ProbeClient({
      info,
      revision: this.revision,
      road: await this.#road(),
      capabilities: projectClientCapabilities(this.revision, capabilities),
      waitTimeoutMs,
      openMs: way.over === 'stdio' ? this.coldMs : openMs,
      quietMs,
      ...(silence && { silence }),
      exchanged: heard,
      room: () => budget.message(),
      mayCall: (name) => name === nobody || calls.some((call) => call.name === name),
    });
    this.#open.add(probeClient);
    // What goes on while a run is cut short opens nothing more.
    if (this.#isClosed) {
      await this.end(probeClient);
      throw new NotJudged('the run is over');
    }
    return probeClient;
  }

  /** Ends a conversation that a probe had for itself. */
  async end(probeClient: ProbeClient): Promise<void> {
    if (!this.#open.delete(probeClient)) return;
    const ending = this.#ended(probeClient);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
    // A process may take its time to end. Only the whole run waits for that.
    if (probeClient.lines === undefined) await ending;
  }

  async #ended(probeClient: ProbeClient): Promise<void> {
    await probeClient.close();
    const { lines } = probeClient;
    if (lines !== undefined) this.#ground.unasked(lines.unasked, this.revision, probeClient.answersAgain());
  }

  /** Offer of the server, listed once. */
  async offer(): Promise<ServerOffer> {
    const offer = (this.#known.offer ??= this.shared().then(listOffer));
    try {
      return await offer;
    } catch (error) {
      // The next who asks may be answered.
      if (this.#known.offer === offer && this.#known.mayAgain()) this.#known.offer = undefined;
      throw error;
    }
  }

  calledAnyway(name: string): void {
    this.#ground.calledAnyway(name);
  }

  /** Allowed tools, those that can be called in this revision with their arguments. */
  async allowed(): Promise<readonly (CallableTool | UncalledTool)[]> {
    const { calls } = this.#ground;
    if (calls.length === 0) return [];
    const allowed = (this.#known.allowed ??= this.#listed(calls));
    return await this.#known.unlessLost(allowed, () => void (this.#known.allowed = undefined));
  }

  /**
   * Tools that can be called.
   *
   * @throws NotAllowed where none may be, NotJudged where none can be.
   */
  async callables(): Promise<readonly CallableTool[]> {
    const all = await this.allowed();
    const tools = all.filter((one): one is CallableTool => 'args' in one);
    if (tools.length > 0) return tools;
    if (all.length === 0) throw new NotAllowed('it needs a tool to be called: --calls <name>');
    throw new NotJudged(all.map((one) => `${one.name}: ${'why' in one ? one.why : ''}`).join('; '));
  }

  /** Each tool that can be called, called once for all rules: by a client that declares nothing, and by one that can be asked. @throws NotJudged where there is none. */
  async made(who: 'mute' | 'obliging'): Promise<readonly MadeCall[]> {
    const tools = await this.callables();
    const { tools: listed } = await this.offer();
    const isListed = ({ name }: CallableTool): boolean => listed.some((tool) => tool['name'] === name);
    const shared = who === 'mute' ? await this.shared() : undefined;
    const made = (this.#known.made[who] ??=
      shared === undefined
        ? this.asked((probeClient) => callEach(probeClient, tools, numberedToken))
        : callEach(shared, tools.filter(isListed)));
    return await this.#known.unlessLost(made, () => delete this.#known.made[who]);
  }

  /** Runs an action once for all rules that use its outcome. @param key Name of the action. */
  async kept<T>(key: string, act: () => Promise<T>): Promise<T> {
    const known = this.#known.kept.get(key);
    // The same key means the same action.
    if (known !== undefined) return (await known) as T;
    const doing = act();
    this.#known.kept.set(key, doing);
    return await this.#known.unlessLost(doing, () => this.#known.kept.delete(key));
  }

  /** Forgets all cached outcomes, so that findings are checked again. */
  forget(): void {
    this.#known.forget();
  }

  /** Does something in the conversation of a client that can be asked. */
  async asked<T>(act: (probeClient: ProbeClient) => Promise<T>): Promise<T> {
    const probeClient = await this.#asked?.catch(() => undefined);
    if (probeClient !== undefined && isAlive(probeClient)) return await act(probeClient);
    this.#asked = this.fresh(obliging);
    return await act(await this.#asked);
  }

  /** Some servers list a tool that asks only to clients that can be asked. */
  async #listed(calls: readonly AllowedCall[]): Promise<readonly (CallableTool | UncalledTool)[]> {
    return await this.asked(async (probeClient) => callable(calls, await listOffer(probeClient), this.destructive));
  }

  /**
   * Sends a right request first, which must work before a wrong one says anything.
   *
   * @throws NotJudged when it does not.
   */
  async works(
    probeClient: ProbeClient,
    method: string,
    params?: Readonly<Record<string, unknown>>,
    conventions?: Conventions,
  ): Promise<RequestExchange> {
    const isPlain = method === this.harmless && params === undefined && conventions === undefined;
    const answer = await probeClient.request(method, params, conventions);
    if (isPlain && answer.result !== undefined) this.#known.served.add(probeClient);
    if (answer.result !== undefined) return answer;
    if (method === this.#own) {
      // A fault of one request hides no others.
      this.#known.stands = await this.#inPlace(probeClient);
      if (this.#known.stands !== undefined)
        return await this.works(probeClient, this.#known.stands, params, conventions);
    }
    throw new NotJudged(`a right ${method} gave no result: ${excerptOf(answer)}`);
  }

  /**
   * Sees that a right request works, whatever is answered: where answers are slow, one that worked in the conversation is enough.
   *
   * @throws NotJudged when it does not.
   */
  async ready(probeClient: ProbeClient, method: string = this.harmless): Promise<void> {
    const isKnown = this.slowMs > 0 && method === this.harmless && this.#known.served.has(probeClient);
    if (!isKnown) await this.works(probeClient, method);
  }

  /** A request that stands for its own one, looked for once; `undefined` where there is none. */
  async #inPlace(probeClient: ProbeClient): Promise<string | undefined> {
    const another = (this.#known.another ??= listOf(probeClient));
    try {
      return await another;
    } catch (error) {
      // The next who asks may be answered.
      if (this.#known.another === another && this.#known.mayAgain()) this.#known.another = undefined;
      throw error;
    }
  }

  /** Tells whether the server serves on. @throws NotJudged where something in front of it answers. */
  async serves(probeClient: ProbeClient): Promise<boolean> {
    const first = await probeClient.request(this.harmless);
    // Who refuses a body unread closes its connection, and the next request may meet that.
    const isBroken = this.over === 'http' && first.status === undefined;
    const answer = isBroken ? await probeClient.request(this.harmless) : first;
    const front = answer.status === undefined ? undefined : inFront(answer);
    if (front !== undefined) throw new NotJudged(front);
    return answer.result !== undefined;
  }

  /** A request that every server of the revision answers with a result, and that changes nothing. */
  get harmless(): string {
    return this.#known.stands ?? this.#own;
  }

  get #own(): 'server/discover' | 'ping' {
    return this.revision.clientDescribed === 'each-request' ? 'server/discover' : 'ping';
  }

  /** Ends all conversations. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#siblings.map((one) => one.close()));
    await Promise.all([...this.#open].map((probeClient) => this.end(probeClient)));
    await Promise.all(this.#ending);
  }

  async #road(): Promise<Road> {
    const { way, budget, waitTimeoutMs } = this.#ground;
    if (way.over === 'http' && !this.#isPair) return way;
    if (way.over === 'http') {
      await budget.message();
      return { over: 'sse', lines: await rawPair(way.http, waitTimeoutMs) };
    }
    budget.child();
    return { over: 'stdio', lines: way.started?.pop() ?? (await rawLines(way.start)) };
  }
}

function isAlive({ lines, isLost }: ProbeClient): boolean {
  return lines?.ended === undefined && !isLost;
}

/** Answer that came, in a few words. */
export function excerptOf(exchange: RawExchange | undefined): string {
  if (exchange === undefined) return 'nothing was sent';
  const { status, text, end, reason } = exchange;
  const said = excerptOfText(text);
  const http = status === undefined ? '' : `HTTP ${status} `;
  if (said !== '') return `${http}${said}`;
  if (end === 'limit') return `${http}with more than ${mostBytes / 1024 ** 2} MiB, of which no more is read`;
  if (reason !== undefined) return `${http}${reason}`;
  return end === 'silent' ? `${http}silence` : `${http}nothing`;
}
