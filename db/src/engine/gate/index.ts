export { passGate } from './campaign-gate.ts';
export type { GateAnswer, GateDial, GatePass, GateTerms } from './gate-terms.ts';
export { gateConditions, type GateFact, type GateReason, type GateRefusal } from './conditions.ts';
export { lockQueuedCall, passDirectCallGate, type QueuedCall } from './direct-gate.ts';
export { type DirectCallee, type DirectTerms, findDirectCallee } from './direct-terms.ts';
export type { OpenWindow } from './open-windows.ts';
export { explainGate, type GateVerdict } from './explain-gate.ts';
export { forbids, judgeQueuedCall, takeForbiddenForCheck, type QueuedTerms } from './queued-gate.ts';
export { passRepeatGate, type CampaignOfCall, type RepeatAnswer, type RepeatTerms } from './repeat-gate.ts';
