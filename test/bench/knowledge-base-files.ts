import { readdirSync, readFileSync } from 'node:fs';
import { PDFDocument } from 'pdf-lib';

const folder = new URL('../fixtures/documents/', import.meta.url);
const chosen =
  /^(prose|columns|pages|european|chinese|table)\.(chromium|libreoffice|xetex|ghostscript|pdfkit)\.pdf$/;

/** Prose, columns, tables, European languages and Chinese, each from several PDF producers. */
export const leaflets: readonly Buffer[] = readdirSync(folder)
  .filter((name) => chosen.test(name))
  .map((name) => readFileSync(new URL(name, folder)));

/** Longer documents, assembled from all leaflets. */
export function manuals(count: number): Promise<Buffer[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => merge(at)));
}

/** Appends a mark, so that each file has different content. */
async function merge(mark: number): Promise<Buffer> {
  const merged = await PDFDocument.create();
  merged.setTitle(`Copy ${mark}`);
  for (const leaflet of leaflets) {
    const source = await PDFDocument.load(leaflet);
    for (const page of await merged.copyPages(source, source.getPageIndices())) merged.addPage(page);
  }
  return Buffer.from(await merged.save());
}
