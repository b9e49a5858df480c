/** A person with a browser, as far as pages of a handler must know: cookies, forms, and what browsers say of where a request comes from. */

import assert from 'node:assert/strict';

/** A page that was shown. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The heading. */
  readonly title: string | undefined;
  /** Where it leads by itself. */
  readonly onward: string | undefined;
}

/** What a request says beside its URL. */
export interface Saying {
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers requests; `undefined` for those of nobody. */
export type PageHandler = (request: Request) => Promise<Response> | undefined;

/** What a browser of today says when a person typed an address, or another program opened it. */
export const typed: Readonly<Record<string, string>> = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** What it says of a form of the page itself. */
export const ownForm: Readonly<Record<string, string>> = { ...typed, 'sec-fetch-site': 'same-origin' };

/** What it says of a link or a redirect of another site. */
export const crossSite: Readonly<Record<string, string>> = { ...typed, 'sec-fetch-site': 'cross-site' };

/** A person who is signed in as somebody, or as nobody. */
export class PageVisitor {
  readonly cookies: Map<string, string>;
  readonly #handle: PageHandler;
  /** Everything that was shown, with the header fields. */
  readonly seen: string[] = [];

  constructor(handle: PageHandler, who?: string) {
    this.#handle = handle;
    this.cookies = new Map(who === undefined ? [] : [['session', encodeURIComponent(who)]]);
  }

  async request(url: string, { method = 'GET', form, headers = typed }: Saying = {}): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form === undefined ? {} : { body: new URLSearchParams({ ...form }) };
    const response = await this.#handle(new Request(url, { method, headers: { ...headers, cookie }, ...body }));
    assert.ok(response, `nobody answers at ${url}`);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const text = await response.text();
    this.seen.push(`${JSON.stringify([...response.headers])} ${text}`);
    return {
      status: response.status,
      headers: response.headers,
      text,
      title: /<h1>([^<]*)<\/h1>/.exec(text)?.[1],
      onward: unescaped(/http-equiv="refresh" content="0;url=([^"]+)"/.exec(text)?.[1]),
    };
  }

  /** Sends the form of a page, as the browser would. */
  async answer(
    page: Shown,
    at: string,
    answer: 'approve' | 'decline',
    { form = {}, headers = ownForm }: Omit<Saying, 'method'> = {},
  ): Promise<Shown> {
    const action = unescaped(/<form[^>]*action="([^"]+)"/.exec(page.text)?.[1]);
    assert.ok(action, `there is no form in ${page.text}`);
    const url = new URL(action, at).href;
    return await this.request(url, { method: 'POST', form: { ...fieldsOf(page), answer, ...form }, headers });
  }
}

/** The hidden fields of the form of a page. */
export function fieldsOf({ text }: Shown): Readonly<Record<string, string>> {
  const inputs = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value]) => [name, unescaped(value) ?? '']));
}

/** Who a request is of, by the cookie that `PageVisitor` has. */
export function sessionOf({ headers }: Request): string | undefined {
  const value = /(?:^|; )session=([^;]*)/.exec(headers.get('cookie') ?? '')?.[1];
  return value === undefined ? undefined : decodeURIComponent(value);
}

function unescaped(text: string | undefined): string | undefined {
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
