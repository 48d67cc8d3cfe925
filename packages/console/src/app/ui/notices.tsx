import { createContext, type ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';

interface Notices {
  /** Shows for a few seconds that an action succeeded. Screen readers read it. */
  say: (text: string) => void;
}

const NoticesContext = createContext<Notices>({ say: () => undefined });
const shownMs = 6_000;

export function useNotices(): Notices {
  return useContext(NoticesContext);
}

export function NoticesProvider({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Array<{ id: number; text: string }>>([]);
  const notices = useMemo<Notices>(() => {
    let last = 0;
    return {
      say(text) {
        const id = ++last;
        setShown((list) => [...list.slice(-2), { id, text }]);
        setTimeout(() => setShown((list) => list.filter((notice) => notice.id !== id)), shownMs);
      },
    };
  }, []);
  return (
    <NoticesContext.Provider value={notices}>
      {children}
      <div class="notices" role="status" aria-live="polite">
        {shown.map(({ id, text }) => (
          <p key={id} class="notice">
            {text}
          </p>
        ))}
      </div>
    </NoticesContext.Provider>
  );
}
