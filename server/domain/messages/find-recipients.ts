import type { Tenant } from '../../platform/calls/call.ts'
import * as vendors from '../vendors/vendors/queries.ts'
import { listRecipients } from '../vendors/vendors/vendor.ts'
import { type Addressee, toAddressee } from './message.ts'
import * as messages from './queries.ts'

interface FoundRecipients {
  found: Addressee[]
  /** Indexes of the recipients that do not exist. */
  unknown: number[]
}

/** Returns the named users and vendors in order, with the addresses at which they want to be notified. */
export async function findRecipients(
  call: Tenant,
  named: readonly { type: 'user' | 'vendor'; id: string }[],
): Promise<FoundRecipients> {
  const idsOf = (requested: string) => named.flatMap(({ type, id }) => (type === requested ? [id] : []))
  const [userIds, vendorIds] = [idsOf('user'), idsOf('vendor')]
  const people = userIds.length === 0 ? [] : await messages.listPeople(call, userIds)
  const companies = vendorIds.length === 0 ? [] : await vendors.findAll(call, [...new Set(vendorIds)])
  const known = new Map<string, Addressee>(people.map((person) => [person.id, toAddressee(person)]))
  for (const vendor of companies) {
    const { id, companyName: name, archivedAt } = vendor
    const gone = archivedAt === null ? null : 'archived'
    known.set(id, { type: 'vendor', id, name, addresses: listRecipients(vendor), gone })
  }
  return {
    found: named.flatMap(({ id }) => known.get(id) ?? []),
    unknown: named.flatMap(({ type, id }, i) => (known.get(id)?.type === type ? [] : [i])),
  }
}
