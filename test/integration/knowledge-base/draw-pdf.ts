/** A PDF of the given pages, each a line of text, with further objects that nothing refers to. */
export function drawPdf({
  pages,
  extraObjects = 0,
  pageCount = pages.length,
}: {
  pages: readonly string[];
  extraObjects?: number;
  /** The document's metadata. */
  pageCount?: number;
}): Buffer<ArrayBuffer> {
  const font = 3;
  const firstPage = 4;
  const kids = pages.map((_, at) => `${firstPage + at * 2} 0 R`).join(' ');
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pageCount} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const content = `BT /F1 12 Tf 40 150 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${firstPage + at * 2 + 1} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    ...Array.from({ length: extraObjects }, () => 'null'),
  ];
  const parts = ['%PDF-1.7\n'];
  const table = ['0000000000 65535 f \n'];
  let length = 9;
  bodies.forEach((body, at) => {
    const part = `${at + 1} 0 obj\n${body}\nendobj\n`;
    table.push(`${String(length).padStart(10, '0')} 00000 n \n`);
    parts.push(part);
    length += part.length;
  });
  const size = bodies.length + 1;
  parts.push(
    `xref\n0 ${size}\n${table.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
  );
  return Buffer.from(parts.join(''), 'latin1');
}
