/** Names of secrets, without separators: only names that mean nothing different. */
const secretNames: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'passphrase',
  'currentpassword',
  'newpassword',
  'userpassword',
  'apikey',
  'apisecret',
  'apitoken',
  'accesstoken',
  'authtoken',
  'bearertoken',
  'refreshtoken',
  'clientsecret',
  'privatekey',
  'creditcardnumber',
  'cvv',
  'cvc',
]);

/** Tells whether a property is a text that is a secret by its name, such as `api_key`; a choice among some is none. */
export function isSecretProperty(
  name: string,
  { type, enum: choices, oneOf }: Readonly<Record<string, unknown>>,
): boolean {
  const isText = type === 'string' && choices === undefined && oneOf === undefined;
  return isText && secretNames.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}
