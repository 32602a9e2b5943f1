import type { PunchItem } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import * as punchItems from '../punch-items/queries.ts'

const countItems = (condition: string) => `
  (select count(*)::integer from "punchItems" as i
  where i."organizationId" = t."organizationId" and i."walkthroughId" = t."id" and ${condition})`

export const { list, find, findOptional, lock, insert, update } = defineResource({
  schema: 'Walkthrough',
  computed: {
    itemCount: countItems('true'),
    openItemCount: countItems(`i."status" not in ('verified', 'cancelled')`),
  },
  long: ['signature', 'notes'],
})

/** Returns the items of a walkthrough in the order of their numbers. */
export async function listWalkthroughItems(call: Tenant, walkthroughId: string): Promise<PunchItem[]> {
  const found = await punchItems.findAllWith(call, { walkthroughId: [walkthroughId] })
  return found.sort((a, b) => toSequence(a) - toSequence(b))
}

function toSequence({ number }: PunchItem): number {
  return Number(number.slice(2))
}
