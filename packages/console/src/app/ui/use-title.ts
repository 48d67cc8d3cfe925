import { useEffect } from 'preact/hooks';

/** Sets the title of the window, which screen readers read first. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Outdial`;
  }, [title]);
}
