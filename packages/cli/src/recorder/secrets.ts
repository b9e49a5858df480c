/** Secrets that can be told by their names: of variables, arguments, parameters and keys. */

/** Text that stands for a secret. */
export const dots = '•••';

/** Words in a name that say its value is secret. */
export const secretName: RegExp = /key|token|secret|pass|auth|cred|sig/i;

/** The values of headers, with and without the scheme that they may begin with. */
export function secretHeaders(values: readonly string[]): readonly string[] {
  return values.map((value) => value.trim()).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]);
}

/** The values of variables whose names say that they are secret. */
export function secretVariables(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
}

/** A part of a path that is rather a key than a name. */
const keyInPath = /^(?=.*\d)[\w~-]{20,}$/;

/** The credentials of a URL, the keys in its path, and the parameters of its query whose names say that they are secret. */
export function secretsOfUrl(word: string): readonly string[] {
  if (!URL.canParse(word)) return [];
  const { username, password, pathname, searchParams } = new URL(word);
  // A name without a password is a token.
  const credential = password === '' ? username : password;
  return [
    credential,
    decoded(credential),
    Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64'),
    ...pathname.split('/').filter((part) => keyInPath.test(part)),
    ...[...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
  ];
}

/** The same arguments with dots in place of secrets, even short ones. */
export function argumentsShown(args: readonly string[]): readonly string[] {
  return args.map((arg, at) => {
    const [, flag = ''] = /^-{1,2}([A-Za-z][\w-]*)=/.exec(arg) ?? [];
    if (secretName.test(flag)) return `${arg.slice(0, arg.indexOf('=') + 1)}${dots}`;
    const [, before = ''] = /^-{1,2}([A-Za-z][\w-]*)$/.exec(args[at - 1] ?? '') ?? [];
    return secretName.test(before) && !arg.startsWith('-') ? dots : arg;
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A URL without the name and the password of its user. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/?#@]*@/, `$1${dots}@`);
}

const parameter = /([?&])([^=&#?]{0,200})=([^&#\s]*)/g;

/** A URL in which the values of parameters are hidden whose names say that they are secret, and the session of HTTP+SSE. */
export function urlShown(url: string): string {
  return url.replace(parameter, (whole: string, sign: string, name: string) =>
    secretName.test(name) || isSession(name) ? `${sign}${name}=${dots}` : whole,
  );
}

/** The sessions that a URL names, as in the endpoint of HTTP+SSE. */
export function sessionsOfUrl(url: string): readonly string[] {
  return [...url.matchAll(parameter)].flatMap(([, , name = '', value = '']) =>
    isSession(name) ? [value, decoded(value)] : [],
  );
}

function isSession(name: string): boolean {
  return /session/i.test(name);
}

/** Texts that follow a flag whose name says that it is secret, or its `=`. */
export function secretArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [, flag = '', value] = /^-{1,2}([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!secretName.test(flag)) return [];
    const next = args[at + 1] ?? '';
    return [value ?? (next.startsWith('-') ? '' : next)];
  });
}
