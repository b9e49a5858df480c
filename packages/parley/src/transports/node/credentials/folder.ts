import { mkdir, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Default folder for the credentials of a user: `$XDG_STATE_HOME/parley/credentials`, or the system's place.
 *
 * @param home The home of the user.
 * @throws Error if there is none: credentials must not be written to the current directory.
 */
export function credentialFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
  home: string = homeOf(),
): string {
  const given = environment['XDG_STATE_HOME'];
  // XDG Base Directory: a relative path is ignored.
  if (given !== undefined && isAbsolute(given)) return join(given, 'parley', 'credentials');
  const local = environment['LOCALAPPDATA'];
  if (platform === 'win32' && local !== undefined && isAbsolute(local)) return join(local, 'parley', 'credentials');
  if (!isAbsolute(home))
    throw new Error('there is no folder for credentials, since the user has no home directory; set XDG_STATE_HOME');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'parley', 'credentials');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'parley', 'credentials');
  return join(home, '.local', 'state', 'parley', 'credentials');
}

/** The home directory of the user; empty if there is none. A relative path in the variable is ignored. */
function homeOf(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** Makes a folder that only its owner may access, if it does not exist; then checks it. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkOwn(folder);
}

/**
 * Checks that no other user can access a folder or read a file. Windows has no such bits: there the user's profile
 * folder keeps others out.
 *
 * @throws Error that names it and says what to do.
 */
export async function checkOwn(path: string): Promise<void> {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = await stat(path);
  if (uid !== user)
    throw new Error(`${path} holds credentials and belongs to another user; remove it, or use another folder`);
  if ((mode & 0o077) !== 0)
    throw new Error(`${path} holds credentials and others may read it; run: chmod go-rwx '${path}'`);
}
