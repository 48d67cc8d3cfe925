/** Screens that the first view does not need, loaded after it. */
export { AgentScreen } from './agents/agent.tsx';
export { Agents } from './agents/agents.tsx';
export { CallScreen } from './call/call.tsx';
export { CampaignScreen } from './campaign/campaign.tsx';
export { Documents } from './documents/documents.tsx';
export { KnowledgeBase } from './documents/knowledge-base.tsx';
export { NewCampaign } from './new-campaign/new-campaign.tsx';
export { NotFound } from './not-found.tsx';
export { Organization } from './organization/organization.tsx';
export { People } from './people/people.tsx';
export { Person } from './people/person.tsx';
