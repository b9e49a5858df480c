/** The tools that show what a result may hold. */

import { ToolError, type JsonSchema, type Server } from '../../packages/parley/src/server.ts';
import { picture, sound } from './media.ts';

/** A schema whose every keyword must reach the client as it is. */
const addressSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Adds them; the first must come first, since the suite calls whatever tool does, without arguments. */
export function addContentTools(server: Server): void {
  server.tool('test_simple_text', { description: 'Gives text.' }, () => 'This is a simple text response.');
  server.tool('test_image_content', { description: 'Gives an image.' }, () => picture);
  server.tool('test_audio_content', { description: 'Gives a sound.' }, () => sound);
  server.tool('test_embedded_resource', { description: 'Encloses a resource.' }, () => ({
    type: 'resource',
    resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' },
  }));
  server.tool('test_multiple_content_types', { description: 'Gives text, an image and a resource.' }, () => [
    { type: 'text', text: 'Several kinds of content:' },
    picture,
    {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data"}' },
    },
  ]);
  server.tool('test_error_handling', { description: 'Fails.' }, () => {
    throw new ToolError('This tool fails on purpose.');
  });
  server.tool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema of many keywords.', input: addressSchema },
    (args) => JSON.stringify(args),
  );
  server.tool(
    'test_x_mcp_header',
    {
      description: 'Says which region it was called for; the region travels in a header too.',
      input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
    ({ region }) => `region: ${region ?? 'none'}`,
  );
}
