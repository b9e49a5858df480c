import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveCommand } from './command.ts';
import { describeCommand } from './describe-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-command-'));
after(() => rmSync(folder, { recursive: true }));

test('outside Windows a command is started as it is', () => {
  assert.deepEqual(resolveCommand('npx', ['-y', 'x'], {}, 'linux'), {
    file: 'npx',
    args: ['-y', 'x'],
    verbatim: false,
  });
});

test('a batch file of Windows runs in cmd.exe with every word quoted', () => {
  const batch = join(folder, 'tool.cmd');
  writeFileSync(batch, '');
  assert.deepEqual(resolveCommand(batch, ['-y', 'a b'], { comspec: 'C:\\cmd.exe' }, 'win32'), {
    file: 'C:\\cmd.exe',
    args: ['/d', '/s', '/v:off', '/c', `""${batch}" "-y" "a b""`],
    verbatim: true,
  });
});

for (const argument of ['%PATH%', 'a&calc', '"', 'a|b', '^', '!x!', 'a\nb', 'C:\\']) {
  test(`a batch file never gets the argument ${JSON.stringify(argument)}`, () => {
    const batch = join(folder, 'tool.bat');
    writeFileSync(batch, '');
    assert.throws(() => resolveCommand(batch, [argument], {}, 'win32'), TypeError);
  });
}

test('a program of Windows that is no batch file is started as it is', () => {
  const program = join(folder, 'tool.exe');
  writeFileSync(program, '');
  assert.deepEqual(resolveCommand(program, ['%PATH%'], {}, 'win32'), {
    file: program,
    args: ['%PATH%'],
    verbatim: false,
  });
});

for (const [command, args, description] of [
  ['node', ['server.js'], 'node server.js'],
  ['npx', ['-y', '@scope/server', '--api-key', 'secret'], 'npx -y @scope/server …'],
  ['npx', ['--api-key=secret', 'x'], 'npx --api-key=… …'],
  ['tool', ['--token', 'secret'], 'tool --token …'],
  ['docker', ['run', '-e', 'KEY=secret', 'image'], 'docker run …'],
  ['env', ['API_KEY=secret', 'OTHER=secret', 'node', 'server.js', 'secret'], 'env API_KEY=… OTHER=… node …'],
  ['mysql', ['-s', 'db'], 'mysql -s …'],
  ['mysql', ['-ps', 'db'], 'mysql -p… …'],
  ['mysql', ['-psecret', '-uroot', 'db'], 'mysql -p… -u… …'],
  ['java', ['-Dkey=secret', '-jar', 'server.jar'], 'java -D… -jar server.jar'],
  ['https://user:secret@host/tool', [], 'https://host/tool'],
  ['tool', ['https://user:half@secret@host/mcp'], 'tool https://host/mcp'],
  ['tool', ['postgres://user:secret@host/db?password=secret'], 'tool postgres://host/db'],
] as const) {
  test(`${command} ${args.join(' ')} is described without what may be secret`, () => {
    assert.equal(describeCommand(command, args), description);
  });
}
