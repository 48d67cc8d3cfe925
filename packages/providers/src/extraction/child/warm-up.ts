import { extractFile } from './extract-file.ts';

/** A page with the text "ok". It has no cross-reference table; the parser finds the objects without one. */
const smallest = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 25>>stream
BT/F 9 Tf(ok)Tj ET        
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** The parser loads half of its code with its first document. This does it before a user's file waits. */
export async function warmUp(): Promise<void> {
  const bytes = new Uint8Array(Buffer.from(smallest, 'latin1'));
  const job = { fileType: 'PDF' as const, limits: { maxPages: 1, maxTextChars: 100 } };
  await extractFile(bytes, job, async () => undefined);
}
