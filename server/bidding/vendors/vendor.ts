import type { Vendor, VendorCreate, VendorStatus } from '../../../client/contract.gen.ts'
import type { Checked } from '../../http/checked.gen.ts'
import { wholeAddress } from '../../values/address.ts'

/** The life of a vendor: from prospective to active, on hold and back, and to inactive and back. */
export const VENDOR_MOVES: Readonly<Record<VendorStatus, readonly VendorStatus[]>> = {
  prospective: ['active', 'inactive'],
  active: ['on_hold', 'inactive'],
  on_hold: ['active', 'inactive'],
  inactive: ['active'],
}

/** A reason against engaging a vendor (inviting, awarding, ordering) at the moment. */
export interface Obstacle {
  code: 'vendor_archived' | 'vendor_on_hold' | 'vendor_inactive' | 'compliance_expired'
  message: string
}

export function obstaclesToEngage(vendor: Vendor): Obstacle[] {
  const obstacles: Obstacle[] = []
  if (vendor.archivedAt !== null)
    obstacles.push({ code: 'vendor_archived', message: `${vendor.companyName} is archived` })
  if (vendor.status === 'on_hold')
    obstacles.push({ code: 'vendor_on_hold', message: `${vendor.companyName} is on hold` })
  if (vendor.status === 'inactive')
    obstacles.push({ code: 'vendor_inactive', message: `${vendor.companyName} is inactive` })
  if (vendor.complianceStatus === 'expired') {
    obstacles.push({
      code: 'compliance_expired',
      message: `the compliance documents of ${vendor.companyName} have expired`,
    })
  }
  return obstacles
}

/** Why the vendor cannot be engaged at the moment; null if it can. */
export function reasonNotToEngage(vendor: Vendor): string | null {
  return obstaclesToEngage(vendor)[0]?.message ?? null
}

/**
 * Why the vendor is given no way into the portal; null if it may have one. Expired documents are no reason, because the
 * portal is where new ones are submitted.
 */
export function reasonNotToLetIn(vendor: Vendor): string | null {
  if (vendor.archivedAt !== null) return `${vendor.companyName} is archived.`
  if (vendor.status === 'on_hold') return `${vendor.companyName} is on hold.`
  if (vendor.status === 'inactive') return `${vendor.companyName} is inactive.`
  return null
}

/** Why the vendor cannot be invited to its whole portal; null when nothing stands against it. */
export function reasonNotToInvite(vendor: Vendor): string | null {
  const reason = reasonNotToLetIn(vendor)
  return reason === null && vendor.email === null ? `${vendor.companyName} has no e-mail address.` : reason
}

/** Whether the vendor may work in the community; one without a list may work in all. */
export function worksIn(vendor: Vendor, communityId: string): boolean {
  return vendor.communityIds.length === 0 || vendor.communityIds.includes(communityId)
}

export function newVendor(body: Checked['VendorCreate']) {
  return {
    ...{ scopes: [], communityIds: [], defaultRetainagePercent: 0 },
    ...body,
    portalStatus: 'not_invited' as const,
    complianceStatus: 'missing' as const,
    contacts: wholeContacts(body.contacts ?? []),
    address: wholeAddress(body.address),
  }
}

const NO_CONTACT = { email: null, phone: null, role: null, notify: true }

export function wholeContacts(contacts: NonNullable<VendorCreate['contacts']>): Vendor['contacts'] {
  return contacts.map((contact) => ({ ...NO_CONTACT, ...contact }))
}

/** The addresses of the vendor and of its contacts who want to be notified, each once. */
export function recipientsOf(vendor: Pick<Vendor, 'email' | 'contacts'>): string[] {
  const addresses = [
    vendor.email,
    ...vendor.contacts.map((contact) => (contact.notify === true ? contact.email : null)),
  ]
  return [...new Set(addresses.filter((address) => typeof address === 'string'))]
}
