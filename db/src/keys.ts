/** Rows are looked up within their organization, so that an id of another organization finds none. */
export interface CampaignKey {
  organizationId: string;
  campaignId: string;
}

export interface AgentKey {
  organizationId: string;
  agentId: string;
}

export interface CallKey {
  organizationId: string;
  callId: string;
}

export interface PersonKey {
  organizationId: string;
  phoneNumber: string;
}

export interface CallerIdKey {
  organizationId: string;
  callerId: string;
}

export interface UserKey {
  organizationId: string;
  userId: string;
}
