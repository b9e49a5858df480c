/** URI templates, as far as a person fills them in: each variable is a text. (RFC 6570, levels 1 to 3.) */

const expression = /\{([+#./;?&]?)([^{}]{1,500})\}/g;

/** Names of the variables of a template, in their order. */
export function templateVariables(template: string): readonly string[] {
  const names = [...template.matchAll(expression)].flatMap(([, , list = '']) => list.split(',').map(bare));
  return [...new Set(names)].slice(0, 50);
}

/** Fills in a template from JSON text with its variables. Missing ones are left out. */
export function fillTemplate(template: string, text: string): string {
  const values = valuesOf(text);
  return template.replaceAll(expression, (_, sign: string, list: string) => {
    const parts = list.split(',').flatMap((name) => {
      const value = values[bare(name)];
      return value === undefined || value === '' ? [] : [{ name: bare(name), value }];
    });
    return parts.length === 0 ? '' : joined(sign, parts);
  });
}

function joined(sign: string, parts: readonly { readonly name: string; readonly value: string }[]): string {
  const reserved = sign === '+' || sign === '#';
  const text = (value: string): string => (reserved ? encodeURI(value) : encodeURIComponent(value));
  const named = sign === ';' || sign === '?' || sign === '&';
  const separator = sign === '' || reserved ? ',' : sign === '?' ? '&' : sign;
  const first = sign === '' || sign === '+' ? '' : sign;
  return first + parts.map(({ name, value }) => (named ? `${name}=${text(value)}` : text(value))).join(separator);
}

function bare(name: string): string {
  return name.replace(/(\*|:\d+)$/, '').trim();
}

function valuesOf(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, String(part)]));
  } catch {
    return {};
  }
}
