import { judgeDestination, refusalOf } from '@outdial/core';
import {
  type Db,
  engineNow,
  findKnowledgeBase,
  findOrganizationLimits,
  inTransaction,
  searchPassages,
} from '@outdial/db';
import { destinationRules, refusalOfTransfer, suppressIn } from '@outdial/engine';
import type { SearchKnowledge } from '../tools/knowledge-base-tool.ts';
import type { ToolContext } from '../tools/tools-of-agent.ts';
import type { ConversationCall, ConversationDeps } from './conversation-call.ts';
import type { AskedOnCall } from './opt-outs.ts';

type Suppress = (asked: AskedOnCall) => Promise<void>;

/** Creates the dependencies of a call's tools. A simulation suppresses no number, and may transfer to any allowed number. */
export async function createToolContext(
  deps: ConversationDeps,
  call: ConversationCall,
  { isSimulation }: { isSimulation: boolean },
): Promise<Omit<ToolContext, 'canTransfer' | 'suppress'> & { suppress: Suppress | null }> {
  const { db } = deps;
  const { organizationId, agentId } = call;
  const rules = destinationRules(await findOrganizationLimits(db, organizationId));
  const clock = await engineNow(db);
  const aheadMs = clock.getTime() - Date.now();
  return {
    call: { callId: call.id, agentId, organizationId },
    search: knowledgeOf(db, organizationId),
    suppress: isSimulation ? () => Promise.resolve() : suppressionOf(deps, call),
    mayDial: (number) => refusalOf(judgeDestination(number, rules)) === null,
    refusalOfTransfer: (toPhone) =>
      isSimulation ? Promise.resolve(null) : refusalOfTransfer(db, { organizationId, toPhone }),
    http: deps.http,
    now: () => new Date(Date.now() + aheadMs),
  };
}

function knowledgeOf(db: Db, organizationId: string): SearchKnowledge {
  return async ({ knowledgeBaseId, question, limit }) => {
    // The knowledge base may have been deleted, or belong to another organization.
    if (!(await findKnowledgeBase(db, organizationId, knowledgeBaseId))) return [];
    const found = await searchPassages(db, { organizationId, knowledgeBaseId, question, limit });
    return found.map((passage) => ({
      knowledgeBaseId,
      itemId: passage.item_id,
      itemName: passage.item_name,
      page: passage.page,
      position: passage.position,
      score: passage.score,
      text: passage.text,
    }));
  };
}

/** Returns a function that suppresses the call's number and resolves after the commit. Null if the call has no number. */
function suppressionOf(
  { db, publisher, log }: ConversationDeps,
  { id, organizationId, phoneNumber }: ConversationCall,
): Suppress | null {
  if (phoneNumber === null || publisher === null) return null;
  return async ({ reason, ...asked }) => {
    const { afterCommit } = await inTransaction(db, (tx) =>
      suppressIn(
        tx,
        { publisher, log },
        {
          organizationId,
          suppressions: [
            {
              phoneNumber,
              reason,
              note: null,
              expiresAt: null,
              asked: { ...asked, callId: id },
            },
          ],
          origin: { source: 'call', createdBy: null },
          known: 'replace',
        },
      ),
    );
    // Withdraws calls to the number that wait in a carrier's queue.
    await afterCommit().catch((err: unknown) =>
      log.error(
        { err, call_id: id },
        'calls to a suppressed number could not be withdrawn; a sweep will do it',
      ),
    );
  };
}
