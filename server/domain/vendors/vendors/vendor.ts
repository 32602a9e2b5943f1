import type {
  ConflictReason,
  Vendor,
  VendorCreate,
  VendorStatus,
  VendorUpdate,
} from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { wholeAddress } from '../../../platform/values/address.ts'
import { lastOf } from './tax-id.ts'

/** The life of a vendor: from prospective to active, on hold and back, and to inactive and back. */
export const VENDOR_MOVES: Readonly<Record<VendorStatus, readonly VendorStatus[]>> = {
  prospective: ['active', 'inactive'],
  active: ['on_hold', 'inactive'],
  on_hold: ['active', 'inactive'],
  inactive: ['active'],
}

type Unfit = 'vendor_archived' | 'vendor_on_hold' | 'vendor_inactive' | 'compliance_expired'

/** A reason against engaging a vendor (inviting, awarding, ordering) at the moment. */
export interface Obstacle<Code extends ConflictReason = ConflictReason> {
  code: Code
  /** A whole sentence. */
  message: string
}

export function obstaclesToEngage(vendor: Vendor): Obstacle<Unfit>[] {
  const obstacles: Obstacle<Unfit>[] = []
  if (vendor.archivedAt !== null)
    obstacles.push({ code: 'vendor_archived', message: `${vendor.companyName} is archived.` })
  if (vendor.status === 'on_hold')
    obstacles.push({ code: 'vendor_on_hold', message: `${vendor.companyName} is on hold.` })
  if (vendor.status === 'inactive')
    obstacles.push({ code: 'vendor_inactive', message: `${vendor.companyName} is inactive.` })
  if (vendor.complianceStatus === 'expired') {
    obstacles.push({
      code: 'compliance_expired',
      message: `The compliance documents of ${vendor.companyName} have expired.`,
    })
  }
  return obstacles
}

/** Why the vendor cannot be engaged at the moment; null if it can. */
export function obstacleToEngage(vendor: Vendor): Obstacle | null {
  return obstaclesToEngage(vendor)[0] ?? null
}

/**
 * Why the vendor is given no way into the portal; null if it may have one. Expired documents are no reason, because the
 * portal is where new ones are submitted.
 */
export function obstacleToLetIn(vendor: Vendor): Obstacle | null {
  return obstaclesToEngage(vendor).find(({ code }) => code !== 'compliance_expired') ?? null
}

/** Why the vendor cannot be invited to its whole portal; null if it can. */
export function obstacleToInvite(vendor: Vendor): Obstacle | null {
  const obstacle = obstacleToLetIn(vendor)
  if (obstacle !== null || vendor.email !== null) return obstacle
  return { code: 'no_recipient', message: `${vendor.companyName} has no email address.` }
}

/** Whether the vendor may work in the community; one without a list may work in all. */
export function worksIn(vendor: Vendor, communityId: string): boolean {
  return vendor.communityIds.length === 0 || vendor.communityIds.includes(communityId)
}

/** For a vendor whose preferences nobody has set. */
const USUAL_PREFERENCES: Vendor['notificationPreferences'] = { advanceNoticeDays: 7, reminderDays: 2 }

/** When the vendor is told of its tasks, with what is not sent as it was before. */
export function wholePreferences(
  { advanceNoticeDays, reminderDays }: NonNullable<VendorCreate['notificationPreferences']>,
  before = USUAL_PREFERENCES,
): Vendor['notificationPreferences'] {
  const whole = {
    advanceNoticeDays: advanceNoticeDays === undefined ? before.advanceNoticeDays : advanceNoticeDays,
    reminderDays: reminderDays === undefined ? before.reminderDays : reminderDays,
  }
  if (whole.advanceNoticeDays !== null && (whole.reminderDays ?? 0) >= whole.advanceNoticeDays) {
    const pointer = '/notificationPreferences/reminderDays'
    const message = `must be less than advanceNoticeDays (${whole.advanceNoticeDays})`
    throw invalid([{ pointer, code: 'maximum', message }])
  }
  return whole
}

/** What vendors usually grant. */
const USUAL_TERMS: Vendor['paymentTerms'] = { netDays: 30, discountPercent: 0, discountDays: 0 }

/** When the vendor is to be paid, with what is not sent as it was before. */
export function wholeTerms(
  sent: NonNullable<VendorCreate['paymentTerms']>,
  before = USUAL_TERMS,
): Vendor['paymentTerms'] {
  const {
    netDays = before.netDays,
    discountPercent = before.discountPercent,
    discountDays = before.discountDays,
  } = sent
  if (discountDays > netDays) {
    const pointer = '/paymentTerms/discountDays'
    throw invalid([{ pointer, code: 'maximum', message: `must not exceed netDays (${netDays})` }])
  }
  return { netDays, discountPercent, discountDays }
}

export function newVendor(body: Omit<Checked['VendorCreate'], 'taxId'>) {
  return {
    ...{ scopes: [], communityIds: [], defaultRetainagePercent: 0, is1099: true },
    ...body,
    paymentTerms: wholeTerms(body.paymentTerms ?? {}),
    notificationPreferences: wholePreferences(body.notificationPreferences ?? {}),
    portalStatus: 'not_invited' as const,
    complianceStatus: 'missing' as const,
    contacts: wholeContacts(body.contacts ?? []),
    address: wholeAddress(body.address),
  }
}

/** The fields of the vendor that the update changes. */
export function changesOf(before: Vendor, sent: VendorUpdate) {
  const { taxId, address, contacts, paymentTerms, notificationPreferences, ...rest } = sent
  return {
    ...rest,
    ...(taxId !== undefined && { taxIdLast4: lastOf(taxId) }),
    ...(address !== undefined && { address: wholeAddress(address) }),
    ...(contacts !== undefined && { contacts: wholeContacts(contacts) }),
    ...(paymentTerms !== undefined && { paymentTerms: wholeTerms(paymentTerms, before.paymentTerms) }),
    ...(notificationPreferences !== undefined && {
      notificationPreferences: wholePreferences(notificationPreferences, before.notificationPreferences),
    }),
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
