import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);

const service = z.object({
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});
const composeFile = z.object({ services: z.record(z.string(), service) });

/** The repository's docker-compose.yml, its anchors and merge keys resolved. */
export function readComposeFile(): { document: unknown; services: z.output<typeof composeFile>['services'] } {
  const text = readFileSync(new URL('docker-compose.yml', root), 'utf8');
  const document: unknown = parse(text, { merge: true });
  return { document, services: composeFile.parse(document).services };
}

/** The violations of the compose specification, one per line. */
export function composeFaults(document: unknown): string[] {
  // The schema comes with the linter; it declares formats of Compose itself, such as durations.
  const path = fileURLToPath(import.meta.resolve('dclint'));
  const folder = path.slice(0, path.lastIndexOf('/dclint/') + '/dclint/'.length);
  const schema: unknown = JSON.parse(readFileSync(`${folder}schemas/compose.schema.json`, 'utf8'));
  const ajv = new Ajv2019({ allErrors: true, strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addFormat('duration', true);
  const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(schema));
  validate(document);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}
