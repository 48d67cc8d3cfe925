import { type CursorPosition, cursorList, cursorListOf, envelope, got } from '@outdial/contracts';
import type { ListPage } from '@outdial/db';
import type { z } from 'zod';
import type { RouteDeps } from '../deps.ts';
import { answerPieces } from './answer-pieces.ts';
import { defineRoute, type Route, type RouteDefinition, type RouteRequest } from './define-route.ts';
import { rowsAtOnce } from './rows-at-once.ts';

type ListQuery = z.ZodObject & z.ZodType<{ limit: number; cursor?: CursorPosition | undefined }>;

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
  /** The maximum size of a row, from the limits of its fields. A list is fetched in chunks of a few megabytes. */
  readonly rowBytesAtMost: number;
}

/** Where a list continues. */
type PositionOf<Query extends { cursor?: unknown }> = Readonly<NonNullable<Query['cursor']>>;

interface ListRequest<Params, Query extends { cursor?: unknown }> extends RouteRequest<
  Params,
  Query,
  undefined
> {
  /** The rows to read: a part of the requested ones plus one, which shows whether the list continues. */
  readonly page: ListPage<PositionOf<Query>>;
}

interface ReadList<Row, Item, Position> {
  readonly rows: readonly Row[];
  /** The sort key of a row. */
  position(this: void, row: NoInfer<Row>): Position;
  view(this: void, row: NoInfer<Row>): Item;
  /** Only that of the first part is sent. */
  readonly meta?: Record<string, unknown>;
}

/** Declares a list with pages by `limit` and `cursor`. */
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

      /** The text of the answer. Reads each part when the previous one has been sent. */
      async function* text(): AsyncGenerator<string, void> {
        // A defined value is a position. The compiler cannot know the query's type.
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
