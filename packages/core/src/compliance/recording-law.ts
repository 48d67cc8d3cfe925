/** Whether a call may be recorded: never, after an announcement, or without one. From the strictest to the most permissive. */
export const recordingModes = ['off', 'announced', 'on'] as const;

export type RecordingMode = (typeof recordingModes)[number];

/** Where the built-in rules about recordings come from; each state's law stands beside `allPartyStates`. */
export const recordingLawSource = {
  name: 'the built-in rules about recordings',
  citation: '18 U.S.C. 2511(2)(d) and the laws of the states; Regulation (EU) 2016/679, article 13',
  asOf: '2026-11-22',
};

/**
 * States of the United States in which all parties must consent to a recording. In the others, one party suffices (18 U.S.C. 2511(2)(d)).
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
 * The recording law of a jurisdiction. Except in one-party states, people must be informed: data protection requires it
 * (Regulation (EU) 2016/679, article 13; Canada: PIPEDA, principle 4.3) where criminal law does not (Germany: section 201 StGB).
 */
export function recordingLaw(jurisdiction: string): RecordingMode {
  return jurisdiction.startsWith('US-') && !allPartyStates.has(jurisdiction) ? 'on' : 'announced';
}
