import type { Tenant } from '../attack/tenant.ts';
import type { Random } from '../chaos/random.ts';
import type { JsonSchema } from './from-schema.ts';
import type { Signing } from './headers.ts';
import type { KnownIds } from './known-ids.ts';
import type { RawRequest } from './raw-request.ts';

export interface ApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface OperationObject {
  operationId: string;
  parameters?: Array<{ in: string; name: string; schema?: JsonSchema }>;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

/** Generates the requests of one kind. */
export interface FuzzTarget {
  name: string;
  make: (tenant: Tenant) => RawRequest;
}

export interface Surroundings {
  random: Random;
  document: ApiDocument;
  ids: KnownIds;
  signing: Signing;
  operators: { user: string; password: string };
  gateway: { name: string; secret: string };
}
