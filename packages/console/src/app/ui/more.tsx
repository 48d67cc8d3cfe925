import type { MoreOfList } from '../data/use-list.ts';
import { Button, Fault } from './basics.tsx';

/** The end of a list that continues. */
export function More({ more: { load, busy, fault } }: { more: MoreOfList }) {
  if (load === null) return null;
  return (
    <div class="more">
      <Fault text={fault} />
      <Button busy={busy} onClick={load}>
        Show more
      </Button>
    </div>
  );
}
