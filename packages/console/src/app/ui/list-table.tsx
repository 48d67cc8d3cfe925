import type { ComponentChildren, ComponentProps } from 'preact';
import type { Data } from '../data/use-data.ts';
import type { List } from '../data/use-list.ts';
import { Loaded, Table } from './basics.tsx';
import { More } from './more.tsx';

export function ListTable<Item>({
  of,
  lines = 4,
  empty,
  children,
  ...table
}: {
  of: Data<List<Item>>;
  /** How tall the placeholder is. */
  lines?: number;
  /** In place of a table without rows. */
  empty?: ComponentChildren;
  children: (item: Item) => ComponentChildren;
} & Pick<ComponentProps<typeof Table>, 'caption' | 'head' | 'stacks'>) {
  return (
    <Loaded of={of} lines={lines}>
      {({ items, more }) =>
        items.length === 0 && empty !== undefined ? (
          empty
        ) : (
          <>
            <Table {...table}>{items.map(children)}</Table>
            <More more={more} />
          </>
        )
      }
    </Loaded>
  );
}
