type Json = Record<string, unknown>;

/**
 * An example for a JSON schema: its own, or one built from those of its parts. `resolve` follows a reference. The depth suffices for every
 * schema of the interface, none of which is recursive.
 */
export function exampleOf(schema: unknown, resolve: (schema: Json) => Json): unknown {
  if (!isObject(schema)) return null;
  const own = writtenExample(schema);
  if (own !== undefined) return own;
  if (typeof schema['$ref'] === 'string') return exampleOf(resolve(schema), resolve);
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  const forms = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(forms)) return exampleOf(forms[0], resolve);
  const values = schema['enum'];
  if (Array.isArray(values)) return values[0];
  const types = [schema['type']].flat();
  if (types.includes('object')) return exampleObject(schema, resolve);
  if (types.includes('array')) return 'items' in schema ? [exampleOf(schema['items'], resolve)] : [];
  return exampleScalar(String(types[0]), schema);
}

function writtenExample({ example, examples }: Json): unknown {
  if (example !== undefined) return example;
  return Array.isArray(examples) ? (examples as unknown[])[0] : undefined;
}

function exampleObject({ properties }: Json, resolve: (schema: Json) => Json): Json {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleField(name, field, resolve)]));
}

/** Some names are more specific than their types. */
function exampleField(name: string, field: unknown, resolve: (schema: Json) => Json): unknown {
  const given = exampleOf(field, resolve);
  if (given !== 'text') return given;
  return wordsByName[name] ?? given;
}

const wordsByName: Readonly<Record<string, string>> = {
  name: 'Spring',
  phone_number: '+15550100123',
};

function exampleScalar(type: string, { format, pattern, minimum }: Json): unknown {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return true;
  if (type !== 'string') return null;
  if (typeof format === 'string') return byFormat[format] ?? 'text';
  return typeof pattern === 'string' && pattern.startsWith('^\\+') ? '+15550100123' : 'text';
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: '0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e',
  'date-time': '2026-03-02T15:04:05.000Z',
  uri: 'https://example.com/outdial',
  email: 'ada@example.com',
};

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
