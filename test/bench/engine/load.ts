import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

export interface Load {
  requestsPerSecond: number;
  p99Ms: number;
}

/** The fields of autocannon's `--json` output that are used here. */
const report = z.object({
  requests: z.object({ total: z.number() }),
  latency: z.object({ p99: z.number() }),
  duration: z.number(),
  errors: z.number(),
  non2xx: z.number(),
});

const program = fileURLToPath(import.meta.resolve('autocannon'));
const run = promisify(execFile);

/** Repeats one request over several connections, from a separate process. */
export async function loadWith(
  url: string,
  request: Request,
  args: { apiKey: string; connections: number; seconds: number },
): Promise<Load> {
  const flags = ['--json', '-c', String(args.connections), '-d', String(args.seconds), '-m', request.method];
  const headers = ['-H', `x-api-key=${args.apiKey}`, '-H', 'content-type=application/json'];
  const body = request.body === undefined ? [] : ['-b', request.body];
  const { stdout } = await run(process.execPath, [
    program,
    ...flags,
    ...headers,
    ...body,
    url + request.path,
  ]);
  const seen = report.parse(JSON.parse(stdout));
  if (seen.errors + seen.non2xx > 0) {
    throw new Error(`${seen.errors + seen.non2xx} requests failed: ${request.path}`);
  }
  return { requestsPerSecond: seen.requests.total / seen.duration, p99Ms: seen.latency.p99 };
}
