export type { Conversation, ConversationStep } from './conversation.ts';
export type { ConversationDeps, OpenedConversation } from './conversation-call.ts';
export { createConversation } from './create-conversation.ts';
export { modelOf } from './model-of-agent.ts';
