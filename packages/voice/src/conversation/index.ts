export type { Conversation, ConversationStep, WrapUp } from './conversation.ts';
export { createConversation, type ConversationParts } from './create-conversation.ts';
export {
  type ConversationCall,
  type ConversationDeps,
  modelOf,
  openConversation,
  type OpenedConversation,
} from './open-conversation.ts';
