import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/openapi.ts';

export interface OutdialOptions {
  /** The address of the api, without `/api/v1`: `http://localhost:3000`. */
  baseUrl: string;
  /** Sent as `X-API-Key`. Give this or `accessToken`. */
  apiKey?: string;
  /** Sent as `Authorization: Bearer`. */
  accessToken?: string;
  /** Replaces the runtime's own `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Every operation of the interface, typed: `client.GET('/api/v1/campaigns/{campaign_id}', { params: { path: { … } } })`. */
export type OutdialClient = Client<paths>;

/** A client of the Outdial API. It opens nothing, and can be shared. */
export function createOutdialClient({ baseUrl, apiKey, accessToken, fetch }: OutdialOptions): OutdialClient {
  return createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: {
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
    },
    ...(fetch !== undefined && { fetch }),
  });
}
