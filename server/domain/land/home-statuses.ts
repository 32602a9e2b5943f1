import type { HomeStatus } from '../../../client/contract.gen.ts'

/** The statuses in which a home is neither built nor sold anymore. */
export const FINISHED_STATUSES: readonly HomeStatus[] = ['closed', 'warranty', 'archived', 'cancelled']
