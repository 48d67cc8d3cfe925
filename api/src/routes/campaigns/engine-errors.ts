import { CampaignFieldsError, ForeignOrganizationError } from '@outdial/engine';
import { ForbiddenOrganizationError, ValidationError } from '../../http/errors.ts';

/** Runs `work`, and turns errors of the engine about campaign fields into HTTP errors. */
export async function withFieldErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CampaignFieldsError) throw new ValidationError(error.faults);
    if (error instanceof ForeignOrganizationError) throw new ForbiddenOrganizationError();
    throw error;
  }
}
