import { hostileText } from './hostile-values.ts';
import { oddHeaders } from './headers.ts';
import { jsonText } from './json-text.ts';
import type { FuzzTarget, Surroundings } from './target.ts';
import { framed, oddSegment, queryText } from './wire.ts';

/** The pages of operators, and paths that do not exist. */
export function pageTargets({ random, operators }: Surroundings): FuzzTarget[] {
  const paths = [
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/',
    '/ops/queues',
    '/ops/queues/api/queues',
    '/ops/queues/queue/x',
    '/ops/queues/api/queues/place-call/1',
    '/ops/queues/api/queues/x/clean/y',
    '/ops/queues/static/../../../etc/passwd',
    '/api/v1/none',
    '*',
  ];
  return paths.map((path) => ({
    name: path,
    make: () => {
      const basic = Buffer.from(
        `${operators.user}:${random.chance(0.9) ? operators.password : hostileText(random)}`,
      ).toString('base64');
      const query = random.chance(0.3)
        ? `?${random.pick(['activeQueue', 'status', 'page', 'jobsPerPage', 'a'])}=${queryText(random, hostileText(random))}`
        : '';
      const tail = random.chance(0.1) && path !== '*' ? `/${oddSegment(random)}` : '';
      const method = random.pick(['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']);
      const body =
        /P/.test(method) && random.chance(0.5)
          ? framed(random, Buffer.from(jsonText({ a: hostileText(random) })), [
              ['Content-Type', 'application/json'],
            ])
          : null;
      return {
        method,
        target: `${path}${tail}${query}`,
        headers: [
          ['Host', 'fuzz.example'],
          ['Connection', 'close'],
          ...(random.chance(0.8) ? [['Authorization', `Basic ${basic}`] as const] : []),
          ...(body?.headers ?? []),
          ...oddHeaders(random),
        ],
        body: body?.bytes ?? null,
      };
    },
  }));
}
