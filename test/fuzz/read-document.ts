import { z } from 'zod';
import type { ApiDocument } from './target.ts';

/** The shape is what the generator makes of it. */
const documentShape = z.looseObject({ paths: z.record(z.string(), z.unknown()), components: z.unknown() });

export async function readDocument(api: URL): Promise<ApiDocument> {
  const response = await fetch(new URL('/openapi.json', api));
  // Its schema is the OpenAPI specification's; a test holds the document to it.
  return documentShape.parse(await response.json()) as unknown as ApiDocument;
}
