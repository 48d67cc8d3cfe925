import type { Role, Warning } from '@outdial/contracts';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../deps.ts';
import { withWarnings } from './answer-warnings.ts';
import { check, checkPath, checkQuery } from './check-input.ts';
import { type IfMatch, ifMatchOf, type VersionOf } from './entity-tag.ts';
import { ValidationError } from './errors.ts';
import { refusedFields, shownFaults, withUnknownFields } from './input-faults.ts';
import type { Principal } from './principal.ts';
import { unknownFields, unknownFieldsWarning, unknownFieldWarning } from './unknown-fields.ts';
import type { UploadDefinition, UploadedFile } from './upload.ts';

/** An operation, as the server mounts it and the OpenAPI document describes it. */
export interface RouteDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` for parameters, as in OpenAPI, and without a trailing slash; both forms are served. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly roles: readonly Role[];
  /** The roles for bodies that need more than `roles`. The body has not been validated yet. */
  readonly rolesFor?: (body: unknown) => readonly Role[];
  /** Also accepts the token of a voice runtime. */
  readonly searchToken?: boolean;
  /** A POST that only reads. Like a GET, it ends when its caller leaves, or takes too long. */
  readonly changesNothing?: true;
  /** A POST that changes a resource and creates none, as its message says. */
  readonly updates?: true;
  /** A read that the audit log records. */
  readonly isAudited?: boolean;
  /**
   * `grant`: the operation gives somebody a right, or places a call, so it is committed before any right of the organization is taken away, or
   * refused. `revoke`: it takes rights away.
   */
  readonly rights?: 'grant' | 'revoke';
  readonly params?: Params;
  readonly query?: Query;
  /** Of JSON or, with `upload`, of the text parts of the multipart form. */
  readonly body?: Body;
  /** Accepts a JSON body of up to `JSON_BODY_LIMIT_BYTES`, for lists of people, instead of 64 KiB. */
  readonly largeBody?: true;
  /** Accepts a JSON body of up to this size instead of 64 KiB, for a long text. */
  readonly bodyBytesAtMost?: number;
  /**
   * Unknown fields of the body are a 422. The operations of the original interface (`docs/decisions/api.md`) have `warn`: they ignore unknown
   * fields and name them in `meta.warnings`.
   */
  readonly unknownFields?: 'warn';
  /** Of a read and of the `PUT` of the same resource: what `If-Match` compares, if parts of the data change by themselves. */
  readonly versionOf?: VersionOf;
  readonly upload?: UploadDefinition;
  /** The request headers that the operation uses, for the document. The handler reads them from `request.req`. */
  readonly headers?: Readonly<Record<string, { description: string }>>;
  /** The JSON of status 200, or the content types that the handler sends. */
  readonly response: Answer | BinaryResponse;
  /** The errors of this operation, in addition to the common ones (401, 403, 404 with an id in the path, 409 with `Idempotency-Key`, 422 with input, …). */
  readonly errors?: ReadonlyArray<403 | 404 | 409 | 416 | 429 | 503>;
}

export interface BinaryResponse {
  readonly kind: 'binary';
  readonly contentType: string;
  /** Further answers, if the caller asks for another format. */
  readonly otherContentTypes?: readonly string[];
  readonly description: string;
  /** Whether it supports ranges: 206 and 416 (RFC 9110, section 14). */
  readonly ranges: boolean;
}

export interface RouteRequest<Params, Query, Body> {
  readonly principal: Principal;
  /** That of the principal. */
  readonly organizationId: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The body as it was sent. */
  readonly given: unknown;
  /**
   * The entries of `meta.warnings`: unknown fields, and those that the handler adds. They are added to an answer that the handler returns.
   * A handler that streams its answer adds them with `metaWithWarnings`.
   */
  readonly warnings: Warning[];
  readonly ifMatch: IfMatch;
  readonly file: UploadedFile | undefined;
  /** For a route whose `upload` is in memory. */
  readonly bytes: Buffer;
  readonly req: Request;
  /** For streams. A handler that uses it returns `sent`. */
  readonly res: Response;
}

export interface Sent {
  readonly kind: 'sent';
}

/** Returned by a handler that has already answered. */
export const sent: Sent = Object.freeze({ kind: 'sent' });

interface IncomingRequest {
  principal: Principal;
  body: unknown;
  file: UploadedFile | undefined;
  bytes?: Buffer;
  req: Request;
  res: Response;
}

/** A definition with its handler. Hides the types of its values, so that all routes fit in one list. */
export interface Route {
  readonly definition: RouteDefinition;
  /** Validates the values and runs the handler. Returns the JSON to send, or `sent`. */
  run(incoming: IncomingRequest, deps: RouteDeps): Promise<unknown>;
}

type Empty = Record<string, never>;
const nothing = z.object({});

/**
 * Declares an operation for both the server and the document.
 *
 * The handler throws `NotFoundError`, `ForbiddenOrganizationError` or `ConflictError`, checked in this order, or returns the answer. Roles
 * have been checked and values validated when it is called.
 */
export function defineRoute<
  Answer extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject<Empty>,
  Query extends z.ZodObject = z.ZodObject<Empty>,
  Body extends z.ZodType = z.ZodUndefined,
>(
  definition: RouteDefinition<Params, Query, Body, Answer>,
  handle: (
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    deps: RouteDeps,
  ) => Promise<z.input<Answer> | typeof sent>,
): Route {
  // Without a schema, the type is that of the default here.
  const params = definition.params ?? (nothing as unknown as Params);
  const query = definition.query ?? (nothing as unknown as Query);
  const body = definition.body ?? (z.undefined() as unknown as Body);

  return {
    definition,
    async run(incoming, deps) {
      const { req } = incoming;
      const given = definition.body === undefined ? undefined : incoming.body;
      const checks = [
        checkPath(params, req.params),
        checkQuery(query, req.query),
        check(body, 'body', given),
      ] as const;
      const [checkedParams, checkedQuery, checkedBody] = checks;
      const unknown = unknownFields(body, given);
      const refused = definition.unknownFields === 'warn' ? [] : refusedFields(unknown);
      if (!checkedParams.success || !checkedQuery.success || !checkedBody.success || refused.length > 0) {
        const faults = checks.flatMap((result) => (result.success ? [] : result.entries));
        const named = definition.unknownFields === 'warn' ? withUnknownFields(faults, unknown) : faults;
        throw shownFaults([...named, ...refused], { path: req.params, query: req.query, body: given });
      }
      const warnings = unknown.fields.map(unknownFieldWarning).concat(unknownFieldsWarning(unknown));
      const answer = await handle(
        {
          principal: incoming.principal,
          organizationId: incoming.principal.organizationId,
          params: checkedParams.data,
          query: checkedQuery.data,
          body: checkedBody.data,
          given,
          warnings,
          ifMatch: ifMatchOf(req, definition.versionOf),
          file: incoming.file,
          bytes: incoming.bytes ?? Buffer.alloc(0),
          req,
          res: incoming.res,
        },
        deps,
      ).catch((error: unknown) => {
        if (!(error instanceof ValidationError)) throw error;
        throw shownFaults(error.entries, { path: req.params, query: req.query, body: given });
      });
      return answer === sent ? sent : withWarnings(answer, warnings);
    },
  };
}
