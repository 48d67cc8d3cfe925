import { type CursorPosition, cursorList, cursorListOf, envelope, got } from '@outdial/contracts';
import type { ListPage } from '@outdial/db';
import type { z } from 'zod';
import type { RouteDeps } from '../deps.ts';
import { answerPieces } from './answer-pieces.ts';
import { defineRoute, type Route, type RouteDefinition, type RouteRequest } from './define-route.ts';
import { rowsAtOnce } from './rows-at-once.ts';

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
  /** The maximum size of a row, by the limits of its fields. A list is fetched in chunks that stay within a few megabytes. */
  readonly rowBytesAtMost: number;
}

/** Where a list goes on. */
type PositionOf<Query extends { cursor?: unknown }> = Readonly<NonNullable<Query['cursor']>>;

interface ListRequest<Params, Query extends { cursor?: unknown }> extends RouteRequest<
  Params,
  Query,
  undefined
> {
  /** The rows to read: a part of the requested ones, and one more, which shows whether the list goes on. */
  readonly page: ListPage<PositionOf<Query>>;
}

interface ReadList<Row, Item, Position> {
  readonly rows: readonly Row[];
  /** The key of a row in the order of the list. */
  position(this: void, row: NoInfer<Row>): Position;
  view(this: void, row: NoInfer<Row>): Item;
  /** The first part's is answered. */
  readonly meta?: Record<string, unknown>;
}

/** Declares a list that callers read page by page, with `limit` and `cursor`. */
export function defineList<
  Row,
  Item extends z.ZodType,
  Query extends ListQuery,
  Params extends z.ZodObject = z.ZodObject<Record<string, never>>,
>(
  { item, rowBytesAtMost, ...definition }: ListDefinition<Params, Query, Item>,
  read: (
    request: ListRequest<z.output<Params>, z.output<Query>>,
    deps: RouteDeps,
  ) => Promise<ReadList<Row, z.input<Item>, PositionOf<z.output<Query>>>>,
): Route {
  const atOnce = rowsAtOnce(rowBytesAtMost);
  return defineRoute(
    { method: 'get', ...definition, response: envelope(cursorList(item)) },
    async (request, deps) => {
      const { organizationId } = request;
      const { limit, cursor } = request.query;

      /** The text of the answer. A part of the list is read when what came before it has been taken. */
      async function* text(): AsyncGenerator<string, void> {
        // What is not undefined is a position; the compiler does not look into a query that it does not know.
        let after = (cursor ?? null) as PositionOf<z.output<Query>> | null;
        let left = limit;
        for (;;) {
          const wanted = Math.min(left, atOnce);
          const page = { limit: wanted + 1, after };
          const { rows, position, view, meta } = await read({ ...request, page }, deps);
          if (left === limit) yield* listBegin(meta);
          const part = cursorListOf(rows, wanted, { position, item: (row) => row });
          for (const [at, row] of part.items.entries()) {
            yield `${left === limit && at === 0 ? '' : ','}${JSON.stringify(view(row))}`;
          }
          left -= part.items.length;
          const last = part.items.at(-1);
          if (part.next_cursor === null || left === 0 || last === undefined) {
            yield `],"next_cursor":${JSON.stringify(part.next_cursor)}}}`;
            return;
          }
          after = position(last);
        }
      }
      return answerPieces(request.res, { longAnswers: deps.longAnswers, organizationId }, text());
    },
  );
}

function* listBegin(meta: Record<string, unknown> | undefined): Generator<string> {
  const { message, meta: answered } = got(null, meta);
  yield `{"message":${JSON.stringify(message)},"meta":${JSON.stringify(answered)},"data":{"items":[`;
}
