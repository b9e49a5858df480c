import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from '../../scripts/toolchains/command.ts';
import { folderOf, type Built, type Program } from '../../scripts/toolchains/program.ts';

/** Builds a program of Java, whose `pom.xml` names the artifact of the peer. */
export async function buildJava(program: Program, artifact: string): Promise<Built> {
  const { sources } = program;
  const version = await ran(['mvn', '--version'], { timeoutMs: 30_000 });
  const folder = await folderOf(program, [version], async (place) => {
    const goals = ['package', 'dependency:copy-dependencies'];
    const places = [`-Dtarget=${join(place, 'target')}`, `-DoutputDirectory=${join(place, 'lib')}`];
    await ran(['mvn', '-q', '-B', ...places, ...goals], { cwd: sources, timeoutMs: 600_000 });
  });
  const pom = readFileSync(join(sources, 'pom.xml'), 'utf8');
  const pinned = /<artifactId>mcp<\/artifactId>\s*<version>([^<]+)/.exec(pom)?.[1];
  const classes = [join(folder, 'target', 'classes'), join(folder, 'lib', '*')].join(
    process.platform === 'win32' ? ';' : ':',
  );
  // A small program on a busy machine: less compiling, and no word of a missing logger.
  const flags = ['-XX:TieredStopAtLevel=1', '-Dfile.encoding=UTF-8'];
  return { command: ['java', ...flags, '-cp', classes, 'peer.Main'], version: `${artifact} ${pinned ?? ''}` };
}
