import { useEffect } from 'preact/hooks';

/** The title of the window, which a screen reader says first. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Outdial`;
  }, [title]);
}
