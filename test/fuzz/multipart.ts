import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '../chaos/random.ts';
import { damage } from './encodings.ts';
import { hostileText } from './hostile-values.ts';
import { zip } from '../../packages/sheets/src/workbook.fixture.ts';

const documents = new URL('../fixtures/documents/', import.meta.url);
const small = readdirSync(documents)
  .filter((name) => /\.(txt|pdf)$/.test(name))
  .map((name) => readFileSync(new URL(name, documents)))
  .filter((bytes) => bytes.length < 60_000);

export interface Form {
  contentType: string;
  body: Buffer;
}

/** A form with the given text fields and a file. Any part of it may be malformed. */
export function hostileForm(
  random: Random,
  parts: Readonly<Record<string, string>>,
  hostility: number,
): Form {
  const isRight = random.chance(0.5 - hostility);
  const boundary = random.chance(0.1)
    ? random.pick(['-', 'a b', "'()+_,-./:=?", 'x'.repeat(70)])
    : 'fuzz-boundary';
  const pieces: Buffer[] = [];
  for (const [name, value] of Object.entries(parts)) {
    pieces.push(piece(boundary, `name="${name}"`, [], Buffer.from(value)));
  }
  if (isRight) pieces.push(rightFile(random, boundary));
  else if (random.chance(0.95)) pieces.push(filePiece(random, boundary));
  if (!isRight && random.chance(0.05)) pieces.push(filePiece(random, boundary));
  if (!isRight && random.chance(0.1)) {
    pieces.push(
      piece(boundary, `name="${quoted(hostileText(random))}"`, [], Buffer.from(hostileText(random))),
    );
  }
  const whole = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  const label = random.chance(0.3) ? `"${boundary}"` : boundary;
  return {
    contentType: `multipart/form-data; boundary=${label}`,
    body: !isRight && random.chance(0.1) ? damage(random, whole) : whole,
  };
}

function rightFile(random: Random, boundary: string): Buffer {
  const changedAt = new Date(Date.now() - 3_600_000).toISOString();
  const content = Buffer.from(
    `phone,name,kind,changed_at,source\n+1555${random.between(1_000_000, 9_999_999)},Ada,ported,${changedAt},Registry\n`,
  );
  return piece(boundary, 'name="file"; filename="a.txt"', ['Content-Type: text/plain'], content);
}

function filePiece(random: Random, boundary: string): Buffer {
  const name = random.chance(0.95) ? 'file' : random.pick(['File', 'file[]', '__proto__', '']);
  const fileName = random.pick([
    'filename="list.csv"',
    'filename="a.txt"',
    'filename=""',
    `filename="${quoted(hostileText(random)).slice(0, 2_000)}"`,
    `filename*=UTF-8''${encodeURIComponent(hostileText(random).toWellFormed()).slice(0, 2_000)}`,
    `filename*=UTF-8''%00%ff%fe`,
    `filename*=utf-16''a%`,
    `filename*=x''${'%41'.repeat(300)}`,
    `filename="a"; filename*=UTF-8''%e2%82`,
    'filename*=',
    "filename*=''''",
  ]);
  const type = random.pick([
    'text/csv',
    'application/pdf',
    'text/plain; charset=utf-7',
    'x',
    '',
    'multipart/mixed; boundary=b',
  ]);
  const encoding = random.chance(0.1)
    ? [`Content-Transfer-Encoding: ${random.pick(['base64', '8bit', 'x'])}`]
    : [];
  return piece(
    boundary,
    `name="${name}"; ${fileName}`,
    [`Content-Type: ${type}`, ...encoding],
    hostileFile(random),
  );
}

function piece(boundary: string, disposition: string, headers: readonly string[], content: Buffer): Buffer {
  const head = [`--${boundary}`, `Content-Disposition: form-data; ${disposition}`, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content, Buffer.from('\r\n')]);
}

function quoted(text: string): string {
  return text.replaceAll(/[\r\n"]/g, '').slice(0, 5_000);
}

/** A table, a workbook or a document, or bytes that only claim to be one. */
export function hostileFile(random: Random): Buffer {
  const kinds: [() => Buffer, ...Array<() => Buffer>] = [
    () => hostileTable(random),
    () => hostileTable(random),
    () => hostileWorkbook(random),
    () => Buffer.from(hostileText(random)),
    () => damage(random, small[random.between(0, small.length - 1)] ?? Buffer.alloc(0)),
    () => small[random.between(0, small.length - 1)] ?? Buffer.alloc(0),
  ];
  return random.pick(kinds)();
}

export function hostileTable(random: Random): Buffer {
  const separator = random.pick([',', ';', '\t', ',', ',', '|']);
  const columns = Array.from({ length: random.between(1, 5) }, () =>
    random.chance(0.7)
      ? random.pick(['phone', 'name', 'timezone', 'reason', 'phone_number', 'Phone', 'note'])
      : hostileText(random).slice(0, 200),
  );
  if (random.chance(0.01)) columns.push(...Array.from({ length: 20_000 }, (_, at) => `c${at}`));
  const rows = Array.from({ length: random.between(0, 12) }, () =>
    columns
      .slice(0, 20)
      .map(() =>
        random.chance(0.5)
          ? `+1555${random.between(1_000_000, 9_999_999)}`
          : hostileText(random).slice(0, 300),
      ),
  );
  const quote = (cell: string) => (random.chance(0.5) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const text = [columns, ...rows]
    .map((row) => row.map(quote).join(separator))
    .join(random.pick(['\n', '\r\n', '\r']));
  const bytes = random.chance(0.1) ? Buffer.from(text, 'utf16le') : Buffer.from(text);
  return random.chance(0.1) ? damage(random, bytes) : bytes;
}

/** A minimal workbook (ECMA-376), of which each part may be invalid. */
export function hostileWorkbook(random: Random): Buffer {
  const cell = () =>
    random.pick([
      `<c t="inlineStr"><is><t>${escaped(hostileText(random)).slice(0, 300)}</t></is></c>`,
      `<c r="${random.pick(['A1', 'XFD1048576', 'ZZZZZZ9', 'A-1', '1A', ''])}"><v>${random.pick(['1', '1e400', '-1', 'x', ''])}</v></c>`,
      `<c t="s"><v>${random.pick(['0', '99999999', '-1', 'x', '1e300'])}</v></c>`,
      `<c t="${random.pick(['d', 'b', 'e', 'str', '__proto__'])}"><v>1</v></c>`,
      `<c t="inlineStr"><is><t>+1555${random.between(1_000_000, 9_999_999)}</t></is></c>`,
    ]);
  const row = (cells: readonly string[]) =>
    `<row r="${random.pick(['1', '2', '1048577', '-1', 'x', '4294967296'])}">${cells.join('')}</row>`;
  const header = row([
    '<c t="inlineStr"><is><t>phone</t></is></c>',
    '<c t="inlineStr"><is><t>name</t></is></c>',
  ]);
  const rows = Array.from({ length: random.between(0, 5) }, () => row([cell(), cell()]));
  const sheet = `<?xml version="1.0"?>${random.chance(0.1) ? '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;&b;">]>' : ''}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${header}${rows.join('')}</sheetData></worksheet>`;
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml':
      '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="${random.pick(['worksheets/sheet1.xml', '/xl/worksheets/sheet1.xml', '../../etc/passwd', 'http://example.com/', ''])}"/></Relationships>`,
    'xl/worksheets/sheet1.xml': sheet,
    'xl/sharedStrings.xml': '<sst><si><t>shared</t></si></sst>',
  };
  for (const name of Object.keys(files)) {
    const fate = random.next();
    if (fate < 0.05) delete files[name];
    else if (fate < 0.1) files[name] = hostileText(random).toWellFormed();
  }
  const packed = zip(Object.entries(files));
  return random.chance(0.3) ? damage(random, packed) : packed;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
