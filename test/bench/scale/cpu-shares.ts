/** How the CPU time of a batch and of a call is divided over the three transactions of a call: claim, gate, end. */
const batchShare = { advance: 0.55, gate: 0.25, end: 0.2 };
const callShare = { advance: 0.15, gate: 0.3, end: 0.55 };

/** The CPU time of one transaction for a number of calls. */
export function share(batchMs: number, callMs: number, part: keyof typeof batchShare, calls: number): number {
  return batchMs * batchShare[part] + callMs * callShare[part] * calls;
}
