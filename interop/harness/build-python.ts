import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from '../../scripts/toolchains/command.ts';
import { folderOf, type Built, type Program } from '../../scripts/toolchains/program.ts';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';

const candidates = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const probe = 'import sys, venv, ensurepip; print(*sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))';
/** Whoever has no network finds out soon. */
const hasty = ['--timeout', '15', '--retries', '1', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];

/** Makes a peer of what every one of Python has, and the `client.py` and `server.py` of its own. */
export async function buildPythonPeer(program: Program): Promise<Built> {
  return await buildPython(program, [join(import.meta.dirname, 'python', 'peer.py'), program.sources]);
}

/**
 * Makes a virtual environment with what the program's `requirements.txt` says.
 *
 * @param main The script to run, with its first words.
 */
export async function buildPython(
  program: Program,
  main: readonly string[] = [join(program.sources, 'peer.py')],
): Promise<Built> {
  const { python, version } = await findPython();
  const requirements = join(program.sources, 'requirements.txt');
  const folder = await folderOf(program, [python, version], async (place) => {
    await ran([python, '-m', 'venv', place], { timeoutMs: 60_000 });
    await ran([programIn(place), '-m', 'pip', 'install', ...hasty, '-r', requirements], { timeoutMs: 100_000 });
  });
  return {
    // Compiled modules would lie beside the sources.
    command: [programIn(folder), '-B', ...main],
    version: readFileSync(requirements, 'utf8').trim().replace('==', ' '),
  };
}

function programIn(environment: string): string {
  return process.platform === 'win32' ? join(environment, 'Scripts', 'python.exe') : join(environment, 'bin', 'python');
}

async function findPython(): Promise<{ readonly python: string; readonly version: string }> {
  for (const python of candidates) {
    try {
      return { python, version: await ran([python, '-c', probe], { timeoutMs: 20_000 }) };
    } catch {
      // The next may do.
    }
  }
  throw new Unavailable('there is no Python 3.10 or newer with venv and pip');
}
