import { CampaignFieldsError, ForeignOrganizationError } from '@outdial/engine';
import { ForbiddenOrganizationError, ValidationError } from '../../http/errors.ts';

/** Runs what the engine does with a campaign's fields, its errors turned into those of HTTP. */
export async function withFieldErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CampaignFieldsError) throw new ValidationError(error.faults);
    if (error instanceof ForeignOrganizationError) throw new ForbiddenOrganizationError();
    throw error;
  }
}
