import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '@outdial/runtime';
import type { Principal } from './principal.ts';

/** What other systems send as ids, and nothing that could break out of a log line or a header. */
const saneRequestId = /^[\w.:-]{1,128}$/;

/** Gives each request its id, which the answer repeats, and writes one line when it is answered. */
export function requestLog(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: requestId,
    customLogLevel: (_req, res, error) => {
      if (error !== undefined || res.statusCode >= 500) {
        return 'error';
      }
      return res.statusCode >= 400 ? 'info' : 'debug';
    },
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request failed',
    customProps: (_req, res) => callerOf(res),
    // Neither headers (credentials) nor query strings (phone numbers of a search): a line says what was asked, by whom, and how it ended.
    serializers: { req: serializeRequest, res: serializeResponse },
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'request_id', responseTime: 'duration_ms' },
  });
}

function requestId(req: IncomingMessage, res: ServerResponse): string {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', id);
  return id;
}

function callerOf(res: ServerResponse): object {
  // The server is Express's, which adds `locals`; `mountRoutes` puts the principal there.
  const { principal } = (res as Response<unknown, { principal?: Principal }>).locals;
  return principal === undefined
    ? {}
    : { organization_id: principal.organizationId, user_id: principal.userId, role: principal.role };
}

interface LoggedRequest {
  method?: string;
  url?: string;
}

function serializeRequest({ method, url }: LoggedRequest): object {
  return { method, path: url?.split('?', 1)[0] };
}

function serializeResponse({ statusCode }: { statusCode?: number }): object {
  return { status: statusCode };
}
