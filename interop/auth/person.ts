/** A person with a browser that has cookies, forms and redirects, and no scripts: who signs in and agrees. */

/** What the person types. */
export interface Person {
  readonly name: string;
  readonly password: string;
}

/** The most pages that a person is led through. */
const maxPages = 25;

/** Goes through the pages of an authorization server until one leads to another origin, whose address it gives. */
export class PersonBrowser {
  readonly #person: Person;
  readonly #cookies = new Map<string, string>();

  constructor(person: Person) {
    this.#person = person;
  }

  async visit(url: string): Promise<string> {
    const { origin } = new URL(url);
    let next: { readonly url: string; readonly form?: URLSearchParams } = { url };
    let text = '';
    for (let page = 0; page < maxPages; page++) {
      const response = await this.#fetch(next);
      const location = response.headers.get('location');
      text = await response.text();
      if (location !== null) {
        next = { url: new URL(location, next.url).href };
        if (new URL(next.url).origin !== origin) return next.url;
        continue;
      }
      const filled = this.#filled(text, next.url);
      if (response.status >= 400 || filled === undefined) break;
      next = filled;
    }
    throw new Error(`the pages end at ${next.url}: ${text.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 300)}`);
  }

  async #fetch({ url, form }: { readonly url: string; readonly form?: URLSearchParams }): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie, accept: 'text/html', origin: new URL(url).origin },
      ...(form === undefined ? {} : { body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** The first form of a page, as this person fills it. */
  #filled(text: string, at: string): { readonly url: string; readonly form: URLSearchParams } | undefined {
    const [, opening = '', inside = ''] = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(text) ?? [];
    if (opening === '' && inside === '') return undefined;
    const form = new URLSearchParams();
    for (const [tag] of inside.matchAll(/<(?:input|button)\b[^>]*>/gi)) {
      const [name, type, value] = ['name', 'type', 'value'].map((of) => attribute(tag, of));
      if (name === undefined || name === 'cancel' || name === 'deny' || /^(?:deny|reject|no)$/i.test(value ?? ''))
        continue;
      if (/^(?:username|user|login|email)$/.test(name)) form.set(name, this.#person.name);
      else if (name === 'password') form.set(name, this.#person.password);
      else if (type !== 'checkbox') form.set(name, value ?? '');
    }
    return { url: new URL(attribute(`<form ${opening}>`, 'action') ?? at, at).href, form };
  }
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  const text = found?.[1] ?? found?.[2];
  return text?.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
