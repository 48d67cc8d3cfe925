import { z } from 'zod';
import type { ApiDocument } from './target.ts';

/** Only the shape is checked here. */
const documentShape = z.looseObject({ paths: z.record(z.string(), z.unknown()), components: z.unknown() });

export async function readDocument(api: URL): Promise<ApiDocument> {
  const response = await fetch(new URL('/openapi.json', api));
  // A test validates the document against the OpenAPI specification.
  return documentShape.parse(await response.json()) as unknown as ApiDocument;
}
