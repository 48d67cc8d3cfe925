/** What ends a consent that was given before: the number went to another carrier, or to another person. */
export const numberChangeKinds = ['ported', 'reassigned'] as const;
export type NumberChangeKind = (typeof numberChangeKinds)[number];

/** What a registry of reassigned numbers says: whether a number was given up since an instant. */
export const numberQueryAnswers = ['no', 'yes', 'no_data'] as const;
export type NumberQueryAnswer = (typeof numberQueryAnswers)[number];
