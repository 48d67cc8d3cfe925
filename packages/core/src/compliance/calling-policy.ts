/**
 * How far an organization has the engine keep calling hours: `strict` by country and region, `standard` by the country's own rule alone,
 * `none` not at all, so that each campaign's own window decides.
 */
export const callingPolicies = ['strict', 'standard', 'none'] as const;

export type CallingPolicy = (typeof callingPolicies)[number];

export function isCallingPolicy(text: string): text is CallingPolicy {
  return (callingPolicies as readonly string[]).includes(text);
}
