/** What ends a consent that was given before: the number went to another carrier, or to another person. */
export const numberChangeKinds = ['ported', 'reassigned'] as const;
export type NumberChangeKind = (typeof numberChangeKinds)[number];
