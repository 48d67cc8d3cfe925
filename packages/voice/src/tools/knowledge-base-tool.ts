import { boundedQuestion } from '@outdial/core';
import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

export interface FoundText {
  knowledgeBaseId: string;
  itemId: string;
  itemName: string;
  page: number;
  position: number;
  score: number;
  text: string;
}

/** Finds the best passages of a knowledge base of the call's organization, best first. */
export type SearchKnowledge = (search: {
  knowledgeBaseId: string;
  question: string;
  limit: number;
}) => Promise<FoundText[]>;

const basesAtMost = 10;
const passagesAtMost = 5;
const lettersOfPassage = 1_200;

/** Searches the agent's knowledge bases. The call's record cites the passages. */
export function knowledgeBaseTool(knowledgeBaseIds: readonly string[], search: SearchKnowledge): Tool {
  const bases = knowledgeBaseIds.slice(0, basesAtMost);
  return defineTool({
    name: 'knowledge_base',
    description:
      'Looks up facts: products, prices, hours, rules. Ask with the few words that the answer would contain.',
    input: z.strictObject({ question: z.string().trim().min(1).max(500) }),
    async run({ question }) {
      const asked = { question: boundedQuestion(question), limit: passagesAtMost };
      const found = await Promise.all(bases.map((knowledgeBaseId) => search({ ...asked, knowledgeBaseId })));
      const best = found
        .flat()
        .toSorted((a, b) => b.score - a.score)
        .slice(0, passagesAtMost);
      if (best.length === 0) {
        return { text: 'Nothing was found. Say that you do not know, or ask in other words.' };
      }
      return {
        text: best
          .map(
            ({ itemName, page, text }) => `[${itemName}, page ${page}]\n${text.slice(0, lettersOfPassage)}`,
          )
          .join('\n\n'),
        note: {
          type: 'knowledge_cited',
          passages: best.map((passage) => ({
            knowledge_base_id: passage.knowledgeBaseId,
            item_id: passage.itemId,
            page: passage.page,
            position: passage.position,
          })),
        },
      };
    },
  });
}
