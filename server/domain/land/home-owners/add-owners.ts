import type { Home, HomeOwner, Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { revokeOwnerLinks } from '../../../platform/keys/owner-links.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { notifyFormerAddress } from './notify-owners.ts'
import * as owners from './queries.ts'
import { canApproveEmail } from './reroute-guards.ts'

/** A home contains all of its owners, so their number is limited. */
const MAX_OWNERS = 10

/** Throws if the locked home already has the maximum number of owners. */
export async function assertRoomForOwner(call: WriteCall, { id, name }: Home): Promise<void> {
  if ((await findCurrent(call, id)).length >= MAX_OWNERS)
    throw conflict(
      'limit_reached',
      `Cannot add an owner: ${name} already has ${MAX_OWNERS} owners, the maximum. Archive an owner first.`,
    )
}

type Buyer = Sale['buyers'][number]

/**
 * When a sale is approved, adds its buyers as owners of the locked home and approves their email addresses. If the home
 * has ever had a link, only a caller with the permission to copy links can approve the addresses. Otherwise, anyone
 * could cancel a sale and get access to the page of the home through a new sale.
 */
export async function addApprovedBuyers(call: WriteCall, homeId: string, buyers: readonly Buyer[]): Promise<void> {
  const isApproved = canApproveEmail(call) || !(await owners.hasHomeHadLink(call, homeId))
  for (const { id } of await addBuyers(call, homeId, buyers)) if (isApproved) await owners.approveEmail(call, id)
}

/** Adds the buyers as owners of the locked home, except those who already are owners. Returns the new owners. */
async function addBuyers(call: WriteCall, homeId: string, buyers: readonly Buyer[]): Promise<HomeOwner[]> {
  const known = await findCurrent(call, homeId)
  const unknown = buyers.filter((buyer) => !known.some((owner) => isSamePerson(owner, buyer)))
  const added: HomeOwner[] = []
  for (const { name, email, phone } of unknown.slice(0, MAX_OWNERS - known.length)) {
    const fields = { homeId, name, email, phone, language: 'en' as const, invitedAt: null, lastVisitAt: null }
    added.push(await owners.insert(call, fields))
  }
  return added
}

/**
 * Updates the owners of the locked home after the buyers of its approved sale change. Archives owners who are no longer
 * buyers, and adds new buyers.
 */
export async function replaceBuyers(
  call: WriteCall,
  homeId: string,
  { before, after }: { before: readonly Buyer[]; after: readonly Buyer[] },
): Promise<void> {
  const isListed = (person: Person, buyers: readonly Buyer[]) => buyers.some((buyer) => isSamePerson(person, buyer))
  const removed = before.filter((buyer) => !isListed(buyer, after))
  const current = await findCurrent(call, homeId)
  await archiveAll(
    call,
    current.filter((owner) => isListed(owner, removed) && !isListed(owner, after)),
  )
  await addBuyers(
    call,
    homeId,
    after.filter((buyer) => !isListed(buyer, before)),
  )
}

/** Archives all owners of the locked home and revokes their links, because the home will have other owners. */
export async function archiveOwners(call: WriteCall, homeId: string): Promise<void> {
  await archiveAll(call, await findCurrent(call, homeId))
}

async function archiveAll(call: WriteCall, current: readonly HomeOwner[]): Promise<void> {
  for (const { id } of current) {
    const before = await owners.lock(call, id)
    await owners.archive(call, before)
    await notifyFormerAddress(call, before, 'accessEnded')
    await revokeOwnerLinks(call, id)
  }
}

type Person = Pick<Buyer, 'name' | 'email'>

/**
 * Returns whether two people are the same. Compares their email addresses or, if one of them has no email address,
 * their names.
 */
export function isSamePerson(a: Person, b: Person): boolean {
  if (a.email === null || b.email === null) return a.name === b.name
  return a.email.toLowerCase() === b.email.toLowerCase()
}

async function findCurrent(call: WriteCall, homeId: string): Promise<HomeOwner[]> {
  const all = await owners.findAllWith(call, { homeId: [homeId] })
  return all.filter(({ archivedAt }) => archivedAt === null)
}
