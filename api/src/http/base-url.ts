import type { Request } from 'express';
import type { ApiConfig } from '../deps.ts';

/** Where this service is reached: as it is set, else as this request found it. Without a trailing slash. */
export function baseUrl(req: Request, config: Pick<ApiConfig, 'publicUrl'>): string {
  return config.publicUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`;
}
