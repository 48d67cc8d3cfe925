import type { Request, RequestHandler, Response } from 'express';

/** Runs one of Express's middlewares where an ordinary function is wanted. */
export function runMiddleware(middleware: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const returned: unknown = middleware(req, res, (error?: unknown) => {
      if (error === undefined || error === null) {
        resolve();
      } else {
        // Middlewares hand over errors of their libraries as they are.
        reject(error instanceof Error ? error : new Error('a middleware failed', { cause: error }));
      }
    });
    if (returned instanceof Promise) returned.catch(reject);
  });
}
