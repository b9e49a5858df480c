import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AppSourceView, JsonView as Json, RunningAppView } from '../../view.ts';
import { hostApp, tallest, themeNow, type AppHost, type AskedLink } from './app-host.ts';
import { ForeignAddress } from '../address-of.tsx';
import { FactList } from '../parts.tsx';
import { line, plain } from '../plain.ts';
import { act, api, chosenServer, hello, problem, messageOf } from '../state.ts';

/** Parts of a use of an app. */
export interface AppUse {
  readonly uri: string;
  /** Tool for which it is shown, with the arguments and the result of its last call. */
  readonly tool?: Json | undefined;
  readonly input?: Json | undefined;
  readonly result?: Json | undefined;
  /** True where it runs without a click: who wrote the address of the page knows the token of this run. */
  readonly runs?: boolean;
}

/** An app of a server: its source first, with all that it wants to reach, and then itself. */
export function App(use: AppUse): JSX.Element {
  const { uri, runs = false } = use;
  const id = chosenServer.value;
  const [source, setSource] = useState<AppSourceView>();
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set());
  const [running, setRunning] = useState<RunningAppView>();
  useEffect(() => {
    void api
      .post<AppSourceView>('app-source', { server: id, uri })
      .then((found) => {
        if (!isThere.current) return;
        setSource(found);
        if (runs) void run();
      })
      .catch((error: unknown) => (problem.value = messageOf(error)));
  }, [id, uri]);
  const isThere = useRef(true);
  useEffect(() => () => void (isThere.current = false), []);
  const run = async (): Promise<void> => {
    try {
      const begun = await api.post<RunningAppView>('app-run', { server: id, uri, allow: [...allowed] });
      // The user may look at another page by now, and then nothing would end it.
      if (isThere.current) setRunning(begun);
      else void act('app-end', { app: begun.app });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const allow = (domain: string, on: boolean): void =>
    setAllowed(new Set(on ? [...allowed, domain] : [...allowed].filter((one) => one !== domain)));
  if (source === undefined) return <p class="muted">Reading the app …</p>;
  if (running !== undefined)
    return <Running key={running.app} use={use} running={running} onEnd={() => setRunning(undefined)} />;
  return (
    <>
      <Wants source={source} allowed={allowed} onAllow={allow} />
      <p class="doing">
        <button type="button" onClick={() => void run()}>
          Run the app
        </button>
        <span class="muted">in a frame without an origin{allowed.size === 0 ? ', which reaches nothing' : ''}</span>
      </p>
      <pre class="text" tabIndex={0} aria-label="Source of the app">
        {plain(source.html.slice(0, 200_000))}
      </pre>
    </>
  );
}

const kinds: Readonly<Record<string, string>> = {
  connectDomains: 'requests',
  resourceDomains: 'scripts, styles, images, fonts, media',
  frameDomains: 'frames',
  baseUriDomains: 'base addresses',
};

/** Everything that an app wants to reach: nothing of it is allowed until the person says so, by its name. */
function Wants(props: {
  readonly source: AppSourceView;
  readonly allowed: ReadonlySet<string>;
  readonly onAllow: (domain: string, on: boolean) => void;
}): JSX.Element {
  const { source, allowed, onAllow } = props;
  const { domains, refused, permissions, mimeType } = source;
  const byDomain = new Map<string, string[]>();
  for (const [kind, list] of Object.entries(domains))
    for (const domain of list) byDomain.set(domain, [...(byDomain.get(domain) ?? []), kinds[kind] ?? kind]);
  return (
    <>
      <FactList
        rows={[
          ['address', <code key="uri">{line(source.uri, 300)}</code>],
          ['type', line(mimeType, 100)],
          ...(permissions.length === 0 ? [] : [['wants', `${line(permissions.join(', '), 200)}: not given`] as const]),
        ]}
      />
      {byDomain.size > 0 && (
        <fieldset class="wants">
          <legend>It wants to reach</legend>
          {[...byDomain].map(([domain, uses]) => (
            <label key={domain}>
              <input
                type="checkbox"
                checked={allowed.has(domain)}
                onChange={(event) => onAllow(domain, event.currentTarget.checked)}
              />
              <span>
                Allow <b>{line(domain, 200)}</b> <span class="muted">for {uses.join('; ')}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {refused.length > 0 && (
        <p class="bad">✕ no host, and never allowed: {refused.map((one) => line(one, 100)).join(', ')}</p>
      )}
    </>
  );
}

/** Speaks to an app for as long as its frame is there, as the messages of that frame alone. */
function useHost(
  { use, running }: { readonly use: AppUse; readonly running: RunningAppView },
  hear: Pick<Parameters<typeof hostApp>[0], 'resize' | 'ask'>,
): { readonly frame: RefObject<HTMLIFrameElement | null>; readonly end: () => Promise<void> } {
  const frame = useRef<HTMLIFrameElement>(null);
  const host = useRef<AppHost>(undefined);
  // As soon as the frame is there: an app says its first words once, and other effects wait until the page was drawn.
  useLayoutEffect(() => {
    const own = hostApp({
      api,
      app: running.app,
      allowed: running.allowed,
      tool: use.tool,
      input: use.input,
      result: use.result,
      isReadOnly: hello.value?.isReadOnly === true,
      // The frame around an app has no origin that could be named; it hands nothing to anybody but the app.
      send: (message) => frame.current?.contentWindow?.postMessage(message, '*'),
      ...hear,
    });
    host.current = own;
    const take = ({ source, data }: MessageEvent): void => {
      if (source !== null && source === frame.current?.contentWindow) own.take(data);
    };
    addEventListener('message', take);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const themed = (): void => own.themed(themeNow());
    scheme.addEventListener('change', themed);
    const watcher = new MutationObserver(themed);
    watcher.observe(document.documentElement, { attributes: true });
    return () => {
      removeEventListener('message', take);
      scheme.removeEventListener('change', themed);
      watcher.disconnect();
      void act('app-end', { app: running.app });
    };
  }, [running]);
  return { frame, end: async () => await host.current?.end() };
}

function Running(props: {
  readonly use: AppUse;
  readonly running: RunningAppView;
  readonly onEnd: () => void;
}): JSX.Element {
  const { use, running, onEnd } = props;
  const [height, setHeight] = useState(240);
  const [links, setLinks] = useState<readonly AskedLink[]>([]);
  const { frame, end } = useHost(
    { use, running },
    {
      resize: (wanted) => setHeight(Math.min(Math.max(Math.ceil(wanted), 60), tallest)),
      ask(link) {
        setLinks((before) => {
          // If an app asks for more than a user can read, the oldest request is refused.
          for (const oldest of before.slice(0, -(maxAsked - 1))) oldest.answer(false);
          return [...before.slice(-(maxAsked - 1)), link];
        });
      },
    },
  );
  return (
    <>
      {links.map((link) => (
        <Asked key={link.id} link={link} onAnswer={() => setLinks((before) => before.filter((one) => one !== link))} />
      ))}
      <iframe
        ref={frame}
        class="app-frame"
        title={`App ${use.uri}`}
        sandbox="allow-scripts allow-forms"
        src={running.frame}
        height={height}
      />
      <p class="doing">
        <button type="button" class="small" onClick={() => void end().then(onEnd)}>
          End the app
        </button>
        <span class="muted">what it and this page say to each other stands in the wire, lane app</span>
      </p>
    </>
  );
}

/** Most links that wait for the person. */
const maxAsked = 8;

/** A link that an app wants to be opened: its host in bold, opened by the process. */
function Asked({ link, onAnswer }: { readonly link: AskedLink; readonly onAnswer: () => void }): JSX.Element {
  const answer = (opens: boolean): void => {
    link.answer(opens);
    onAnswer();
  };
  return (
    <section class="question" aria-label="The app wants to open a page">
      <p>
        The app wants to open <ForeignAddress url={link.url} host={link.host} />
      </p>
      <p class="doing">
        <button type="button" onClick={() => answer(true)}>
          Open it
        </button>
        <button type="button" onClick={() => answer(false)}>
          Refuse
        </button>
      </p>
    </section>
  );
}
