import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { listLiveWorkers, type Db } from '@outdial/db';
import type { OpsQueues } from '@outdial/queues';
import type { RequestHandler } from 'express';
import {
  type HttpError,
  MalformedRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../http/errors.ts';

/** The board's `<link>`s to other hosts, for fonts that it does not need. */
const foreignLinks = /<link [^>]*href="https?:\/\/[^>]*>/g;

/** Allows the board's own scripts and styles, and no other host, even if a later version names one. */
const policy =
  "default-src 'self'; base-uri 'self'; font-src 'self' data:; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
  "script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** bull-board with our title, our workers, and links from jobs to their campaigns as operators may see them. */
export function queueBoard(
  { db, queues, writable }: { db: Db; queues: OpsQueues; writable: boolean },
  paths: { board: string; campaigns: string },
): RequestHandler[] {
  const adapter = new ExpressAdapter();
  adapter.setBasePath(paths.board);
  createBullBoard({
    queues: queues.queues.map((queue) => {
      const externalJobUrl = (job: { data?: unknown }) => campaignLink(job.data, paths.campaigns);
      // Without a link the board shows none, although its type requires one.
      const options = { externalJobUrl: externalJobUrl as LinkOfJob, readOnlyMode: !writable };
      return queues.kind === 'postgres'
        ? new PostgresQueueAdapter(queue, options, db)
        : new BullMQAdapter(queue, options);
    }),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Outdial queues', hideDocsLink: true } },
  });
  // Its own handler answers 500 with the error's message and logs nothing. Unreachable queues must be a 503, as elsewhere.
  adapter.setErrorHandler((error) => {
    throw refusedBody(error) ?? error;
  });
  // bull-board types its router as `any`; it is an Express router.
  return [ownHostOnly, adapter.getRouter() as RequestHandler];
}

/** The board reads bodies with Express' parser, whose refusals have a status. */
function refusedBody(error: Error): HttpError | null {
  switch ('status' in error ? error.status : null) {
    case 400:
      return new MalformedRequestError('malformed_json', 'The body is not valid JSON');
    case 413:
      return new PayloadTooLargeError('The body is too large');
    case 415:
      return new UnsupportedMediaTypeError('The encoding of the body is not supported');
    default:
      return null;
  }
}

type LinkOfJob = NonNullable<NonNullable<ConstructorParameters<typeof BullMQAdapter>[1]>['externalJobUrl']>;

/** On Postgres, queues do not know their workers' connections, so the board would show none. */
class PostgresQueueAdapter extends BullMQAdapter {
  readonly #db: Db;

  constructor(
    queue: ConstructorParameters<typeof BullMQAdapter>[0],
    options: ConstructorParameters<typeof BullMQAdapter>[1],
    db: Db,
  ) {
    super(queue, options);
    this.#db = db;
  }

  /** Each worker consumes all queues. */
  override async getWorkers() {
    const workers = await listLiveWorkers(this.#db);
    return workers.map(({ id, ageSeconds }) => ({ id, name: id, addr: 'Postgres', age: ageSeconds }));
  }
}

/** Job payloads hold ids. A job without a campaign has no link. */
function campaignLink(data: unknown, path: string) {
  const id = typeof data === 'object' && data !== null && 'campaign_id' in data ? data.campaign_id : null;
  return typeof id === 'string'
    ? { displayText: 'Campaign', href: `${path}/${encodeURIComponent(id)}` }
    : undefined;
}

const ownHostOnly: RequestHandler = (_req, res, next) => {
  res.setHeader('Content-Security-Policy', policy);
  const send = res.send.bind(res);
  res.send = (body?: unknown) => send(typeof body === 'string' ? body.replace(foreignLinks, '') : body);
  next();
};
