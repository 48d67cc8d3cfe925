import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCatalogue, validationErrorTypes, type ErrorMeaning } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { withAlignedTables } from '../support/markdown-tables.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const catalogue: Readonly<Record<string, ErrorMeaning>> = errorCatalogue;

/** The sources with error codes of answers. */
const sources = [
  'api/src/**/*.ts',
  'packages/engine/src/**/*.ts',
  'packages/core/src/errors.ts',
  'db/src/knowledge-base/*.ts',
];
const written = [
  /new (?:ConflictError|MalformedRequestError)\(\s*'([a-z_]+)'/g,
  /new RetryLaterError\(\s*\d{3},\s*'([a-z_]+)'/g,
  /readonly code(?:: string)? = '([a-z_]+)'/g,
  /detail: [^,]+, code: '([a-z_]+)'/g,
];

/** Internal codes, which are converted to another code or a 422. */
const inner = new Set(['invalid_campaign_fields', 'number_refused', 'values_missing']);

function codesOfSources(): Set<string> {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const texts = files
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(root + file, 'utf8'));
  const codes = texts.flatMap((text) =>
    written.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? '')),
  );
  return new Set(codes.filter((code) => !inner.has(code)));
}

test('the catalogue has every code that the sources can answer', () => {
  const codes = codesOfSources();
  expect(codes.size).toBeGreaterThan(30);
  expect([...codes].filter((code) => !Object.hasOwn(catalogue, code))).toEqual([]);
});

const types: Readonly<Record<(typeof validationErrorTypes)[number], string>> = {
  missing: 'the field is required',
  string_type: 'a text is required',
  string_too_short: 'the text is too short',
  string_too_long: 'the text is too long',
  string_pattern_mismatch: 'the text does not have the required form, such as that of a phone number',
  string_unicode: 'the text has a character that cannot be stored',
  int_type: 'a whole number is required',
  int_parsing: 'a whole number is required, in a query',
  float_type: 'a number is required',
  bool_type: '`true` or `false` is required',
  list_type: 'a list is required',
  dict_type: 'an object is required',
  file_type: 'the file type is not accepted',
  uuid_parsing: 'a UUID is required',
  datetime_parsing: 'a date or a date-time is required',
  enum: 'the value is not one of those in the message',
  greater_than: 'the number is too small',
  greater_than_equal: 'the number is too small',
  less_than: 'the number is too large',
  less_than_equal: 'the number is too large',
  too_short: 'the list has too few items',
  too_long: 'the list has too many items, or the object is too large',
  extra_forbidden: 'the field or parameter is unknown; the message suggests the intended one',
  value_error: 'any other fault; the message describes it',
};

// `npx vitest run --project unit test/ops/errors-page.test.ts --update` rewrites it.
test('docs/errors.md is the catalogue', async () => {
  const rows = Object.entries(catalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, otherStatus, cause, remedy }]) =>
        `| ${otherStatus === undefined ? status : `${status}, ${otherStatus}`} | \`${code}\` | ${cause} | ${remedy} |`,
    );
  const typeRows = validationErrorTypes.map((type) => `| \`${type}\` | ${types[type]} |`);
  const page = `# Errors

<!-- Written from packages/contracts/src/http/error-catalogue.ts. -->

Every error but 422 is \`{"detail": "A sentence.", "code": "stable_code"}\`. A 422 has a \`code\` too, and a list as its \`detail\`. Branch on \`code\`: codes are added and never change their meaning.

| status | \`code\` | cause | remedy |
| --- | --- | --- | --- |
${rows.join('\n')}

## 422: invalid requests

\`{"detail": [{"loc", "msg", "type"}], "code": "validation"}\`, with an entry for each fault. \`loc\` is the location, beginning with \`body\`, \`query\` or \`path\`. \`msg\` has the expected
and the sent value, masked if it may identify a person. Of each kind, at most a hundred faults are listed; a last entry counts the others.

\`\`\`json
{
  "detail": [
    {
      "loc": ["body", "phone_numbers", 0],
      "msg": "Input should be a phone number in E.164 format, such as +15550100123, not \\"••• ••23\\"",
      "type": "string_pattern_mismatch"
    }
  ],
  "code": "validation"
}
\`\`\`

| \`type\` | meaning |
| --- | --- |
${typeRows.join('\n')}
`;
  const written = fileURLToPath(new URL('../../docs/errors.md', import.meta.url));
  await expect(withAlignedTables(page)).toMatchFileSnapshot(written);
});
