import { type CursorPosition, cursorList, cursorListOf, envelope, got } from '@outdial/contracts';
import type { ListPage } from '@outdial/db';
import type { z } from 'zod';
import type { RouteDeps } from '../deps.ts';
import { defineRoute, type Route, type RouteDefinition, type RouteRequest } from './define-route.ts';

type ListQuery = z.ZodObject & z.ZodType<{ limit: number; cursor?: CursorPosition | undefined }>;

/** A list as the document describes it. */
interface ListDefinition<
  Params extends z.ZodObject,
  Query extends ListQuery,
  Item extends z.ZodType,
> extends Pick<
  RouteDefinition<Params>,
  'path' | 'operationId' | 'summary' | 'description' | 'tag' | 'roles' | 'params'
> {
  /** Made with `cursorParameters`. */
  readonly query: Query;
  readonly item: Item;
}

interface ListRequest<Params, Query extends { cursor?: unknown }> extends RouteRequest<
  Params,
  Query,
  undefined
> {
  readonly organizationId: string;
  /** What to read. It asks for one row more than the caller, which says whether the list goes on. */
  readonly page: ListPage<NonNullable<Query['cursor']>>;
}

/** What a list has read. */
interface ReadList<Row, Item> {
  readonly rows: readonly Row[];
  /** The key of a row in the order of the list. */
  position(this: void, row: NoInfer<Row>): CursorPosition;
  view(this: void, row: NoInfer<Row>): Item;
  readonly meta?: Record<string, unknown>;
}

/** Declares a list that callers read page by page, with `limit` and `cursor`. */
export function defineList<
  Row,
  Item extends z.ZodType,
  Query extends ListQuery,
  Params extends z.ZodObject = z.ZodObject<Record<string, never>>,
>(
  { item, ...definition }: ListDefinition<Params, Query, Item>,
  read: (
    request: ListRequest<z.output<Params>, z.output<Query>>,
    deps: RouteDeps,
  ) => Promise<ReadList<Row, z.input<Item>>>,
): Route {
  return defineRoute(
    { method: 'get', ...definition, response: envelope(cursorList(item)) },
    async (request, deps) => {
      const { limit, cursor } = request.query;
      const page = { limit: limit + 1, after: cursor ?? null };
      const { organizationId } = request.principal;
      const { rows, position, view, meta } = await read({ ...request, organizationId, page }, deps);
      return got(cursorListOf(rows, limit, { position, item: view }), meta);
    },
  );
}
