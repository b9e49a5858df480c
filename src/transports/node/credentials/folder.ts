import { mkdir, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Folder of the credentials of a user, unless somebody says otherwise: `$XDG_STATE_HOME/parley/credentials`, or the system's place.
 *
 * @param home The home of the user.
 * @throws Error where there is none: credentials would lie wherever the process was started.
 */
export function credentialFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
  home: string = homeOf(),
): string {
  const given = environment['XDG_STATE_HOME'];
  // XDG Base Directory: what is not absolute is ignored.
  if (given !== undefined && isAbsolute(given)) return join(given, 'parley', 'credentials');
  const local = environment['LOCALAPPDATA'];
  if (platform === 'win32' && local !== undefined && isAbsolute(local)) return join(local, 'parley', 'credentials');
  if (!isAbsolute(home))
    throw new Error('it is not known where credentials are kept, since the user has no home; set XDG_STATE_HOME');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'parley', 'credentials');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'parley', 'credentials');
  return join(home, '.local', 'state', 'parley', 'credentials');
}

/** The home of the user; an empty text where nobody knows of one. What is no absolute path names none, whatever the variable says. */
function homeOf(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** Makes a folder that only its owner may look into, where it is not there; then checks it. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkOwn(folder);
}

/**
 * Checks that nobody else may look into a folder or read a file. Windows has no such bits: there the folder of the user is what
 * keeps others out.
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
