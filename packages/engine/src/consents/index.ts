export { consentProofView, consentView } from './consent-view.ts';
export { judgeConsent, type ConsentFault } from './judge-consent.ts';
export { consentFields, consentOfFields, judgeConsents } from './judge-items.ts';
