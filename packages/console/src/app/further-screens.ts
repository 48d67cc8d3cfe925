import lazy from 'preact-iso/lazy';

const load = () => import('./screens/further.ts');
type Further = Awaited<ReturnType<typeof load>>;

const reloadedAtKey = 'outdial-reloaded-at';
const reloadPauseMs = 10_000;

/** The screens other than the first one. If their script no longer exists because of a new release, reloads the page, which names the new script. */
async function further(): Promise<Further> {
  try {
    return await load();
  } catch (error) {
    const reloadedAt = Number(sessionStorage.getItem(reloadedAtKey) ?? 0);
    if (Date.now() - reloadedAt < reloadPauseMs) throw error;
    sessionStorage.setItem(reloadedAtKey, String(Date.now()));
    location.reload();
    // The page ends here.
    return new Promise(() => undefined);
  }
}

export function furtherScreen<Name extends keyof Further>(name: Name) {
  return lazy(async () => (await further())[name]);
}

const firstPaths = ['/console', '/console/campaigns'];
const pauseMs = 300;

/** Loads them: at once if the page opens on one of them, otherwise after the first view has loaded. */
export function loadFurtherScreens(): void {
  // A failure is shown when such a screen is opened.
  const begin = () => void load().catch(() => undefined);
  if (firstPaths.includes(location.pathname.replace(/\/$/, ''))) setTimeout(begin, pauseMs);
  else begin();
}
