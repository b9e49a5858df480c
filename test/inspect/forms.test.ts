/** Forms from JSON Schema, in a browser, under the policy of the page that they are part of. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../support/chromium.ts';
import { formPage, type FormPage, type ShownForm } from '../support/form-page.ts';
import { everything, filled, hostile } from '../support/form-schemas.ts';

const skip = noChromium;

let opened: Promise<FormPage> | undefined;
const ends: (() => unknown)[] = [];

// One page for all tests: each shows its own form on it.
after(async () => {
  for (const end of ends.toReversed()) await end();
});

async function shown(form: ShownForm): Promise<FormPage> {
  opened ??= formPage({ after: (end) => ends.push(end as () => unknown) }, form);
  const page = await opened;
  await page.show(form);
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page: each rule, with the first element that breaks it. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<readonly string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  );
  return found;
}

for (const width of [360, 1600])
  for (const colorScheme of ['light', 'dark'] as const)
    test(`a form of everything is accessible and fits, at ${width} px and ${colorScheme}`, { skip }, async () => {
      const problems = [
        { path: '/days', message: 'must be at most 14' },
        { path: '/agree', message: 'is required' },
        { path: '/extra', message: 'is not expected' },
      ];
      const { page, said, asked } = await shown({ schema: everything, text: filled, problems });
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.getByLabel('zone', { exact: true }).click();
      await page.getByRole('button', { name: 'deep object' }).click();
      assert.deepEqual(await violations(page), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      const small = await page.evaluate(
        `[...document.querySelectorAll('main button, main select, main textarea, main input:not([type=radio], [type=checkbox], [tabindex])')]
          .filter((one) => one.getBoundingClientRect().height < 24 || one.getBoundingClientRect().width < 24).map((one) => one.outerHTML)`,
      );
      assert.deepEqual([small, said, asked], [[], [], []]);
    });

test('a person fills a form, and the text holds what was typed as it was typed', { skip }, async () => {
  const { page, text } = await shown({
    text: '{"kept": 12345678901234567890, "days": 1e3}',
    schema: {
      type: 'object',
      required: ['city'],
      properties: {
        city: { type: 'string', title: 'City' },
        days: { type: 'integer' },
        wind: { type: 'number' },
        agree: { type: 'boolean' },
        kept: { type: 'number' },
      },
    },
  });
  await page.getByLabel('City').fill('Oslo');
  await page.getByLabel('wind', { exact: true }).pressSequentially('1.0');
  await page.getByLabel('true').check();
  assert.equal(await text(), '{"kept": 12345678901234567890, "days": 1e3, "city": "Oslo", "wind": 1.0, "agree": true}');
});

test('absent, null and empty are three states, and a default is shown and not sent', { skip }, async () => {
  const schema = { properties: { a: { type: ['string', 'null'], default: 'x' } } };
  const { page, text } = await shown({ schema });
  const field = page.getByLabel('a', { exact: true });
  assert.deepEqual([await text(), await field.inputValue()], ['', '']);
  const press = async (name: string): Promise<unknown> => {
    await page.getByRole('button', { name, exact: true }).click();
    assert.ok(await field.evaluate((element) => element === element.ownerDocument.activeElement));
    return JSON.parse(await text());
  };
  assert.deepEqual(await press('empty text a'), { a: '' });
  await page.getByText('empty text is sent').waitFor();
  assert.deepEqual(await press('null a'), { a: null });
  await page.getByText('null is sent').waitFor();
  assert.deepEqual(await press('leave out a'), {});
  assert.deepEqual(await press('default "x" a'), { a: 'x' });
  assert.deepEqual(await press('leave out a'), {});
  assert.deepEqual(await press('bring back a'), { a: 'x' });
  await field.fill('');
  assert.equal(await text(), '{}');
});

test('what is no number yet is not lost, and neither is what is not JSON yet', { skip }, async () => {
  const schema = { properties: { days: { type: 'integer' }, any: {} } };
  const { page, text } = await shown({ schema });
  const days = page.getByLabel('days', { exact: true });
  await days.pressSequentially('-1e');
  assert.deepEqual([await days.inputValue(), JSON.parse(await text())], ['-1e', { days: '-1e' }]);
  await page.getByText('This is no number').waitFor();
  await days.pressSequentially('3');
  assert.match(await text(), /"days": -1e3/);
  const any = page.getByLabel('any', { exact: true });
  await any.pressSequentially('{"a": 1.0');
  await page.getByText('Not JSON yet (line 1, column 10').waitFor();
  await days.fill('7');
  assert.equal(await any.inputValue(), '{"a": 1.0');
  await any.press('}');
  assert.match(await text(), /"any": \{"a": 1\.0\}/);
});

test('a long enum is searched by keyboard, and what it has not is sent as text', { skip }, async () => {
  const { page, text } = await shown({ schema: { properties: { zone: everything.properties.zone } } });
  const box = page.getByRole('combobox');
  await box.pressSequentially('eur');
  await box.press('ArrowDown');
  await box.press('ArrowDown');
  assert.equal(await page.getByRole('option', { selected: true }).textContent(), 'Europe/Rome');
  await box.press('Enter');
  assert.deepEqual([JSON.parse(await text()), await page.getByRole('listbox').count()], [{ zone: 'Europe/Rome' }, 0]);
  await box.fill('Mars');
  assert.deepEqual(JSON.parse(await text()), { zone: 'Mars' });
  await page.getByText('none of the 7 values').waitFor();
});

test('completions are shown as one types, and chosen', { skip }, async () => {
  const schema = { properties: { name: { type: 'string' } } };
  const { page, text } = await shown({ schema, completions: ['anna', 'anton', 'berta'] });
  await page.getByRole('combobox').pressSequentially('an');
  await page.getByRole('option', { name: 'anton' }).click();
  assert.deepEqual(JSON.parse(await text()), { name: 'anton' });
  assert.ok(await page.getByRole('combobox').evaluate((element) => element === element.ownerDocument.activeElement));
});

test('a kind is chosen with its constant, and what was typed for the other comes back', { skip }, async () => {
  const { page, text } = await shown({ schema: { properties: { place: everything.properties.place } } });
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('Oslo');
  assert.deepEqual(JSON.parse(await text()), { place: { name: 'Oslo', kind: 'name' } });
  await page.getByLabel('By position').check();
  assert.deepEqual(JSON.parse(await text()), { place: { kind: 'at' } });
  await page.getByLabel('By name').check();
  assert.deepEqual(JSON.parse(await text()), { place: { kind: 'name', name: 'Oslo' } });
});

test('a kind that is typed in stays while it is typed in', { skip }, async () => {
  const { page, text } = await shown({ schema: { properties: { value: everything.properties.value } } });
  await page.getByLabel('number', { exact: true }).first().check();
  const field = page.getByLabel('number', { exact: true }).last();
  await field.pressSequentially('1.x');
  assert.deepEqual(JSON.parse(await text()), { value: '1.x' });
  await field.press('Backspace');
  await field.press('0');
  assert.match(await text(), /1\.0/);
  await page.getByRole('button', { name: 'null value' }).click();
  assert.deepEqual(JSON.parse(await text()), { value: null });
});

test('items are added, moved and removed by keyboard, and the focus goes with them', { skip }, async () => {
  const schema = { properties: { tags: { type: 'array', items: { type: 'string' } } } };
  const { page, text } = await shown({ schema });
  const focused = (): Promise<string> =>
    page.evaluate(
      `document.activeElement.textContent || document.activeElement.value || document.activeElement.tagName`,
    );
  await page.getByRole('button', { name: 'tags list' }).press('Enter');
  for (const word of ['a', 'b', 'c']) {
    await page.getByRole('button', { name: 'Add an item' }).press('Enter');
    await page.keyboard.type(word);
  }
  assert.deepEqual(JSON.parse(await text()), { tags: ['a', 'b', 'c'] });
  await page.getByRole('button', { name: 'Move up item 3' }).press('Enter');
  assert.deepEqual([JSON.parse(await text()).tags, await focused()], [['a', 'c', 'b'], '↑Move up item 2']);
  await page.keyboard.press('Enter');
  assert.deepEqual([JSON.parse(await text()).tags, await focused()], [['c', 'a', 'b'], '↓Move down item 1']);
  await page.getByRole('button', { name: 'Remove item 2' }).press('Enter');
  assert.deepEqual([JSON.parse(await text()).tags, await focused()], [['c', 'b'], 'Remove item 2']);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.deepEqual([JSON.parse(await text()).tags, await focused()], [[], 'Add an item to tags']);
});

test('pairs get names, and no name is taken twice', { skip }, async () => {
  const schema = { type: 'object', additionalProperties: { type: 'number' } };
  const { page, text } = await shown({ schema });
  const add = async (name: string, value: string): Promise<void> => {
    await page.getByPlaceholder('name').fill(name);
    await page.keyboard.press('Enter');
    await page.keyboard.type(value);
  };
  await add('__proto__', '1.0');
  await add('b', '2');
  assert.equal(await text(), '{\n  "__proto__": 1.0,\n  "b": 2\n}');
  await page.getByLabel('name', { exact: true }).last().fill('__proto__');
  await page.getByText('There is a property of that name.').waitFor();
  await page.getByLabel('name', { exact: true }).last().fill('c');
  await page.keyboard.press('Enter');
  assert.equal(await text(), '{\n  "__proto__": 1.0,\n  "c": 2\n}');
  await page.getByRole('button', { name: 'Remove __proto__' }).click();
  assert.equal(await text(), '{\n  "c": 2\n}');
});

test('a file is sent as base64', { skip }, async () => {
  const { page, text } = await shown({ schema: { properties: { map: everything.properties.map } } });
  const file = { name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 16]) };
  await page.getByLabel('map', { exact: true }).setInputFiles(file);
  await page.getByText('3 bytes').waitFor();
  assert.deepEqual(JSON.parse(await text()), { map: 'AP8Q' });
});

test('a pasted text keeps its line breaks, and Enter in a short one makes none', { skip }, async () => {
  const { page, text } = await shown({
    schema: { properties: { a: { type: 'string' }, b: { format: 'email' } } },
  });
  await page.getByLabel('a', { exact: true }).pressSequentially('x');
  await page.keyboard.press('Enter');
  assert.deepEqual(JSON.parse(await text()), { a: 'x' });
  await page.getByLabel('a', { exact: true }).fill('x\ny');
  await page.getByLabel('b', { exact: true }).fill(' odd ');
  assert.deepEqual(JSON.parse(await text()), { a: 'x\ny', b: ' odd ' });
});

test('a text that is not JSON is kept, and said to be none', { skip }, async () => {
  const { page, text } = await shown({ schema: everything, text: '{"city": "Oslo",\n}' });
  await page.getByText('This is not JSON, so there is no form for it: line 2, column 1').waitFor();
  assert.equal(await text(), '{"city": "Oslo",\n}');
});

test('a value of another type is shown as JSON, and is not lost', { skip }, async () => {
  const { page, text } = await shown({ schema: everything, text: '{"city": {"a": 1.0}, "headers": 5}' });
  const city = page.getByLabel('City');
  assert.equal(await city.inputValue(), '{"a": 1.0}');
  await city.fill('"O');
  assert.ok(await city.evaluate((element) => element === element.ownerDocument.activeElement));
  await city.pressSequentially('slo"');
  assert.equal(await text(), '{"city": "Oslo", "headers": 5}');
  await page.getByLabel('days', { exact: true }).focus();
  assert.equal(await city.inputValue(), 'Oslo');
});

test('problems stand at their field, at a closed part around it, or at the top', { skip }, async () => {
  const { page } = await shown({
    schema: { properties: { o: { type: 'object', properties: { a: { type: 'string' } } } } },
    problems: [
      { path: '/o/a', message: 'inner' },
      { path: '/none', message: 'nowhere' },
      { path: '', message: 'whole' },
    ],
    text: '{"o": {"a": ""}}',
  });
  assert.deepEqual(await page.locator('.form-problems li').allTextContents(), [
    '⚠ none: nowhere',
    '⚠ whole',
    '⚠ inner',
  ]);
  await page.getByRole('button', { name: 'o object' }).click();
  assert.deepEqual(await page.locator('.form-problems li').allTextContents(), [
    '⚠ none: nowhere',
    '⚠ whole',
    '⚠ a: inner',
  ]);
});

test(
  'a schema that means harm makes a form, in words where there are limits, and asks for nothing',
  { skip },
  async () => {
    const { page, show, said, asked } = await shown({ schema: true });
    for (const [name, schema, text] of hostile) {
      await page.evaluate(`show({ schema: JSON.parse(${JSON.stringify(schema)}), text: ${JSON.stringify(text)} })`);
      assert.ok((await page.locator('main').innerText()).includes('A form'), name);
      const fields = await page.locator('main :is(input, textarea, select, button)').count();
      assert.ok(fields > 0 && fields < 3000, `${name}: ${fields} fields`);
    }
    await show({ schema: { properties: Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`p${at}`, {}])) } });
    await page.getByText('100 of 150 fields are shown.').waitFor();
    await page.getByLabel('Find one of 150 fields').fill('p149');
    assert.equal(await page.getByLabel('p149').count(), 1);
    assert.deepEqual([said, asked], [[], []]);
  },
);

test('what one value alone may have comes with the first edit, without holding the page up', { skip }, async () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `p${at}`);
  const { page, text } = await shown({
    schema: { required: names, properties: Object.fromEntries(names.map((name) => [name, { const: name }])) },
  });
  const began = performance.now();
  await page.getByRole('radio').first().check();
  assert.ok(performance.now() - began < 5_000);
  assert.equal(Object.keys(JSON.parse(await text()) as object).length, 100);
});

test('recursion opens on demand', { skip }, async () => {
  const { page, text } = await shown({
    schema: everything.$defs.tree && { ...everything, properties: { deep: { $ref: '#/$defs/tree' } }, required: [] },
  });
  await page.getByRole('button', { name: 'deep object' }).click();
  await page.getByRole('button', { name: 'child object' }).click();
  await page.getByRole('button', { name: 'child object' }).last().click();
  await page.getByLabel('name', { exact: true }).last().fill('x');
  assert.deepEqual(JSON.parse(await text()), { deep: { child: { child: { name: 'x' } } } });
});

test('JSON is edited as text, with numbered lines, and the first fault is told by its line', { skip }, async () => {
  const { page, text, said } = await shown({ isText: true, text: '{\n  "a": 1.0,\n  b\n}' });
  const area = page.getByLabel('Arguments');
  assert.equal(await page.locator('.form-numbers').textContent(), '1\n2\n⚠ 3\n4\n');
  assert.equal(await page.getByRole('button', { name: 'Format' }).isDisabled(), true);
  await page.getByText('column 3: expected a name in double quotes, found b').waitFor();
  await page.getByRole('button', { name: 'line 3' }).click();
  await page.keyboard.type('"b": [');
  await page.keyboard.press('Enter');
  await page.keyboard.type('1e3]');
  assert.equal(await text(), '{\n  "a": 1.0,\n  "b": [\n    1e3]\n}');
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Format' }).click();
  assert.equal(await area.inputValue(), '{\n  "a": 1.0,\n  "b": [\n    1e3\n  ]\n}');
  await page.getByRole('button', { name: 'Undo format' }).click();
  assert.equal(await text(), '{\n  "a": 1.0,\n  "b": [\n    1e3]\n}');
  assert.deepEqual(said, []);
});

test('a problem of a value is told by the line of the value', { skip }, async () => {
  const problems = [
    { path: '/a/1', message: 'must be a text' },
    { path: '/none', message: 'is required' },
  ];
  const { page } = await shown({ isText: true, text: '{\n  "a": [\n    1,\n    2\n  ]\n}', problems });
  assert.deepEqual(await page.locator('.form-problems li').allTextContents(), [
    'line 4 /a/1 must be a text',
    'line 1 /none is required',
  ]);
  await page.getByRole('button', { name: 'line 4' }).click();
  assert.equal(await page.evaluate('getSelection().toString()'), '2');
});
