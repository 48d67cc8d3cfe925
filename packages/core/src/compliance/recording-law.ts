/** Whether a call may be recorded: not at all, once people were told, or without a word. From the strictest to the freest. */
export const recordingModes = ['off', 'announced', 'on'] as const;

export type RecordingMode = (typeof recordingModes)[number];

/**
 * States of the United States in which everybody on the line has to agree to a recording. Elsewhere there one party is enough (18 U.S.C. 2511(2)(d)).
 *
 * California: Penal Code 632. Connecticut: Gen. Stat. 52-570d. Delaware: 11 Del. C. 1335. Florida: Stat. 934.03. Illinois: 720 ILCS 5/14-2. Maryland: Courts
 * and Judicial Proceedings 10-402. Massachusetts: G.L. c. 272, 99. Michigan: disputed (MCL 750.539c), so the strictest. Montana: MCA 45-8-213. Nevada: NRS 200.620.
 * New Hampshire: RSA 570-A:2. Oregon: disputed (ORS 165.540). Pennsylvania: 18 Pa.C.S. 5704. Washington: RCW 9.73.030.
 */
const allPartyStates: ReadonlySet<string> = new Set(
  ['CA', 'CT', 'DE', 'FL', 'IL', 'MD', 'MA', 'MI', 'MT', 'NV', 'NH', 'OR', 'PA', 'WA'].map(
    (state) => `US-${state}`,
  ),
);

/**
 * What the law has of a recording in a jurisdiction. Everywhere but in the states of one party people are told: data protection asks for it
 * (Regulation (EU) 2016/679, article 13; Canada: PIPEDA, principle 4.3) where the criminal law does not (Germany: section 201 StGB).
 */
export function recordingLaw(jurisdiction: string): RecordingMode {
  return jurisdiction.startsWith('US-') && !allPartyStates.has(jurisdiction) ? 'on' : 'announced';
}
