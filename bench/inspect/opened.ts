/** A page of `parley inspect` that is measured. */

import { createInterface } from 'node:readline';
import type { CDPSession, Page } from 'playwright-core';

/** Memory that a page holds after a collection, in MB. */
export async function heap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Calls a tool with arguments as JSON. */
export async function call(page: Page, tool: string, args: object): Promise<void> {
  await page
    .getByRole('grid', { name: 'tools', exact: true })
    .getByRole('row')
    .filter({ hasText: tool })
    .first()
    .click();
  await page.getByRole('group', { name: 'View of the arguments' }).getByText('JSON').click();
  await page.getByLabel(`Arguments of ${tool}, as JSON`).fill(JSON.stringify(args));
  await page.getByRole('button', { name: /^Call/ }).click();
}

/** Reads an address that a program prints; the rest of what it prints is read, and let be. */
export async function addressOf(output: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  const lines = createInterface({ input: output });
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    lines.on('close', () => reject(new Error('parley inspect ended without an address')));
  });
}
