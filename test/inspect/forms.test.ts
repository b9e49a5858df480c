/** Forms from JSON Schema, in a browser, under the policy of the page that they are part of. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noChromium } from '../support/chromium.ts';
import { formPage } from '../support/form-page.ts';

const skip = noChromium;

test('a person fills a form, and the text holds what was typed as it was typed', { skip }, async (t) => {
  const { page, text, said, asked } = await formPage(t, {
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
  assert.deepEqual([said, asked], [[], []]);
});
