/** The fields that we use of pdf.js's `TextItem`, one run of glyphs. Items that mark content have no `str`. */
export interface PageItem {
  str: string;
  /** `[a, b, c, d, e, f]`, from glyph space to user space (ISO 32000-1, 8.3.4). */
  transform: readonly number[];
  width: number;
  height: number;
  hasEOL: boolean;
  fontName?: string;
}

/** The fields that we use of pdf.js's annotation data (`getAnnotations`). Other annotations have none of them. */
export interface PageAnnotation {
  subtype?: string;
  /** `[x1, y1, x2, y2]` in user space. */
  rect?: readonly number[];
  hidden?: boolean;
  noView?: boolean;
  /** Fields of forms: `Tx` text, `Btn` button, `Ch` choice, `Sig` signature (ISO 32000-1, 12.7.4). */
  fieldType?: string;
  fieldValue?: unknown;
  password?: boolean;
  checkBox?: boolean;
  exportValue?: string;
  buttonValue?: string | null;
  contentsObj?: { str?: string };
}

/** The part that we use of pdf.js's `PDFPageProxy`, which is the argument of pdf-parse's page reader. */
export interface PdfPage {
  getTextContent(options: { includeMarkedContent: boolean; disableNormalization: boolean }): Promise<{
    items: ReadonlyArray<PageItem | { type: string }>;
  }>;
  getAnnotations(options: { intent: 'display' }): Promise<readonly PageAnnotation[]>;
  /** What would draw the page. Loads its fonts into `commonObjs`. */
  getOperatorList(options: { annotationMode: number }): Promise<unknown>;
  commonObjs: { has(name: string): boolean; get(name: string): unknown };
}
