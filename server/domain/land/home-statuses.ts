import type { HomeStatus } from '../../../client/contract.gen.ts'

/** Statuses in which nothing remains to be built or sold. */
export const FINISHED_STATUSES: readonly HomeStatus[] = ['closed', 'warranty', 'archived', 'cancelled']
