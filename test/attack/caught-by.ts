/** A run of an attack, with its protection or without it. */
export interface Run {
  /** The lines of figures that were missed. */
  missed: readonly string[];
  /** Why the run was cut short, for example because the service crashed. Null if it was not. */
  fell: string | null;
}

/**
 * Returns the figures that were missed only without the protection, and the crash if only that run crashed. A figure that is missed in both runs is
 * evidence of a slow machine, not of the protection.
 */
export function caughtBy({ protectedRun, bareRun }: { protectedRun: Run; bareRun: Run }): string[] {
  // A run that was cut short did not measure all its figures.
  if (protectedRun.fell !== null) return [];
  const missedAnyway = protectedRun.missed.map(whatOf);
  const caught = bareRun.missed.filter((line) => !missedAnyway.includes(whatOf(line)));
  return bareRun.fell === null ? caught : [...caught, bareRun.fell];
}

function whatOf(line: string): string {
  return line.replace(/^.*MISSED /, '').replace(/: [^:]*$/, '');
}
