/** The pages for a user who is asked for an account: fixed text, escaped names, and no scripts. */

/** The texts of the consent page. */
export interface ConsentWords {
  /** Name of the requestor, as users know it. */
  readonly requester: string;
  /** The host of the page, to which the browser is sent back. */
  readonly host: string;
  /** Name of the third party, as people know it. */
  readonly party: string;
  /** The host to which the browser is sent; left out if the account is connected already. */
  readonly destination: string | undefined;
  readonly scopes: readonly string[];
  /** The program for which it is asked, by a name that it gave itself. */
  readonly by: string | undefined;
  /** The id of that program, as its tokens name it. */
  readonly client: string | undefined;
}

/** The hidden fields of the form. */
export interface ConsentForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A page that only informs. */
export type NoticeKind =
  | 'granted'
  | 'declined'
  | 'failed'
  | 'stranger'
  | 'nobody'
  | 'over'
  | 'used'
  | 'framed'
  | 'unawaited';

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin:0 .5rem .5rem 0}b{overflow-wrap:anywhere}';

/** The digest of the style, the one thing that the page may have beside its text. */
const styleDigest = 'sha256-Mg9hFPLH5CmS5S7NspR//bf6zpbaJjMhtomyNhP57ig=';

/**
 * The header fields of every page: nothing is loaded, executed, framed, cached or sent to another site. Forms are sent
 * to this site only, so the redirect to the authorization server does not follow a form directly. (RFC 9700, section
 * 4.16; CSP Level 3, section 6.4.)
 */
export const consentHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src '${styleDigest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  // The form is to name its origin, and the authorization server is to learn nothing.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

const notices: Readonly<Record<NoticeKind, readonly [title: string, text: string]>> = {
  granted: ['Connected', 'You can close this page: the program that sent you here continues.'],
  declined: ['Nothing was connected', 'You can close this page: the program that sent you here gets this answer.'],
  failed: [
    'Nothing was connected',
    'It did not work this time. Close this page, and ask again in the program that sent you here.',
  ],
  stranger: [
    'This link is for another user',
    'It was made for another user than the one who is signed in here. Do not continue, unless you know who gave it to you: sign in as that user, and ask again.',
  ],
  nobody: ['Sign in first', 'You are not signed in here. Sign in at this site, and open the link again.'],
  over: ['This link is over', 'It was changed, or it is too old. Ask again in the program that sent you here.'],
  used: [
    'This link was used',
    'It is good once. If nothing was connected, ask again in the program that sent you here.',
  ],
  framed: ['Open this page by itself', 'It is not shown within another page.'],
  unawaited: ['Nothing is awaited here', 'This address only works in the browser that began the visit, and only once.'],
};

/** The page of a notice. */
export function noticePage(notice: NoticeKind): string {
  const [title, text] = notices[notice];
  return page(title, `<p>${text}</p>`);
}

/** The page that asks whether the person agrees. */
export function consentPage(words: ConsentWords, { action, fields }: ConsentForm): string {
  const { requester, host, party, destination, scopes, by, client } = mapped(words);
  const called = by === undefined ? '' : ` that calls itself <b>${by}</b>`;
  const known = client === undefined ? '' : ` with the client id <b>${client}</b>`;
  const program = `${called}${known}` === '' ? '' : `<p>It was asked for by a program${called}${known}.</p>`;
  const way =
    destination === undefined
      ? 'The account is connected already. If you go on, this program may use it too.'
      : `If you go on, you are sent to <b>${destination}</b>, and from there back to <b>${host}</b>.`;
  const onward = destination === undefined ? 'Allow' : `Go on to ${destination}`;
  const wanted =
    scopes.length === 0
      ? `<p>It asks for what ${party} gives without naming more.</p>`
      : `<p>It asks for:</p><ul>${scopes.map((scope) => `<li><b>${scope}</b></li>`).join('')}</ul>`;
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  return page(
    `Connect ${party}?`,
    `<p><b>${requester}</b> at <b>${host}</b> asks to use your account at <b>${party}</b>.</p>${program}${wanted}` +
      `<p>${way} Go on only if you asked for this yourself, just now.</p>` +
      `<form method="post" action="${escaped(action)}">${hidden.join('')}` +
      `<button name="answer" value="approve">${onward}</button><button name="answer" value="decline">Cancel</button></form>`,
  );
}

/** The page that leads on to another site: by itself, or by its link. */
export function onwardPage(url: string): string {
  const to = escaped(url);
  const host = escaped(new URL(url).host);
  const refresh = `<meta http-equiv="refresh" content="0;url=${to}">`;
  return page(`On to ${host}`, `<p><a href="${to}" rel="noreferrer">Go on to ${host}</a></p>`, refresh);
}

function page(title: string, body: string, more = ''): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `${more}<title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`
  );
}

function mapped({ scopes, by, client, destination, ...words }: ConsentWords): ConsentWords {
  const { requester, host, party } = words;
  return {
    requester: shown(requester),
    host: shown(host),
    party: shown(party),
    destination: destination === undefined ? undefined : shown(destination),
    scopes: scopes.map(shown),
    by: by === undefined ? undefined : shown(by),
    client: client === undefined ? undefined : shown(client),
  };
}

/** The most characters of a name. */
const maxShown = 200;

/** A name as it stands in a page: what would hide or turn characters is no part of it. */
function shown(text: string): string {
  return escaped(text.slice(0, maxShown).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
