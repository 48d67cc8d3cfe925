import { describe, expect, test } from 'vitest';
import { ExtractionError } from '../extraction-error.ts';
import { extractPdfPages } from './extract-pdf.ts';

/** A PDF of one page with text, before pages without. The objects from 6 on are `more`. */
function pdf(args: {
  text: string;
  font?: string;
  page?: string;
  catalog?: string;
  more?: string[];
  emptyPages?: number;
}) {
  const { text, font = helvetica, page = '', catalog = '', more = [], emptyPages = 0 } = args;
  const empty = Array.from(
    { length: emptyPages },
    () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
  );
  const kids = ['4 0 R', ...empty.map((_, at) => `${6 + more.length + at} 0 R`)];
  const bodies = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    font,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> ${page} >>`,
    stream(`BT /F1 10 Tf 40 150 Td ${text} ET`),
    ...more,
    ...empty,
  ];
  const objects = bodies.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`).join('');
  return new Uint8Array(Buffer.from(`%PDF-1.7\n${objects}trailer\n<< /Root 1 0 R >>\n%%EOF\n`, 'latin1'));
}

function stream(content: string, more = ''): string {
  return `<< /Length ${content.length} ${more} >>\nstream\n${content}\nendstream`;
}

const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const pages = await extractPdfPages(bytes, { maxPages: 9, maxTextChars: 10_000 });
  return pages.join('\f');
}

async function failureOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const error: unknown = await read(bytes).catch((failure: unknown) => failure);
  if (error instanceof ExtractionError) return error.failure.code;
  throw new Error('no failure', { cause: error });
}

describe('fonts that do not map their glyphs to letters', () => {
  const descriptor =
    '<< /Type /FontDescriptor /FontName /ABCDEF+Some /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>';
  const composite = (more = '') =>
    `<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Some /Encoding /Identity-H ${more} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} /DW 500 >>] >>`;
  const glyphs = '<002400250026002700280029> Tj';

  test.each([
    ['composite', composite(), glyphs, []],
    [
      'with glyph names of its own',
      `<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Some /FirstChar 65 /LastChar 67 /Widths [500 500 500] /Encoding << /Differences [65 /a1 /a2 /a3] >> /FontDescriptor ${descriptor} >>`,
      '(ABCABC) Tj',
      [],
    ],
    [
      'with numbered glyph names',
      `<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Some /FirstChar 65 /LastChar 67 /Widths [500 500 500] /Encoding << /Differences [65 /G01 /G02 /G03] >> /FontDescriptor ${descriptor} >>`,
      '(ABCABC) Tj',
      [],
    ],
    [
      'of drawings',
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /sq 6 0 R >> /Encoding << /Differences [97 /sq] >> /FirstChar 97 /LastChar 97 /Widths [1000] /Resources << >> >>',
      '(aaaa) Tj',
      [stream('1000 0 0 0 750 750 d1 0 0 750 750 re f')],
    ],
  ])('%s: the text is refused, not garbage', async (_name, font, text, more) => {
    expect(await failureOf(pdf({ text, font, more }))).toBe('unmapped_fonts');
  });

  test('composite, with a map: is read', async () => {
    const map =
      '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0024> <0029> <0041> endbfrange endcmap end';
    const font = composite('/ToUnicode 6 0 R');
    expect(await read(pdf({ text: glyphs, font, more: [stream(map)] }))).toBe('ABCDEF');
  });
});

test('a portfolio is refused, because its page is only a cover', async () => {
  const text = '(For the best experience, open this PDF portfolio in Acrobat X.) Tj';
  expect(await failureOf(pdf({ text, catalog: '/Collection << /Type /Collection /View /T >>' }))).toBe(
    'portfolio',
  );
});

test('a letter before scanned pages is refused, a few pages without text are read', async () => {
  const text = '(Enclosed is the manual.) Tj';
  expect(await failureOf(pdf({ text, emptyPages: 2 }))).toBe('no_text');
  expect(await read(pdf({ text, emptyPages: 1 }))).toContain('manual');
});

describe('forms', () => {
  const widget = (rest: string) => `<< /Type /Annot /Subtype /Widget /F 4 /P 4 0 R ${rest} >>`;
  const annotations = [
    widget('/FT /Tx /T (name) /V (Ada Lovelace) /Rect [100 146 200 161]'),
    widget(
      '/FT /Btn /T (agreed) /V /Yes /AS /Yes /Rect [100 128 110 138] /AP << /N << /Yes 12 0 R /Off 12 0 R >> >>',
    ),
    widget('/FT /Ch /Ff 131072 /T (city) /V (Rome) /Opt [(Rome) (Paris)] /Rect [100 106 200 121]'),
    '<< /Type /Annot /Subtype /FreeText /Contents (call after six) /F 4 /Rect [100 86 200 101] /DA (/Helv 10 Tf) >>',
    widget('/FT /Tx /Ff 8192 /T (password) /V (secret) /Rect [100 66 200 81]'),
    widget('/FT /Tx /T (hidden) /V (invisible) /Rect [100 46 200 61] /F 2').replace('/F 4', ''),
    stream('', '/Type /XObject /Subtype /Form /BBox [0 0 10 10]'),
  ];
  const form = {
    page: '/Annots [6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]',
    catalog: '/AcroForm << /Fields [6 0 R 7 0 R 8 0 R 10 0 R 11 0 R] >>',
    more: annotations,
  };

  test('values and free text stand beside their labels; passwords and hidden fields are left out', async () => {
    const text = '(Name:) Tj 0 -20 Td (Agreed:) Tj 0 -20 Td (City:) Tj 0 -20 Td (Note:) Tj';
    const page = await read(pdf({ text, ...form }));
    expect(page.split(/\s*\n\s*/).map((line) => line.split('\t'))).toEqual([
      ['Name:', 'Ada Lovelace'],
      ['Agreed:', '☒'],
      ['City:', 'Rome'],
      ['Note:', 'call after six'],
    ]);
  });

  test('a page of fields only is read', async () => {
    expect(await read(pdf({ text: '', ...form }))).toContain('Ada Lovelace');
  });

  test.each([
    [
      'in English',
      '(Please wait...) Tj 0 -20 Td (If this message is not eventually replaced by the proper contents of the document, your PDF viewer may not be able to display this type of document.) Tj',
    ],
    ['in German', '(Bitte warten. Sie brauchen Adobe Reader 8 oder neuer.) Tj'],
    ['empty', ''],
  ])('the page in the place of an XFA form is refused, %s', async (_name, text) => {
    const catalog = '/AcroForm << /Fields [] /XFA 6 0 R >>';
    const xfa = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"></xdp:xdp>';
    expect(await failureOf(pdf({ text, catalog, more: [stream(xfa)] }))).toBe('xfa_form');
  });

  test('a page about Adobe, and a static form with a page of its own, are read', async () => {
    expect(await read(pdf({ text: '(Install Adobe Reader first.) Tj' }))).toContain('Adobe Reader');
    const catalog = '/AcroForm << /Fields [] /XFA 6 0 R >>';
    expect(await read(pdf({ text: '(Order form) Tj', catalog, more: [stream('<xdp/>')] }))).toBe(
      'Order form',
    );
  });
});
