import type { Generated } from 'kysely';

export interface WebhookEndpointTable {
  id: Generated<string>;
  organization_id: string;
  url: string;
  events: string[];
  description: string;
  enabled: Generated<boolean>;
  disabled_reason: 'gone' | 'failing' | null;
  secret: string;
  /** One or two, with a space between them. */
  previous_secret: string | null;
  previous_secret_expires_at: Date | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface WebhookDeliveryTable {
  id: Generated<string>;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  subject_id: string;
  position: string;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_attempt_at: Date | null;
  leased_until: Date | null;
  last_attempt_at: Date | null;
  response_status: number | null;
  error: string | null;
  duration_ms: number | null;
  created_at: Date;
  delivered_at: Date | null;
}
