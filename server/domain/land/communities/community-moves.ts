import type { CommunityStatus } from '../../../../client/contract.gen.ts'

/**
 * The allowed status changes of a community. A sold-out community can become active again, because sales can be
 * canceled and later phases add lots.
 */
export const COMMUNITY_MOVES: Readonly<Record<CommunityStatus, readonly CommunityStatus[]>> = {
  planning: ['active'],
  active: ['sold_out'],
  sold_out: ['closed', 'active'],
  closed: [],
}
