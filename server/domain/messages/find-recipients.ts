import type { Tenant } from '../../platform/calls/call.ts'
import * as homeOwners from '../land/home-owners/queries.ts'
import * as vendors from '../vendors/vendors/queries.ts'
import { listRecipients } from '../vendors/vendors/vendor.ts'
import { type Addressee, type NamedRecipient, toAddressee } from './message.ts'
import * as messages from './queries.ts'

interface FoundRecipients {
  found: Addressee[]
  /** The indexes of recipients that do not exist. */
  unknown: number[]
}

/** Returns the given users, vendors, and home owners in order, with their addresses for notifications. */
export async function findRecipients(call: Tenant, named: readonly NamedRecipient[]): Promise<FoundRecipients> {
  const idsOf = (requested: string) => named.flatMap(({ type, id }) => (type === requested ? [id] : []))
  const [userIds, vendorIds, ownerIds] = [idsOf('user'), idsOf('vendor'), idsOf('home_owner')]
  const people = userIds.length === 0 ? [] : await messages.listMessageUsers(call, userIds)
  const companies = vendorIds.length === 0 ? [] : await vendors.findAll(call, [...new Set(vendorIds)])
  const known = new Map<string, Addressee>(people.map((person) => [person.id, toAddressee(person)]))
  for (const vendor of companies) {
    const { id, companyName: name, language, archivedAt } = vendor
    const gone = archivedAt === null ? null : 'archived'
    known.set(id, { type: 'vendor', id, name, addresses: listRecipients(vendor), language, gone })
  }
  for (const owner of ownerIds.length === 0 ? [] : await homeOwners.findAll(call, [...new Set(ownerIds)])) {
    const { id, name, email, archivedAt } = owner
    const gone = archivedAt === null ? null : 'archived'
    const addresses = email === null ? [] : [email]
    known.set(id, { type: 'home_owner', id, name, addresses, language: null, gone })
  }
  return {
    found: named.flatMap(({ id }) => known.get(id) ?? []),
    unknown: named.flatMap(({ type, id }, i) => (known.get(id)?.type === type ? [] : [i])),
  }
}
