import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { InputContext } from '../../../../parley/src/client/api/input-handlers.ts';
import type { LoggingLevel } from '../../../../parley/src/protocol/features/logging-level.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import { dots } from '../../recorder/secrets.ts';
import { VerbError } from '../http/body.ts';
import { clientCapabilities } from '../view.ts';
import type { ClientCapability, ListName, ListsView, LossesView, RootView, ServerView, SilenceView } from '../view.ts';
import { adviceOn, wantsPerson } from './advice.ts';
import { auto, declaringOptions, plannedOptions } from './connect-options.ts';
import { askingHandlers } from './handlers.ts';
import { newsIn, noLists, ServerLists } from './lists.ts';
import { lossesOf } from './losses.ts';
import { ServerRecorder } from './recorder.ts';
import type { PersonsCalls } from './calls.ts';
import type { ServerPlan, Shared } from './shared.ts';
import { SignIns } from './sign-ins.ts';
import { Watches } from './watches.ts';

/** Options of a connection attempt. */
export interface ConnectWish {
  /** True where a person may be asked to sign in. */
  readonly asks?: boolean;
}

/** A try to connect: whether a person may be asked, until when it is wanted, and the last row before it. */
interface Attempt {
  readonly asks: boolean;
  readonly signal: AbortSignal;
  readonly began: number;
}

/** A server of the page: connected or not, with all that a person does there. */
export class InspectedServer {
  readonly id: string;
  readonly plan: ServerPlan;
  readonly recorder: ServerRecorder;
  readonly #shared: Shared;
  readonly #calls: PersonsCalls;
  readonly #watches: Watches;
  readonly signIns: SignIns;
  #client: Client | undefined;
  #opening: AbortController | undefined;
  #view: ServerView;
  readonly #lists = new ServerLists();
  /** True where the person chose what is logged. */
  #hasLevel = false;
  #isGone = false;

  constructor(
    id: string,
    plan: ServerPlan,
    { shared, calls }: { readonly shared: Shared; readonly calls: PersonsCalls },
  ) {
    this.id = id;
    this.plan = plan;
    this.#shared = shared;
    this.#calls = calls;
    this.recorder = new ServerRecorder(id, plan, shared);
    this.#watches = new Watches({
      changed: () => this.#show({ version: this.#view.version + 1 }),
      updated: (uri) => shared.feed.tell({ kind: 'updated', server: id, uri: this.recorder.shown(uri) }),
      failed: (error) => this.#note('warning', shared.words(error)),
    });
    this.signIns = new SignIns({
      plan,
      recorder: this.recorder,
      view: () => this.#view,
      show: (more, without) => this.#show(more, without),
      say: (level, text) => this.say(level, text),
      words: (error) => shared.words(error),
    });
    const { name, address, kind, login, wishes = {} } = plan;
    this.#view = {
      id,
      name,
      address,
      kind,
      state: kind === 'recording' ? 'recording' : 'closed',
      canSignIn: login !== undefined,
      wantsSignIn: false,
      pauses: false,
      wanted: auto,
      roots: wishes.roots ?? [],
      declares: clientCapabilities,
      watched: [],
      version: 0,
      pagesByOne: wishes.pagesByOne === true,
      news: [],
      logLevel: wishes.logLevel ?? '',
      logsOnRequest: false,
    };
    this.#hasLevel = wishes.logLevel !== undefined;
    this.#show({});
  }

  get view(): ServerView {
    return this.#view;
  }

  /** Client that is connected. @throws VerbError where none is. */
  get client(): Client {
    if (this.#client === undefined) throw new VerbError(409, `${this.#view.name} is not connected`);
    return this.#client;
  }

  /** Signal that aborts when the server is disconnected or reconnected. @throws VerbError if it is not connected. */
  get letGo(): AbortSignal {
    void this.client;
    return this.#opening?.signal ?? AbortSignal.abort();
  }

  /** Connects again, and closes an existing connection first. A later call overrides this one. It never rejects. */
  async connect(wanted: string, { asks = false }: ConnectWish = {}): Promise<void> {
    if (this.plan.kind === 'recording') return;
    const opening = new AbortController();
    const { signal } = opening;
    await this.#letGo(opening);
    if (signal.aborted) return;
    this.#show({ state: 'connecting', wanted, wantsSignIn: false }, [
      ...(['problem', 'cause', 'advice', 'revision', 'steps', 'signIn', 'silent'] as const),
    ]);
    const began = this.#lastRow();
    try {
      const transport = await this.#reach(signal, asks);
      const client = await this.#shared.open(transport, this.#options(wanted, { asks, signal, began }));
      if (signal.aborted) return await this.#closed(client);
      this.#client = client;
      const { server, capabilities, instructions, revision } = client;
      this.#show({
        state: 'connected',
        revision,
        capabilities: { ...capabilities },
        ...(server === undefined ? {} : { info: { ...server } }),
        ...(instructions === undefined ? {} : { instructions }),
      });
      await this.#watches.begin(client);
      await this.#tellLogLevel(client);
      if (!signal.aborted) this.#show({ version: this.#view.version + 1 });
    } catch (error) {
      if (!signal.aborted) this.#failed(error, began);
    }
    await this.signIns.look();
  }

  /** Connects again once running calls have ended, or a time is over, unless the user does something meanwhile. */
  async restart(graceMs: number): Promise<void> {
    const opening = this.#opening;
    await this.#calls.ended(this.id, graceMs);
    if (this.#opening === opening && !this.#isGone) await this.connect(this.#view.wanted);
  }

  /** The signal, which aborts when connecting takes longer than a file allows; where a person signs in, they take their time. */
  #withinTime(signal: AbortSignal): AbortSignal {
    const { connectionTimeoutMs = 0 } = this.plan.wishes ?? {};
    return connectionTimeoutMs === 0 ? signal : AbortSignal.any([signal, AbortSignal.timeout(connectionTimeoutMs)]);
  }

  async #reach(signal: AbortSignal, asks: boolean): Promise<Transport> {
    await this.signIns.settled();
    const steps = this.signIns.begin(signal);
    if (asks) await this.signIns.signIn(steps, signal);
    return await this.recorder.reach(this.plan, {
      steps,
      unopened: (error) => this.signIns.unopened(error),
      silent: (silence) => {
        if (!signal.aborted) this.#heardSilence(silence);
      },
      loginChanged: (isLost) => void this.signIns.look(isLost),
      started: (pid) => {
        if (!signal.aborted) this.#show({ pid });
      },
    });
  }

  /** Chooses whether each step of a sign-in waits until the person lets it go. */
  pause(pauses: boolean): void {
    this.#show({ pauses });
  }

  /** Disconnects the server; running calls are cancelled. It never rejects. */
  async disconnect(): Promise<void> {
    await this.#letGo(undefined);
  }

  /** Removes the server; later events are dropped. It never rejects. */
  async leave(): Promise<void> {
    this.#isGone = true;
    await this.#letGo(undefined);
  }

  async #letGo(next: AbortController | undefined): Promise<void> {
    this.#opening?.abort(new Error('disconnected by the person'));
    this.#opening = next;
    const client = this.#client;
    this.#client = undefined;
    this.#calls.cancelAll(this.id);
    this.#watches.end();
    if (this.#view.state !== 'closed' && this.#view.state !== 'recording')
      this.#show({ state: 'closed', watched: [] }, ['problem', 'cause', 'advice', 'steps', 'signIn', 'pid', 'silent']);
    if (client !== undefined) await this.#closed(client);
  }

  async #closed(client: Client): Promise<void> {
    try {
      await client.close();
    } catch (error) {
      this.#note('warning', this.#shared.words(error), 'parley');
    }
  }

  /** A server that refuses to be told what to log serves all the same. */
  async #tellLogLevel(client: Client): Promise<void> {
    const logsOnRequest = revisionOf(client.revision)?.logging === 'request';
    // Nothing would be told to a client that asks for nothing there.
    const isAsked = logsOnRequest && client.capabilities.logging !== undefined;
    if (this.#hasLevel) this.#show({ logsOnRequest });
    else this.#show({ logsOnRequest, logLevel: isAsked ? 'debug' : '' });
    if (this.#view.logLevel === '') return;
    try {
      await client.setLogLevel(this.#view.logLevel);
    } catch (error) {
      this.#note('warning', this.#shared.words(error), 'parley');
    }
  }

  /** Reads all lists. */
  async lists(): Promise<ListsView> {
    return this.recorder.shown(await this.#read());
  }

  /** Reads the next page of a list. @throws VerbError where there is none. */
  async moreOf(list: ListName): Promise<ListsView> {
    void this.client;
    return this.recorder.shown(await this.#lists.more(list));
  }

  /** Takes the wish that lists are read one page at a time, or whole again. */
  readByOne(pagesByOne: boolean): void {
    this.#show({ pagesByOne, version: this.#view.version + 1 });
  }

  async #read(): Promise<ListsView> {
    const before = this.#lists.view;
    const lists = await this.#lists.read({
      client: this.client,
      byOne: this.#view.pagesByOne,
      meta: this.plan.wishes?.metadata,
      now: () => this.#shared.now(),
      words: (error) => this.#shared.words(error),
    });
    const news = newsIn(before, lists);
    if (news.length > 0 || this.#view.news.length > 0) this.#show({ news: news.slice(0, 200) });
    return lists;
  }

  /** The name or address that the page means: the lists show secrets as dots. */
  named(shown: string): string {
    if (!shown.includes(dots)) return shown;
    const { tools, prompts, resources, templates } = this.#lists.view ?? noLists;
    const names = [...tools, ...prompts, ...resources, ...templates].flatMap((item) =>
      [item['name'], item['uri'], item['uriTemplate']].filter((name) => typeof name === 'string'),
    );
    return names.find((name) => this.recorder.shown(name) === shown) ?? shown;
  }

  /** The tool with a name, as it was listed last. */
  async tool(name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { tools } = this.#lists.view ?? (await this.#read());
    return tools.find((tool) => tool['name'] === name);
  }

  /** Losses of clients of other revisions through a bridge. */
  losses(): readonly LossesView[] {
    return lossesOf(this.client, this.#lists.view ?? noLists);
  }

  /** Watches a resource, or watches it no more. */
  async watch(uri: string, on: boolean): Promise<void> {
    await this.#watches.resource(this.client, uri, on);
    this.#show({ watched: this.#watches.uris });
  }

  /** Declares other capabilities, which takes a new connection. It never rejects. */
  async declare(declares: readonly ClientCapability[]): Promise<void> {
    this.#show({ declares });
    await this.connect(this.#view.wanted);
  }

  async setRoots(roots: readonly RootView[]): Promise<void> {
    this.#show({ roots });
    if (this.#view.declares.includes('roots')) await this.#client?.setRoots([...roots]);
  }

  async setLogLevel(level: LoggingLevel | ''): Promise<void> {
    if (level === '' && !this.#view.logsOnRequest)
      throw new VerbError(
        409,
        `a level cannot be taken back at ${this.#view.revision ?? 'this revision'}; choose another`,
      );
    this.#hasLevel = true;
    this.#show({ logLevel: level });
    // A revision without the request sends the level with each call.
    await this.#client?.setLogLevel(level === '' ? undefined : level);
  }

  /** Tells the person something about the server, in its log. */
  say(level: string, text: string): void {
    this.#note(level, text, 'parley');
  }

  /** Row of the first request since a time. */
  rowSince(method: string, time: number): number | undefined {
    const { left } = this.recorder.log;
    const found = this.recorder.log
      .since(left.last)
      .find((entry) => entry.from === 'client' && entry.method === method && entry.time >= time);
    return found?.sequence;
  }

  #options(wanted: string, { asks, signal, began }: Attempt): Parameters<Shared['open']>[1] {
    const { version, questions } = this.#shared;
    const about = (context: InputContext): ReturnType<Parameters<typeof askingHandlers>[0]['about']> =>
      this.#about(context);
    return {
      ...plannedOptions(this.plan, { wanted, isTimed: !asks }),
      info: { name: 'parley-inspect', version },
      signal: asks ? signal : this.#withinTime(signal),
      ...declaringOptions(this.#view.declares, {
        ...askingHandlers({ server: this.id, questions, about, shown: (value) => this.recorder.shown(value) }),
        roots: this.#view.roots.map((root) => ({ ...root })),
      }),
      onLog: ({ level, logger, data }) =>
        this.#note(level, typeof data === 'string' ? data : JSON.stringify(data), logger),
      onWarning: (message) => this.#note('warning', message, 'parley'),
      onClose: (error) => {
        if (!signal.aborted) this.#failed(error, began);
      },
    };
  }

  #about(context: InputContext): ReturnType<Parameters<typeof askingHandlers>[0]['about']> {
    const running = this.#calls.runningAt(this.id);
    const [only] = running;
    const asking = this.recorder.log
      .since(Math.max(this.recorder.log.left.last, 0))
      .findLast((entry) => entry.from === 'server' && entry.lane === 'message');
    return {
      t: this.#shared.now(),
      isRound: revisionOf(context.revision)?.resultsAsk === true,
      ...(asking === undefined ? {} : { row: asking.sequence }),
      ...(running.length === 1 && only !== undefined ? { during: only.name } : {}),
    };
  }

  #failed(error: unknown, began: number): void {
    this.#client = undefined;
    this.#watches.end();
    const { canSignIn } = this.#view;
    const { steps, cause, advice } = adviceOn(error, this.recorder.log.since(began), { ...this.#shared, canSignIn });
    const more = {
      state: 'failed',
      problem: this.#shared.words(error),
      steps,
      wantsSignIn: canSignIn && wantsPerson(error),
      watched: [],
      ...(cause === undefined ? {} : { cause }),
      ...(advice === undefined ? {} : { advice }),
    } as const;
    this.#show(more, ['pid', 'silent']);
  }

  /** A server that is back may have begun anew, and offer something else. */
  #heardSilence(silent: SilenceView | undefined): void {
    if (silent === undefined && this.#view.silent !== undefined)
      this.#show({ version: this.#view.version + 1 }, ['silent']);
    // One that is not connected says so itself.
    if (silent !== undefined && this.#view.state === 'connected') this.#show({ silent });
  }

  #note(level: string, text: string, logger?: string): void {
    if (this.#isGone) return;
    this.#shared.feed.log({
      server: this.id,
      t: this.#shared.now(),
      level,
      text: this.recorder.hidden(text.slice(0, 10_000)),
      ...(logger === undefined ? {} : { logger: this.recorder.hidden(logger.slice(0, 10_000)).slice(0, 200) }),
    });
  }

  /** Tells whether a connection ends by this. */
  #ends({ state }: Partial<ServerView>): boolean {
    const isUp = (one: ServerView['state'] | undefined): boolean => one === 'connected' || one === 'connecting';
    return state !== undefined && isUp(this.#view.state) && !isUp(state);
  }

  #lastRow(): number {
    return this.recorder.log.since(0).at(-1)?.sequence ?? 0;
  }

  #show(more: Partial<ServerView>, without: readonly (keyof ServerView)[] = []): void {
    const view = { ...this.#view, ...more, ...(this.#ends(more) ? { endedAt: this.#lastRow() } : {}) };
    for (const key of without) if (!(key in more)) delete view[key];
    this.#view = view;
    // A page would take it for one that came.
    if (this.#isGone) return;
    this.#shared.feed.keep(`server ${this.id}`, { kind: 'server', server: this.recorder.shown(view) });
  }
}
