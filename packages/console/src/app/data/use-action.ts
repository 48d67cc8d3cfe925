import { useState } from 'preact/hooks';
import { useNotices } from '../ui/notices.tsx';
import { messageOf } from '../words/errors.ts';

export interface Action<Arguments extends unknown[]> {
  busy: boolean;
  /** Why the last one failed, in a sentence; null where it did not. */
  fault: string | null;
  run: (...args: Arguments) => void;
}

/** Something a person does: one at a time, its fault kept for the place where it was done, its success said where `said` says so. */
export function useAction<Arguments extends unknown[]>(
  act: (...args: Arguments) => Promise<string | void>,
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const notices = useNotices();

  async function run(...args: Arguments): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFault(null);
    try {
      const said = await act(...args);
      if (typeof said === 'string') notices.say(said);
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  }
  return { busy, fault, run: (...args) => void run(...args) };
}
