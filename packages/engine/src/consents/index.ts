export { consentProofView, consentView } from './consent-view.ts';
export { judgeConsent, type ConsentFault } from './judge-consent.ts';
export { consentOfFields, judgeConsents } from './judge-items.ts';
