/** Headers of every answer: the browser enforces that the page loads nothing from elsewhere and never sets HTML. */

/** Parts of the policy of the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data: blob:',
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** The same for every answer, refusals too. @param frames Origin of the frames that the page may have; empty for none. */
export const commonHeaders = (frames: string): Readonly<Record<string, string>> => ({
  'content-security-policy': [...policy, ...(frames === '' ? [] : [`frame-src ${frames}`])].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
});
