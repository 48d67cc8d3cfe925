import { useState } from 'preact/hooks';
import { useNotices } from './notices.tsx';
import { areAllBeside, faultsOfFields, messageOf } from '../words/errors.ts';

export interface Action<Arguments extends unknown[]> {
  busy: boolean;
  /** Why the last action failed, as a sentence. Null if it succeeded. */
  fault: string | null;
  /** The fault of each of the form's fields, by its name in the API. */
  faults: Readonly<Record<string, string>>;
  run: (...args: Arguments) => void;
}

/**
 * An action of a user. Runs one at a time, keeps its fault for display at the same place, and shows `said` after success.
 * @param fields fields of the form that show their own faults
 */
export function useAction<Arguments extends unknown[]>(
  act: (...args: Arguments) => Promise<string | void>,
  fields: readonly string[] = [],
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const notices = useNotices();

  async function run(...args: Arguments): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const said = await act(...args);
      if (typeof said === 'string') notices.say(said);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  const faults = faultsOfFields(error, fields);
  const text =
    error === null ? null : areAllBeside(error, fields) ? 'Correct the marked fields.' : messageOf(error);
  return { busy, fault: text, faults, run: (...args) => void run(...args) };
}
