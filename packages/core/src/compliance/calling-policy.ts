/**
 * Which calling hours the engine enforces for an organization: `strict` those of country and region, `standard` only the country's,
 * `none` no hours, so that each campaign's own window decides.
 */
export const callingPolicies = ['strict', 'standard', 'none'] as const;

export type CallingPolicy = (typeof callingPolicies)[number];
