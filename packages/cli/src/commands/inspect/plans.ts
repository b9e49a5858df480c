import { basename, dirname, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { hiding } from '../../../../parley/src/auth/common/secrets.ts';
import { factsOf } from '../../../../parley/src/jsonrpc/transport-facts.ts';
import type { ServerPlan, WaySettings } from '../../inspect/servers/shared.ts';
import { readRecording } from '../../recorder/file.ts';
import { variableOf } from '../../recorder/curl.ts';
import { argumentsShown, secretsOfUrl, urlShown, withoutPassword } from '../../recorder/secrets.ts';
import { readConfig } from '../config/config.ts';
import { UsageError, type Io } from '../io.ts';
import { authOf, givesCredentials } from '../login/auth-of.ts';
import { authOfServers } from '../login/auth-of-servers.ts';
import { parseOptions, type ParsedOptions } from '../options.ts';
import { shellLine } from '../shell.ts';
import { printed, reasonOf } from '../shown.ts';
import { PersonsLogin, type FindAuth } from './planned-login.ts';
import { secretsOf, transportOf, type ServerTarget } from '../target.ts';

/** Plan of a server that was typed. */
export function typedPlan(target: ServerTarget, parsed: ParsedOptions, io: Io): ServerPlan {
  const secrets = [...secretsOf(target, parsed, io), ...(target.kind === 'url' ? secretsOfUrl(target.url.href) : [])];
  const hide = hiding(secrets);
  const address = hide(factsOf(transportOf(target, parsed, io)).description);
  const isUrl = target.kind === 'url';
  const find: FindAuth = (overheard) => authOf(target, parsed, { io, asks: true, overheard, inputTaken: true });
  const login = new PersonsLogin(find, io, parsed.text('login') === 'always');
  // Where a secret stands is known, however short it is.
  const line = isUrl
    ? urlShown(withoutPassword(target.url.href))
    : `-- ${shellLine([target.command, ...argumentsShown(target.args)])}`;
  const options = reachingOptions(parsed);
  return {
    name: isUrl ? target.url.host : nameOfCommand(target),
    address,
    kind: isUrl ? 'http' : 'stdio',
    secrets,
    line: [...options, hide(line)].join(' '),
    ...(isUrl ? {} : { folder: folderOf(target) }),
    async reach({ overheard, person, ...settings }) {
      const auth = await login.authorization({ overheard, ...(person && { person }) });
      return transportOf(target, parsed, io, auth === undefined ? settings : { ...settings, auth });
    },
    ...(isUrl && !givesCredentials(target.url, parsed) ? { login } : {}),
  };
}

/** Plan of an address that was added in the page: nothing that was typed for another server goes there. */
export function addedPlan(url: URL, options: Parameters<typeof parseOptions>[1], io: Io): ServerPlan {
  const bare = parseOptions([], options);
  return typedPlan({ kind: 'url', url }, bare, io);
}

/** Plans of the servers of a file, or of one of them. @throws UsageError where the file has no such server. */
export async function configuredPlans(
  file: string,
  only: string | undefined,
  parsed: ParsedOptions,
  io: Io,
): Promise<readonly ServerPlan[]> {
  for (const name of ['header', 'env'])
    if (parsed.texts(name).length > 0) throw new UsageError(`--${name} does not go with --config, which has its own`);
  const { upstreams, problems, warnings } = await readConfig(file, io, true);
  for (const message of [...problems, ...warnings]) io.stderr.write(`parley: ${printed(message, 'line')}\n`);
  const chosen = Object.entries(upstreams).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0)
    throw new UsageError(
      only === undefined
        ? `${file} names no usable server`
        : `${file} has no usable server ${JSON.stringify(only)}; it has ${Object.keys(upstreams).join(', ') || 'none'}`,
    );
  return chosen.map(([name, server]) => {
    const hide = hiding(server.secrets);
    const facts = factsOf(server.upstream);
    const find: FindAuth = async (overheard) => {
      const circumstances = { io, asks: true, overheard, inputTaken: true };
      return (await authOfServers({ [name]: server }, parsed, circumstances)).get(name) ?? {};
    };
    const login = new PersonsLogin(find, io, parsed.text('login') === 'always');
    const { guarded } = server;
    const isPersons = guarded !== undefined && guarded.oauth?.grantType !== 'client_credentials';
    return {
      name,
      address: hide(facts.description),
      kind: facts.ownsProcess ? ('stdio' as const) : ('http' as const),
      secrets: server.secrets,
      line: `--config ${shellLine([file])} ${shellLine([name])}`,
      revisions: server.revisions,
      ...(server.inspector === undefined ? {} : { wishes: server.inspector }),
      reach: async ({ overheard, person, ...settings }: WaySettings) => {
        const auth = await login.authorization({ overheard, ...(person && { person }) });
        return server.reach(auth === undefined ? settings : { ...settings, auth });
      },
      ...(isPersons ? { login } : {}),
    };
  });
}

/** Command-line options that are needed to reach the server, with a variable in place of each value. */
function reachingOptions(parsed: ParsedOptions): readonly string[] {
  const header = (text: string): string => {
    const name = text.slice(0, Math.max(text.indexOf(':'), 0)).trim();
    return `--header ${shellLine([`${name}:`])}" $${variableOf(name)}"`;
  };
  const env = (text: string): string => {
    const name = text.slice(0, Math.max(text.indexOf('='), 0));
    // Without a value it is taken from the shell already.
    return text.includes('=') ? `--env ${name}="$${name}"` : `--env ${text}`;
  };
  const token = parsed.text('token-env');
  return [
    ...parsed
      .texts('header')
      .filter((text) => text.includes(':'))
      .map(header),
    ...parsed
      .texts('env')
      .filter((text) => /^\w+(?:=|$)/.test(text))
      .map(env),
    ...(token === undefined ? [] : [`--token-env ${shellLine([token])}`]),
  ];
}

/** Programs that start others, which are the servers. */
const starters =
  /^(?:node|nodejs|npx|npm|pnpm|yarn|bun|bunx|deno|tsx|ts-node|python[\d.]*|py|uv|uvx|pipx|docker|podman|ruby|php|java|dotnet|go|cargo|env|sh|bash|cmd)(?:\.exe|\.cmd)?$/i;

function nameOfCommand({ command, args }: Extract<ServerTarget, { kind: 'command' }>): string {
  const own = basename(command);
  // What stands after an option may be its value, such as a token: only of what starts others is it a name.
  if (!starters.test(own)) return own || command;
  const script = argumentsShown(args).find((word) => !word.startsWith('-') && !/^(?:run|exec|dlx|x)$/.test(word));
  return basename(script ?? command) || command;
}

/** The folder of the script, where the command names a file. */
function folderOf({ command, args }: Extract<ServerTarget, { kind: 'command' }>): string | undefined {
  const script = [...args, command].find((word) => !word.startsWith('-') && existsSync(word));
  return script === undefined ? undefined : dirname(resolve(script));
}

/** Plans of the servers of a recording, which are looked at and not connected to. @throws UsageError where the file is none. */
export async function recordedPlans(file: string): Promise<readonly ServerPlan[]> {
  const { entries, lost } = await readRecording(file).catch((cause: unknown) => {
    throw new UsageError(`the recording ${JSON.stringify(file)} cannot be read: ${reasonOf(cause)}`, { cause });
  });
  const names = [...new Set(entries.map(({ server }) => server))];
  return names.map((name) => ({
    name: `${basename(file)}, server ${name}`,
    address: `${file}${lost === 0 ? '' : `, without ${lost} lines`}`,
    kind: 'recording' as const,
    secrets: [],
    line: '<url>',
    recorded: entries.filter(({ server }) => server === name),
    reach: () => Promise.reject(new Error('a recording is looked at, and not connected to')),
  }));
}
