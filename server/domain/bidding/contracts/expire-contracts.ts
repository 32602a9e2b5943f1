import type { Services } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { lockContract } from './change-contract.ts'
import * as contracts from './queries.ts'

/** Expires the active contracts whose last day has passed in the time zone of their organization. */
export async function expireContracts(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'contracts to expire',
    find: contracts.findExpiredContracts,
    claim: contracts.lockActiveContracts,
    async settle(call, id) {
      await lockContract(call, id)
    },
  })
}
