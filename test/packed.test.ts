import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from './support/sources.ts';

let folder = '';
let installed = '';
let packedBytes = 0;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-packed-'));
  // The package as it is published, of what `npm run build` made.
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const shell = process.platform === 'win32';
  const told = execFileSync('npm', words, { cwd: root, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'ignore'] });
  const { filename, size } = onlyOf(JSON.parse(told));
  packedBytes = size;
  installed = join(folder, 'node_modules/parley-mcp');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  symlinkSync(join(root, 'node_modules/undici'), join(folder, 'node_modules/undici'), 'junction');
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Npm 12 gives an object by name, older ones a list. */
function onlyOf(told: object): { readonly filename: string; readonly size: number } {
  const [first] = Object.values(told);
  assert.ok(typeof first === 'object' && first !== null && 'filename' in first && 'size' in first);
  return { filename: String(first.filename), size: Number(first.size) };
}

const filesOf = (ending: string): readonly string[] =>
  readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(installed, 'dist', name));

for (const [ending, least] of [
  ['.js', 20],
  ['.d.ts', 100],
] as const)
  test(`every file ${ending} of the package is mapped to sources that are in it`, () => {
    // The page is one script, for a browser.
    const files = filesOf(ending).filter((file) => !file.includes(join('inspect', 'page')));
    assert.ok(files.length >= least, `${files.length} files`);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      const map = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1];
      if (map === undefined) {
        // What only says names again has nothing to map.
        assert.doesNotMatch(
          text,
          /^\s*(?:const|function|class|async|await|interface|type)\b/m,
          relative(installed, file),
        );
        continue;
      }
      const { sources }: { sources: readonly string[] } = JSON.parse(readFileSync(join(dirname(file), map), 'utf8'));
      for (const source of sources)
        assert.ok(existsSync(resolve(dirname(file), source)), `${relative(installed, file)} names ${source}`);
    }
  });

test('an error that is thrown inside says where in the source, by the maps', () => {
  const program = `
    import { createServer } from 'parley-mcp/server';
    try { createServer({ name: 'a', version: '1', nonsense: true }); } catch (error) { process.stdout.write(error.stack); }`;
  const stack = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  const [, path = '', line = ''] =
    /at .*?(\/?[^\s(]*parley-mcp\/src\/[^\s:]+\.ts):(\d+):\d+/.exec(stack.replaceAll('\\', '/')) ?? [];
  assert.ok(existsSync(path.replace(/^file:\/\//, '')), stack);
  const lines = readFileSync(path.replace(/^file:\/\//, ''), 'utf8').split('\n');
  assert.match(lines[Number(line) - 1] ?? '', /throw new TypeError/, stack);
});

test('its types are complete on Node without those of the DOM', () => {
  for (const scope of ['@types', '@opentelemetry', 'ioredis', 'undici-types', 'jose', 'zod'])
    if (!existsSync(join(folder, 'node_modules', scope)))
      symlinkSync(join(root, 'node_modules', scope), join(folder, 'node_modules', scope), 'junction');
  const { exports }: { exports: object } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const entries = Object.keys(exports).filter((path) => path !== './package.json');
  assert.ok(entries.length > 10);
  const lines = entries.map(
    (path) => `import 'parley-mcp${path.slice(1)}';\nexport * from 'parley-mcp${path.slice(1)}';`,
  );
  writeFileSync(join(folder, 'entries.mts'), lines.join('\n'));
  const words = '--noEmit --strict --module nodenext --target es2023 --lib es2023 --types node --skipLibCheck false';
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const ran = spawnSync(process.execPath, [tsc, ...words.split(' '), 'entries.mts'], { cwd: folder, encoding: 'utf8' });
  // What two entries have alike is one name.
  const said = ran.stdout.split('\n').filter((line) => line !== '' && !line.includes('TS2308'));
  assert.deepEqual(said, []);
});

test('its declarations need no compiler that knows parameters of Uint8Array, which came with 5.7', () => {
  const declarations = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.d.ts'),
  );
  assert.ok(declarations.length > 100);
  const newer = declarations.filter((file) =>
    readFileSync(join(installed, 'dist', file), 'utf8').includes('Uint8Array<'),
  );
  assert.deepEqual(newer, []);
});

test('the package holds no tests, and stays below 4 MB', () => {
  const tests = readdirSync(join(installed, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.test(-d)?\.ts$/.test(name),
  );
  assert.deepEqual(tests, []);
  assert.ok(packedBytes < 4_000_000, `${packedBytes} bytes`);
});
