export * from './caller-place.ts';
export * from './calling-hours.ts';
export * from './calling-policy.ts';
export type { CallingRule } from './calling-rule.ts';
export {
  callingKeyOf,
  overlayCallingRules,
  type CallingKey,
  placesOf,
  policyOfKey,
  resolveKey,
  zoneOfKey,
} from './calling-key.ts';
export { tablesOfPlaces } from './places/number-places.ts';
export { consentRemedy, neededConsent, type NeededConsent } from './needed-consent.ts';
export { naturalVoiceFirst, reviewsDue } from './review.ts';
export { spanOfText, type OverlaidRule, type RuleOverlay } from './rule-overlay.ts';
export { judgeOverlay, rulesVersion } from './rulebook.ts';
