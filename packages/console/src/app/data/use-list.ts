import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../words/errors.ts';
import { ok } from './api.ts';
import type { Data, Loading } from './use-data.ts';

interface ListPage<Item> {
  items: Item[];
  next_cursor: string | null;
}

export interface MoreOfList {
  /** Null at the end of the list. */
  load: (() => void) | null;
  busy: boolean;
  fault: string | null;
}

export interface List<Item> {
  items: Item[];
  more: MoreOfList;
}

interface PageAnswer<Item> {
  data?: { data: ListPage<Item> };
  error?: unknown;
  response: Response;
}

async function readPage<Item>(answer: Promise<PageAnswer<Item>>): Promise<ListPage<Item>> {
  const { data } = await ok(answer);
  return data;
}

/** A list with pages by cursor. Restarts when one of `inputs` changes. */
export function useList<Item>(
  ask: (after: { cursor?: string }) => Promise<PageAnswer<Item>>,
  inputs: readonly unknown[],
): Data<List<Item>> {
  const [pages, setPages] = useState<Loading<ListPage<Item>>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const askNow = useRef(ask);
  askNow.current = ask;
  const key = JSON.stringify([...inputs, round]);
  const keyNow = useRef(key);
  keyNow.current = key;

  useEffect(() => {
    setFault(null);
    readPage(askNow.current({})).then(
      (page) => keyNow.current === key && setPages({ state: 'loaded', value: page }),
      (error: unknown) => keyNow.current === key && setPages({ state: 'failed', error }),
    );
  }, [key]);

  async function readMore(cursor: string): Promise<void> {
    setBusy(true);
    setFault(null);
    try {
      const page = await readPage(askNow.current({ cursor }));
      if (keyNow.current !== key) return;
      setPages((before) =>
        before.state === 'loaded'
          ? {
              state: 'loaded',
              value: { items: [...before.value.items, ...page.items], next_cursor: page.next_cursor },
            }
          : before,
      );
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const now: Loading<List<Item>> =
    pages.state === 'loaded'
      ? { state: 'loaded', value: { items: pages.value.items, more: moreOf(pages.value.next_cursor) } }
      : pages;
  function moreOf(cursor: string | null): MoreOfList {
    return { load: cursor === null ? null : () => void readMore(cursor), busy, fault };
  }
  const set = useCallback(
    ({ items }: List<Item>) => setPages({ state: 'loaded', value: { items, next_cursor: null } }),
    [],
  );
  return { now, reload, set };
}
