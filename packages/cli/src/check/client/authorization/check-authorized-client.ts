import type { Fetch } from '../../../../../parley/src/jsonrpc/fetch.ts';
import { after, monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Implementation } from '../../../../../parley/src/protocol/features/common.ts';
import { revisions as published, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import { chosenBy, refuseUnknownRows } from '../../chosen.ts';
import { reportOf } from '../../judge.ts';
import { rowOf } from '../../register.ts';
import type { CheckReport } from '../../report.ts';
import { ClientWatching } from '../client-watching.ts';
import { JudgedClient } from '../run/judged-client.ts';
import { clientRules } from '../rules/rules.ts';
import { ClientDocuments } from './documents.ts';
import { clientAuthorizationRules, judgeTrails } from './judge-logs.ts';
import { isMachine, machineRequests } from './machine.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { openSite, type OpenSite } from './site.ts';
import type { AuthorizationLog } from './authorization-log.ts';

/** A client whose authorization is to be judged, and how. */
export interface CheckAuthorizedClientOptions {
  /** Port of the first server, 0 for any; those after it have the ports after that, whether they are open at once or one after the other. */
  readonly port: number;
  readonly info: Implementation;
  /** The revisions that are served; all by default. */
  readonly revisions?: readonly Revision[];
  /** Rows, or areas such as `auth`, to check; all by default. */
  readonly only?: readonly string[];
  /** Longest time of all, in milliseconds; 10 minutes by default. */
  readonly limitMs?: number;
  /** Silence after which a scenario in which all was done is over, in milliseconds; 3,000 by default. */
  readonly quietMs?: number;
  readonly signal: AbortSignal;
  /** Fetches the metadata document of a client whose id is its URL; left out where it is not looked at. */
  readonly fetch?: Fetch;
  /**
   * Has a client run a scenario. With it, scenarios run in sequence. Without it, all run at once for any client that
   * connects.
   *
   * @returns Resolves when the client has exited. The signal ends it.
   */
  drive?(scenario: Scenario, url: string, signal: AbortSignal): Promise<void>;
  /** Receives the addresses of all scenarios, if `drive` is left out. */
  onOpen?(open: readonly (readonly [scenario: Scenario, url: string])[]): void;
  /** Hears that a scenario is done. */
  onDone?(scenario: Scenario): void;
}

/** Silence after which a client counts as finished in a scenario, if its exit is not known, in milliseconds. */
const stillMs = 30_000;

/**
 * Serves scenarios of authorization until a client has done them all, and judges it by what it did.
 *
 * @throws RangeError for rows that there are not.
 */
export async function checkAuthorizedClient(options: CheckAuthorizedClientOptions): Promise<CheckReport> {
  const { info, revisions = published, only = [], limitMs = 600_000, signal } = options;
  refuseUnknownRows(only, [...clientRules, ...clientAuthorizationRules]);
  const isChosen = chosenBy(only);
  const run = new Run(options, new ClientWatching(clientRules, isChosen));
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const cancel = after(limitMs, stop);
  try {
    await (options.drive === undefined ? run.all(over.signal) : run.oneByOne(over.signal, limitMs));
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    await run.close();
  }
  const { authorizationLogs, watching, messages } = run;
  const missing = scenarios.filter(
    (scenario) =>
      isMeantFor(scenario, authorizationLogs) &&
      !authorizationLogs.some((authorizationLog) => authorizationLog.scenario === scenario && isDone(authorizationLog)),
  );
  const spoken = new Set([
    ...watching.spoken,
    ...authorizationLogs.flatMap((authorizationLog) => authorizationLog.revision ?? []),
  ]);
  const why = signal.aborted ? 'it was stopped' : over.signal.aborted ? 'its time was over' : undefined;
  return reportOf(
    {
      tool: { name: info.name, version: info.version },
      target: 'a client that is authorized',
      transport: 'http',
      side: 'client',
      ...(missing.length > 0 && { missing: missing.map(({ name, words }) => `${name}: ${words}`) }),
    },
    {
      revisions: revisions.map((revision) => ({
        revision: revision.date,
        spoken: spoken.has(revision),
        ...(!spoken.has(revision) && { why: 'the client did not speak it' }),
      })),
      judged: [...watching.outcomes(), ...judgeTrails(authorizationLogs, isChosen)],
      messages,
      ...(why !== undefined && { cut: why }),
    },
  );
}

/** Tells whether a scenario is for clients of a revision that was spoken. */
function isMeantFor(scenario: Scenario, authorizationLogs: readonly AuthorizationLog[]): boolean {
  const { isFirst, isOpen, hasSecond } = scenario;
  const isOfMachine = isMachine(authorizationLogs);
  if (scenario.mayStop === true) return false;
  if (scenario.isMachine === true)
    return authorizationLogs.some((authorizationLog) => machineRequests(authorizationLog).length > 0);
  // A client that sends no user to a page gets no redirect.
  if (isOfMachine && (!isOpen || hasSecond === true)) return false;
  const { lives } = rowOf('auth-011');
  const ofFirst = authorizationLogs.filter(({ revision }) => revision !== undefined && lives(revision)).length;
  return isFirst === true ? ofFirst > 0 : ofFirst < authorizationLogs.length || ofFirst === 0;
}

/** Tells whether a scenario shows what it is for: the tools were called, or the client came to where it has to stop. */
function isDone({ scenario, called, steps }: AuthorizationLog): boolean {
  if (scenario.isOpen) return scenario.tools.every((tool) => tool === 'never' || called.has(tool));
  // A client that has an id needs no registration.
  if (scenario.refusesRegistration === true)
    return steps.some(({ place }) => place === 'register' || place === 'authorize');
  const isBefore = scenario.resource !== undefined || scenario.saysIssuer !== undefined || scenario.hidesPkce === true;
  const place = scenario.resource !== undefined ? 'resource-metadata' : isBefore ? 'server-metadata' : 'authorize';
  return steps.some((step) => step.place === place && step.status < 400);
}

interface OpenScenario extends OpenSite {
  readonly judged: JudgedClient;
}

/** Scenarios, open one after the other or at once. */
class Run {
  readonly authorizationLogs: AuthorizationLog[] = [];
  readonly watching: ClientWatching;
  readonly #options: CheckAuthorizedClientOptions;
  readonly #documents: ClientDocuments;
  readonly #open = new Set<OpenScenario>();
  #messages = 0;
  #heard: () => void = () => undefined;

  constructor(options: CheckAuthorizedClientOptions, watching: ClientWatching) {
    this.#options = options;
    this.#documents = new ClientDocuments(options.fetch, options.signal);
    this.watching = watching;
  }

  /** Number of requests that came. */
  get messages(): number {
    return this.#messages;
  }

  /**
   * Has each scenario done by the client that is driven, until it goes, or is silent when it has done all. One in which it hangs takes no
   * more than its share of the time that is left: the others are for it to show as well.
   */
  async oneByOne(signal: AbortSignal, limitMs: number): Promise<void> {
    const { drive, port, quietMs = 3_000, onDone } = this.#options;
    const end = monotonicNow() + limitMs;
    for (const [at, scenario] of scenarios.entries()) {
      if (signal.aborted || drive === undefined) return;
      const site = await this.#site(scenario, port === 0 ? 0 : port + at);
      const share = (end - monotonicNow()) / (scenarios.length - at);
      const driving = new AbortController();
      const quiet = this.#quiet(() => isDone(site.authorizationLog), quietMs);
      const gone = drive(scenario, site.authorizationLog.resource, driving.signal).then(() => true);
      let cancel = (): void => undefined;
      const tooLong = new Promise<false>((resolve) => (cancel = after(share, () => resolve(false))));
      let isGone: boolean;
      try {
        isGone = await Promise.race([gone, tooLong, quiet.over.then(() => false), aborted(signal).then(() => false)]);
      } finally {
        cancel();
        quiet.stop();
        driving.abort();
        await gone.catch(() => undefined);
      }
      if (isDone(site.authorizationLog)) onDone?.(scenario);
      await this.#end(site, isGone);
    }
  }

  /** Opens all, and waits until all are done. */
  async all(signal: AbortSignal): Promise<void> {
    const { port, quietMs = 3_000, onOpen, onDone } = this.#options;
    const sites: OpenScenario[] = [];
    for (const [at, scenario] of scenarios.entries())
      sites.push(await this.#site(scenario, port === 0 ? 0 : port + at));
    onOpen?.(sites.map(({ authorizationLog: { scenario, resource } }) => [scenario, resource]));
    const told = new Set<Scenario>();
    const quiet = this.#quiet(() => {
      for (const { authorizationLog } of sites) {
        if (!isDone(authorizationLog) || told.has(authorizationLog.scenario)) continue;
        told.add(authorizationLog.scenario);
        onDone?.(authorizationLog.scenario);
      }
      // Clients of the first revision alone do the one, and those without a person the other.
      return sites.every(({ authorizationLog }) => {
        const { isFirst, isMachine: isOfMachine, mayStop } = authorizationLog.scenario;
        return isFirst === true || isOfMachine === true || mayStop === true || isDone(authorizationLog);
      });
    }, quietMs);
    await Promise.race([quiet.over, aborted(signal)]);
    quiet.stop();
    for (const site of sites) await this.#end(site, false);
  }

  /** Closes what is open. */
  async close(): Promise<void> {
    await this.#documents.settled();
    for (const site of this.#open) await site.close();
  }

  async #site(scenario: Scenario, port: number): Promise<OpenScenario> {
    const { info, revisions = published } = this.#options;
    const progress = (): void => this.#heard();
    const judged = new JudgedClient({
      over: 'http',
      info,
      isChosen: () => true,
      watching: this.watching,
      tools: scenario.tools,
      progress,
    });
    const site = await openSite(scenario, {
      port,
      revisions,
      documents: this.#documents,
      judged: () => judged,
      progress: () => {
        this.#messages++;
        progress();
      },
    });
    const open = { ...site, judged };
    this.#open.add(open);
    this.authorizationLogs.push(site.authorizationLog);
    return open;
  }

  async #end(site: OpenScenario, isGone: boolean): Promise<void> {
    this.#open.delete(site);
    const { authorizationLog } = site;
    authorizationLog.isOver = isGone || isDone(authorizationLog) || authorizationLog.silence > stillMs;
    await site.close();
    site.judged.end(isGone);
    if (site.judged.failure !== undefined) throw site.judged.failure.error;
  }

  /** Waits until a condition holds and no more requests arrive. */
  #quiet(isOver: () => boolean, quietMs: number): { readonly over: Promise<void>; stop(): void } {
    let cancel = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      this.#heard = () => {
        cancel();
        if (isOver()) cancel = after(quietMs, resolve);
      };
    });
    return { over, stop: () => cancel() };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
