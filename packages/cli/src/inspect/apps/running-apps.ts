import { randomBytes } from 'node:crypto';
import { VerbError } from '../http/body.ts';
import type { AppDomains } from './app-policy.ts';

/** Limits: apps that run, links that one may have asked for, calls of one that run. */
const most = { apps: 8, links: 32, calls: 8 };

/** An app that runs in the page. */
export interface RunningApp {
  readonly id: string;
  /** Id of its server, the only one that it reaches. */
  readonly server: string;
  readonly html: string;
  readonly allowed: AppDomains;
  /** Number under which its messages stand in the recording. */
  readonly connection: number;
  /** Parts of the addresses of its frame and of the outer one, which cannot be guessed. */
  readonly paths: { readonly proxy: string; readonly app: string };
  /** Links that it asked for. */
  readonly links: Set<string>;
}

/** Apps that run: what they are is kept for their frames. */
export class RunningApps {
  readonly #apps = new Map<string, RunningApp>();
  readonly #running = new Map<string, number>();

  /** Begins one; the oldest ends where there are too many. */
  run(parts: Pick<RunningApp, 'server' | 'html' | 'allowed' | 'connection'>): RunningApp {
    const secret = (): string => randomBytes(32).toString('base64url');
    const app = { ...parts, id: secret(), paths: { proxy: secret(), app: secret() }, links: new Set<string>() };
    this.#apps.set(app.id, app);
    const [oldest] = this.#apps.keys();
    if (this.#apps.size > most.apps && oldest !== undefined) this.#apps.delete(oldest);
    return app;
  }

  /** The app with an id. @throws VerbError where it runs no more. */
  get(id: string): RunningApp {
    const app = this.#apps.get(id);
    if (app === undefined) throw new VerbError(410, 'this app runs no more');
    return app;
  }

  /** Ends one; its addresses are served no more. */
  end(id: string): void {
    this.#apps.delete(id);
  }

  /** Finds the app at an address, and which part of it stands there. */
  at(path: string): { readonly app: RunningApp; readonly part: 'proxy' | 'app' } | undefined {
    for (const app of this.#apps.values()) {
      if (path === `/proxy/${app.paths.proxy}`) return { app, part: 'proxy' };
      if (path === `/app/${app.paths.app}`) return { app, part: 'app' };
    }
    return undefined;
  }

  /** Takes a link that an app asks for, so that it alone can be opened. */
  asked(app: RunningApp, url: string): void {
    app.links.add(url);
    const [oldest] = app.links;
    if (app.links.size > most.links && oldest !== undefined) app.links.delete(oldest);
  }

  /** Does something for an app. @throws VerbError where too much is done for it already. */
  async during<Result>(app: RunningApp, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(app.id) ?? 0;
    if (running >= most.calls) throw new VerbError(429, `${running} calls of this app run already`);
    this.#running.set(app.id, running + 1);
    try {
      return await work();
    } finally {
      const now = (this.#running.get(app.id) ?? 1) - 1;
      if (now === 0) this.#running.delete(app.id);
      else this.#running.set(app.id, now);
    }
  }
}
