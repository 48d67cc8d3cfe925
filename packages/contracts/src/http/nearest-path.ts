import { distance } from 'fastest-levenshtein';

/** Longer paths are not typing errors. */
const charactersAtMost = 120;
/** In each part of a path. */
const slipsAtMost = 2;

/** The most similar path, with the caller's own ids; null if none is similar. `templates` are paths with `{name}`. */
export function nearestPath(path: string, templates: readonly string[]): string | null {
  if (path.length > charactersAtMost) return null;
  const given = partsOf(path);
  // Callers omit the version, or use another one.
  const forms = [given, ['api', 'v1', ...given], ['api', ...given]];
  let nearest: { path: string; slips: number } | null = null;
  for (const template of new Set(templates)) {
    const wanted = partsOf(template);
    for (const form of forms) {
      const slips = slipsBetween(form, wanted);
      if (slips === null || (nearest !== null && slips >= nearest.slips)) continue;
      const meant = wanted.map((part, at) => (isParameter(part) ? (form[at] ?? '') : part));
      nearest = { path: `/${meant.join('/')}`, slips };
    }
  }
  return nearest?.path ?? null;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

/** Null if a part is another word. */
function slipsBetween(given: readonly string[], wanted: readonly string[]): number | null {
  if (given.length !== wanted.length) return null;
  let slips = 0;
  for (const [at, part] of wanted.entries()) {
    if (isParameter(part)) continue;
    const away = distance(given[at] ?? '', part);
    if (away > Math.min(slipsAtMost, part.length - 1)) return null;
    slips += away;
  }
  return slips;
}
