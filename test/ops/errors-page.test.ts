import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCatalogue, validationErrorTypes, type ErrorMeaning } from '@outdial/contracts';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const catalogue: Readonly<Record<string, ErrorMeaning>> = errorCatalogue;

/** Where codes are written that answers carry. */
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

/** Turned into answers of another code, or into a 422, before they leave. */
const inner = new Set(['validation_error', 'invalid_campaign_fields']);

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
  string_type: 'a text is wanted',
  string_too_short: 'the text is too short',
  string_too_long: 'the text is too long',
  string_pattern_mismatch: 'the text has another form, such as that of a phone number',
  string_unicode: 'the text holds a character that cannot be kept',
  int_type: 'a whole number is wanted',
  int_parsing: 'a whole number is wanted, in a query',
  float_type: 'a number is wanted',
  bool_type: '`true` or `false` is wanted',
  list_type: 'a list is wanted',
  dict_type: 'an object is wanted',
  file_type: 'the file is of a kind that is not taken',
  uuid_parsing: 'a UUID is wanted',
  datetime_parsing: 'a date or a date-time is wanted',
  enum: 'one of the values that the message names is wanted',
  greater_than: 'the number is too small',
  greater_than_equal: 'the number is too small',
  less_than: 'the number is too large',
  less_than_equal: 'the number is too large',
  too_short: 'the list has too few items',
  too_long: 'the list has too many items, or the object is too large',
  extra_forbidden: 'the field or parameter is not known; the message names the one that was probably meant',
  value_error: 'anything else; the message says what',
};

// `npx vitest run --project unit test/ops/errors-page.test.ts --update` writes it again.
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

Every error but 422 is \`{"detail": "A sentence.", "code": "stable_code"}\`. Branch on \`code\`: codes are added and never change their meaning.

| status | \`code\` | cause | remedy |
| --- | --- | --- | --- |
${rows.join('\n')}

## 422: what was sent does not fit

\`{"detail": [{"loc", "msg", "type"}]}\`, an entry for each fault. \`loc\` is the place, beginning with \`body\`, \`query\` or \`path\`. \`msg\` says what
was expected and what was sent, masked where it may say who somebody is. Of many faults of a kind a hundred are named, and a last entry counts the others.

\`\`\`json
{
  "detail": [
    {
      "loc": ["body", "phone_numbers", 0],
      "msg": "Input should be a phone number in E.164 format, such as +15550100123, not \\"••• ••23\\"",
      "type": "string_pattern_mismatch"
    }
  ]
}
\`\`\`

| \`type\` | meaning |
| --- | --- |
${typeRows.join('\n')}
`;
  const written = fileURLToPath(new URL('../../docs/errors.md', import.meta.url));
  await expect(withAlignedTables(page)).toMatchFileSnapshot(written);
});

/** As the formatter aligns them. */
function withAlignedTables(page: string): string {
  return page.replaceAll(/(?:^\|.*\|\n)+/gm, (table) => {
    const rows = table
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    const widths = (rows[0] ?? []).map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    );
    const aligned = rows.map((row, index) =>
      row
        .map((cell, column) =>
          index === 1 ? '-'.repeat(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join(' | '),
    );
    return aligned.map((row) => `| ${row} |\n`).join('');
  });
}
