import type { Surroundings } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import { lockContract } from './changes.ts'
import * as contracts from './queries.ts'

/** Expires the active contracts whose last day has passed in their organization's time zone. */
export async function expireContracts(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'contracts to expire',
    find: contracts.due,
    claim: contracts.lockActive,
    async settle(call, id) {
      await lockContract(call, id)
    },
  })
}
