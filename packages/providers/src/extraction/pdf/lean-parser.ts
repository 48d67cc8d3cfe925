import { registerHooks } from 'node:module';

/** Stands for a glyph whose letter the document does not tell. */
export const unknownLetter = '\ufffd';

/**
 * pdf.js is made to draw pages. These changes to the source of its worker remove work that only drawing needs, and mark glyphs without a letter; otherwise the text stays exactly the same. If a
 * change does not match a new version of pdf.js, it is skipped, and `lean-parser.test.ts` fails: reading is then slower, not wrong.
 */
export const leanChanges: readonly LeanChange[] = [
  {
    // Font programs are unpacked, checked and rewritten for a browser. pdf.js needs them only if the document does not map glyphs to letters
    // (`adjustTrueTypeToUnicode`, `adjustType1ToUnicode`).
    from: '    if (!file || file.isEmpty) {\n      if (file) {',
    to: `    if (file && properties.hasIncludedToUnicodeMap) {
      amendFallbackToUnicode(properties);
      this.toUnicode = properties.toUnicode;
      return;
    }
    if (!file || file.isEmpty) {
      if (file) {`,
  },
  {
    // Checking whether a font program is empty unpacks its beginning.
    from: '} else if (fontFile.isEmpty) {',
    to: '} else if (!toUnicode && fontFile.isEmpty) {',
  },
  {
    // Runs twice for each glyph. Multiplies all matrices at once: three elements of `tsm` are always zero.
    from: 'return Util.transform(textState.ctm, Util.transform(textState.textMatrix, tsm));',
    to: `const [m, c, x, y, rise] = [textState.textMatrix, textState.ctm, tsm[0], tsm[3], tsm[5]];
      const m0 = m[0] * x, m1 = m[1] * x, m2 = m[2] * y, m3 = m[3] * y;
      const m4 = m[2] * rise + m[4], m5 = m[3] * rise + m[5];
      return [c[0] * m0 + c[2] * m1, c[1] * m0 + c[3] * m1, c[0] * m2 + c[2] * m3, c[1] * m2 + c[3] * m3,
        c[0] * m4 + c[2] * m5 + c[4], c[1] * m4 + c[3] * m5 + c[5]];`,
  },
  {
    // For a composite font without a map to letters, pdf.js takes the number of a glyph for a letter.
    from: 'return new IdentityToUnicodeMap(properties.firstChar, properties.lastChar);',
    to: 'return Object.assign(new IdentityToUnicodeMap(properties.firstChar, properties.lastChar), { isUnknown: true });',
  },
  {
    // The same for a glyph whose name nobody knows.
    from: 'let unicode = this.toUnicode.get(charcode) || charcode;',
    to: `let unicode = this.toUnicode.isUnknown ? "\\ufffd" : this.toUnicode.get(charcode) ||
      (this.differences?.[charcode] && this.differences[charcode] !== ".notdef" ? "\\ufffd" : charcode);`,
  },
];

export interface LeanChange {
  /** Must occur in the source exactly once. */
  from: string;
  to: string;
}

export function makeLean(source: string): string {
  return leanChanges.reduce(
    (text, { from, to }) => (fits(text, from) ? text.replace(from, () => to) : text),
    source,
  );
}

export function fits(source: string, from: string): boolean {
  const at = source.indexOf(from);
  return at >= 0 && source.indexOf(from, at + 1) < 0;
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/pdfjs-dist/legacy/build/pdf.worker.mjs') || !loaded.source) return loaded;
    const source =
      typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: makeLean(source) };
  },
});
