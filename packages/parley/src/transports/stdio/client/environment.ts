/**
 * The variables of the user's environment that a server needs to run at all. Others may be secrets, and are not passed
 * on.
 */
const inherited: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
};

/** Names and values of environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentOptions {
  /** Source of the inherited variables; the environment of this process by default. */
  readonly source?: Environment;
  readonly platform?: string;
}

/**
 * The environment of a child process: the few variables that are safe to inherit, and then the given ones. A variable
 * given as `undefined` is left out.
 */
export function childEnvironment(given: Environment = {}, options: EnvironmentOptions = {}): Record<string, string> {
  const { source = process.env, platform = process.platform } = options;
  const windows = platform === 'win32';
  // On Windows, names that differ only in case are the same variable.
  const same = (name: string): string => (windows ? name.toUpperCase() : name);
  const replaced = new Set(Object.keys(given).map(same));
  const names = inherited[windows ? 'win32' : 'posix'].filter((name) => !replaced.has(name));
  const kept = names.map((name) => [name, source[name]] as const).filter(([, value]) => !isShellFunction(value));
  const entries = [...kept, ...Object.entries(given)].filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** Old shells export functions as values that begin so; running a child with one has been an attack. */
function isShellFunction(value: string | undefined): boolean {
  return value?.startsWith('()') === true;
}
