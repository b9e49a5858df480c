import { textField } from './document.ts';
import type { FoundServer } from './findings.ts';
import type { RegistrationWay } from './report.ts';

/** The ways for a client to become known at an authorization server, in the order in which clients try them. */
export function waysToRegister({ issuer, document }: FoundServer): readonly RegistrationWay[] {
  if (document === undefined) return [];
  const takesDocuments = document['client_id_metadata_document_supported'] === true;
  const endpoint = textField(document, 'registration_endpoint');
  const known = textField(document, 'issuer') ?? issuer;
  return [
    { way: 'pre-registered', open: true, how: `--client-id <id> --issuer ${known}` },
    {
      way: 'client-id-metadata-document',
      open: takesDocuments,
      how: takesDocuments ? '--client-metadata-url <url>' : 'client_id_metadata_document_supported is not true',
    },
    { way: 'dynamic-registration', open: endpoint !== undefined, how: endpoint ?? 'there is no registration_endpoint' },
    {
      way: 'by-hand',
      open: true,
      how:
        takesDocuments || endpoint !== undefined
          ? 'not needed'
          : 'its operator has to register the client and give out its id, for --client-id',
    },
  ];
}
