/** Of an attack, with its protection or without it. */
export interface Run {
  /** The lines of figures that were missed. */
  missed: readonly string[];
  /** How it was cut short, as by a service that took its attackers with it. */
  fell: string | null;
}

/**
 * What the run without the protection missed, and the run with it kept: to run to its end counts too. A figure that is missed in both says something about the machine, and
 * nothing about the protection.
 */
export function caughtBy({ protectedRun, bareRun }: { protectedRun: Run; bareRun: Run }): string[] {
  // A run that was cut short has figures it did not come to.
  if (protectedRun.fell !== null) return [];
  const missedAnyway = protectedRun.missed.map(whatOf);
  const caught = bareRun.missed.filter((line) => !missedAnyway.includes(whatOf(line)));
  return bareRun.fell === null ? caught : [...caught, bareRun.fell];
}

function whatOf(line: string): string {
  return line.replace(/^.*MISSED /, '').replace(/: [^:]*$/, '');
}
