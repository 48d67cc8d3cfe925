import type { Request, RequestHandler, Response } from 'express';

/** Runs an Express middleware as a function. */
export function runMiddleware(middleware: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const returned: unknown = middleware(req, res, (error?: unknown) => {
      if (error === undefined || error === null) {
        resolve();
      } else {
        // Middlewares pass errors of their libraries unchanged.
        reject(error instanceof Error ? error : new Error('a middleware failed', { cause: error }));
      }
    });
    if (returned instanceof Promise) returned.catch(reject);
  });
}
