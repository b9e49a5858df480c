/** A page with one form on it, served under the policy of parley inspect's page. */

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';
import { originOf } from './listening.ts';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserContext } from './chromium.ts';
import { root } from './sources.ts';

/** What the page shows. */
export interface ShownForm {
  readonly schema?: unknown;
  readonly text?: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Texts that could be meant, whatever is typed. */
  readonly completions?: readonly string[];
  /** The text itself is edited. */
  readonly isText?: boolean;
}

/** A page with a form. */
export interface FormPage {
  readonly page: Page;
  /** The text, as the form has left it. */
  text(): Promise<string>;
  /** Shows another form. */
  show(shown: ShownForm): Promise<void>;
  /** What the console of the page said, which is nothing where all is well. */
  readonly said: readonly string[];
  /** What the page asked for beside its own files. */
  readonly asked: readonly string[];
}

const folder = join(root, 'packages/cli/src/inspect/page/form');

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; media-src blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** What the page runs: it holds the text, as the page of parley inspect does. */
const program = `
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { SchemaForm } from './schema-form.tsx';
import { JsonEditor } from './json-editor.tsx';


function App({ schema, text: first, problems, completions, isText }) {
  const [text, setText] = useState(first ?? '');
  globalThis.text = text;
  globalThis.setText = setText;
  const complete = completions && (async (pointer, typed) => completions.filter((one) => one.startsWith(typed)));
  return (
    <main>
      <h1>A form</h1>
      {isText
        ? <JsonEditor text={text} onText={setText} problems={problems} label="Arguments" />
        : <SchemaForm schema={schema} text={text} onText={setText} problems={problems} complete={complete} label="Arguments" />}
    </main>
  );
}

let shown = 0;
globalThis.show = (props) => render(<App key={shown += 1} {...props} />, document.body);
`;

let files: Promise<ReadonlyMap<string, { readonly type: string; readonly text: string }>> | undefined;

async function built(): Promise<ReadonlyMap<string, { readonly type: string; readonly text: string }>> {
  const shared = { bundle: true, write: false, logLevel: 'warning' } as const;
  const script = await build({
    ...shared,
    stdin: { contents: program, resolveDir: folder, loader: 'tsx', sourcefile: 'form-page.tsx' },
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const sheet =
    readFileSync(join(root, 'packages/cli/src/inspect/page/theme.css'), 'utf8').replace(/@import[^;]*;/g, '') +
    readFileSync(join(folder, 'form.css'), 'utf8') +
    'main { padding: 12px; } body { overflow: auto; }';
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script><body></body></html>`;
  return new Map([
    ['/', { type: 'text/html', text: html }],
    ['/page.js', { type: 'text/javascript', text: script.outputFiles[0]?.text ?? '' }],
    ['/page.css', { type: 'text/css', text: sheet }],
  ]);
}

/** Opens a page with a form, until the end of the test. */
export async function formPage(
  t: Pick<TestContext, 'after'>,
  shown: ShownForm,
  options: BrowserContextOptions = {},
): Promise<FormPage> {
  files ??= built();
  const served = await files;
  const asked: string[] = [];
  const http = createServer((request, response) => {
    const file = served.get(request.url ?? '');
    if (file === undefined) asked.push(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': `${file?.type ?? 'text/plain'}; charset=utf-8`,
      'content-security-policy': policy,
    });
    response.end(file?.text ?? '');
  });
  const origin = await originOf(t, http);
  const page = await (await browserContext(t, options)).newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) asked.push(request.url());
  });
  await page.goto(origin);
  const show = (next: ShownForm): Promise<void> => page.evaluate(`show(${JSON.stringify(next)})`);
  await show(shown);
  return { page, said, asked, show, text: () => page.evaluate('text') };
}
