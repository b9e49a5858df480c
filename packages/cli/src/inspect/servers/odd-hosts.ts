/** Oddities of an address, which a person should see before it is opened. */
export function oddities(text: string): readonly string[] {
  if (!URL.canParse(text)) return ['this is no address'];
  const { protocol, hostname, port, username } = new URL(text);
  return [
    ...(protocol === 'https:' ? [] : [`${protocol} is not encrypted`]),
    ...(hostname.split('.').some((part) => part.startsWith('xn--'))
      ? ['the name has letters that may look like others (punycode)']
      : []),
    ...(/^[\d.]+$|^\[/.test(hostname) ? ['it is a number and no name'] : []),
    ...(port === '' ? [] : [`port ${port}`]),
    ...(username === '' ? [] : ['a user name stands before the host']),
  ];
}
