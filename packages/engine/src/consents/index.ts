export { consentProofView, consentView } from './consent-view.ts';
export { judgeConsent, type ConsentFault } from './judge-consent.ts';
export { consentOfCells, judgeConsents } from './judge-items.ts';
