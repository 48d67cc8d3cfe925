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

export const AgentScreen = lazy(async () => (await further()).AgentScreen);
export const Agents = lazy(async () => (await further()).Agents);
export const CallScreen = lazy(async () => (await further()).CallScreen);
export const CampaignScreen = lazy(async () => (await further()).CampaignScreen);
export const Documents = lazy(async () => (await further()).Documents);
export const KnowledgeBase = lazy(async () => (await further()).KnowledgeBase);
export const NewCampaign = lazy(async () => (await further()).NewCampaign);
export const NotFound = lazy(async () => (await further()).NotFound);
export const Organization = lazy(async () => (await further()).Organization);
export const People = lazy(async () => (await further()).People);
export const Person = lazy(async () => (await further()).Person);

const firstPaths = ['/console', '/console/campaigns'];
const pauseMs = 300;

/** Loads them: at once if the page opens on one of them, otherwise after the first view has loaded. */
export function loadFurtherScreens(): void {
  // A failure is shown when such a screen is opened.
  const begin = () => void load().catch(() => undefined);
  if (firstPaths.includes(location.pathname.replace(/\/$/, ''))) setTimeout(begin, pauseMs);
  else begin();
}
