import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Folder of the credentials of a user, unless somebody says otherwise: `$XDG_STATE_HOME/parley/credentials`, or the system's place. */
export function credentialFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): string {
  const home = homedir();
  const given = environment['XDG_STATE_HOME'];
  // XDG Base Directory: what is not absolute is ignored.
  if (given !== undefined && isAbsolute(given)) return join(given, 'parley', 'credentials');
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'parley', 'credentials');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'parley', 'credentials');
  return join(home, '.local', 'state', 'parley', 'credentials');
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
