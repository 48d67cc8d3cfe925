import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type Loading<Value> =
  | { state: 'loading' }
  | { state: 'failed'; error: unknown }
  | { state: 'loaded'; value: Value };

export interface Data<Value> {
  now: Loading<Value>;
  reload: () => void;
  /** Replaces the data at once, for example by the answer to a change. */
  set: (value: Value) => void;
}

/** Loads data when the screen opens, whenever one of `inputs` changes, every `everyMs`, and on `reload`. Shows the old data while it reloads, and drops late answers. */
export function useData<Value>(
  load: () => Promise<Value>,
  inputs: readonly unknown[],
  { everyMs = 0 }: { everyMs?: number } = {},
): Data<Value> {
  const [now, setNow] = useState<Loading<Value>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const key = JSON.stringify(inputs);
  const shownKey = useRef(key);
  const loadNow = useRef(load);
  loadNow.current = load;

  useEffect(() => {
    let current = true;
    if (shownKey.current !== key) {
      shownKey.current = key;
      setNow({ state: 'loading' });
    }
    loadNow.current().then(
      (value) => current && setNow({ state: 'loaded', value }),
      (error: unknown) => {
        if (!current) return;
        // A failed reload must not remove known data.
        setNow((before) => (before.state === 'loaded' && everyMs > 0 ? before : { state: 'failed', error }));
      },
    );
    return () => {
      current = false;
    };
  }, [key, round]);

  useEffect(() => {
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setRound((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const set = useCallback((value: Value) => setNow({ state: 'loaded', value }), []);
  return { now, reload, set };
}
