// Generated from the contracts of the interface. Do not edit.
export const callStatuses = ["init","start","finish","error","other"] as const;
export const eventTypes = ["call.started","call.answered","call.ended","call.updated","recipient.finished","campaign.started","campaign.paused","campaign.finished","campaign.canceled","campaign.blocked","knowledge_base_item.ready","knowledge_base_item.failed","suppression.added"] as const;
export const outcomes = ["completed","no_answer","busy","rejected","voicemail","failed","invalid_number","canceled","unknown"] as const;
export const recipientStates = ["waiting","retrying","in_call","reached","unreached","suppressed","withdrawn"] as const;
export const roles = ["viewer","member","manager","admin"] as const;
export const usageGroups = ["day","campaign","agent"] as const;
