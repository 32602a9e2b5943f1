import type {
  ConflictReason,
  Vendor,
  VendorCreate,
  VendorStatus,
  VendorUpdate,
} from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { toAddress } from '../../../platform/values/address.ts'
import { getLastFourCharacters } from './tax-id.ts'

/**
 * The allowed status changes of a vendor. A prospective vendor becomes active. An active vendor can be put on hold or
 * become inactive, and become active again.
 */
export const VENDOR_MOVES: Readonly<Record<VendorStatus, readonly VendorStatus[]>> = {
  prospective: ['active', 'inactive'],
  active: ['on_hold', 'inactive'],
  on_hold: ['active', 'inactive'],
  inactive: ['active'],
}

type EngagementReason = 'vendor_archived' | 'vendor_on_hold' | 'vendor_inactive' | 'compliance_expired'

/** A reason why a vendor cannot currently be engaged, which means invited, awarded, or given an order. */
export interface Obstacle<Code extends ConflictReason = ConflictReason> {
  code: Code
  /** A complete sentence. */
  message: string
}

export function listEngagementObstacles(vendor: Vendor): Obstacle<EngagementReason>[] {
  const obstacles: Obstacle<EngagementReason>[] = []
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

/** Returns the reason why the vendor cannot currently be engaged; null if there is none. */
export function findEngagementObstacle(vendor: Vendor): Obstacle | null {
  return listEngagementObstacles(vendor)[0] ?? null
}

/**
 * Returns the reason why the vendor cannot have access to the portal; null if there is none. Expired documents are not
 * a reason, because vendors submit new documents in the portal.
 */
export function findPortalObstacle(vendor: Vendor): Obstacle | null {
  return listEngagementObstacles(vendor).find(({ code }) => code !== 'compliance_expired') ?? null
}

/** Returns the reason why the vendor cannot be invited to its entire portal; null if there is none. */
export function findInviteObstacle(vendor: Vendor): Obstacle | null {
  const obstacle = findPortalObstacle(vendor)
  if (obstacle !== null || vendor.email !== null) return obstacle
  return { code: 'no_recipient', message: `${vendor.companyName} has no email address.` }
}

/** Returns whether the vendor works in the community. A vendor without a list of communities works in all of them. */
export function canWorkInCommunity(vendor: Vendor, communityId: string): boolean {
  return vendor.communityIds.length === 0 || vendor.communityIds.includes(communityId)
}

/** The defaults for a vendor without preferences. */
const DEFAULT_PREFERENCES: Vendor['notificationPreferences'] = { advanceNoticeDays: 7, reminderDays: 2 }

/** Returns the notification preferences after an update. Omitted fields keep their values. */
export function completePreferences(
  { advanceNoticeDays, reminderDays }: NonNullable<VendorCreate['notificationPreferences']>,
  before = DEFAULT_PREFERENCES,
): Vendor['notificationPreferences'] {
  const whole = {
    advanceNoticeDays: advanceNoticeDays === undefined ? before.advanceNoticeDays : advanceNoticeDays,
    reminderDays: reminderDays === undefined ? before.reminderDays : reminderDays,
  }
  if (whole.advanceNoticeDays !== null && (whole.reminderDays ?? 0) >= whole.advanceNoticeDays) {
    const pointer = '/notificationPreferences/reminderDays'
    const message = `must be less than advanceNoticeDays (${whole.advanceNoticeDays})`
    throw validationFailed([{ pointer, code: 'maximum', message }])
  }
  return whole
}

/** The default payment terms. */
const DEFAULT_TERMS: Vendor['paymentTerms'] = { netDays: 30, discountPercent: 0, discountDays: 0 }

/** Returns the payment terms after an update. Omitted fields keep their values. */
export function completePaymentTerms(
  sent: NonNullable<VendorCreate['paymentTerms']>,
  before = DEFAULT_TERMS,
): Vendor['paymentTerms'] {
  const {
    netDays = before.netDays,
    discountPercent = before.discountPercent,
    discountDays = before.discountDays,
  } = sent
  if (discountDays > netDays) {
    const pointer = '/paymentTerms/discountDays'
    throw validationFailed([{ pointer, code: 'maximum', message: `must not exceed netDays (${netDays})` }])
  }
  return { netDays, discountPercent, discountDays }
}

export function buildVendor(body: Omit<Checked['VendorCreate'], 'taxId'>) {
  return {
    ...{ scopes: [], communityIds: [], defaultRetainagePercent: 0, is1099: true, reportingBox: 'nec_1' as const },
    ...body,
    backupWithholding: completeWithholding(body.backupWithholding ?? null),
    paymentTerms: completePaymentTerms(body.paymentTerms ?? {}),
    notificationPreferences: completePreferences(body.notificationPreferences ?? {}),
    portalStatus: 'not_invited' as const,
    complianceStatus: 'missing' as const,
    contacts: toContacts(body.contacts ?? []),
    address: toAddress(body.address),
  }
}

/** Returns the fields of the vendor that change. */
export function toVendorChanges(before: Vendor, sent: VendorUpdate) {
  const { taxId, address, contacts, paymentTerms, notificationPreferences, backupWithholding, ...rest } = sent
  return {
    ...rest,
    ...(taxId !== undefined && { taxIdLast4: getLastFourCharacters(taxId) }),
    ...(backupWithholding !== undefined && { backupWithholding: completeWithholding(backupWithholding) }),
    ...(address !== undefined && { address: toAddress(address) }),
    ...(contacts !== undefined && { contacts: toContacts(contacts) }),
    ...(paymentTerms !== undefined && { paymentTerms: completePaymentTerms(paymentTerms, before.paymentTerms) }),
    ...(notificationPreferences !== undefined && {
      notificationPreferences: completePreferences(notificationPreferences, before.notificationPreferences),
    }),
  }
}

/**
 * Completes the backup withholding period. `toDate` defaults to null, which means no end date. Throws if `toDate` is
 * before `fromDate`.
 */
function completeWithholding(sent: NonNullable<VendorCreate['backupWithholding']> | null): Vendor['backupWithholding'] {
  if (sent === null) return null
  const { reason, fromDate, toDate = null } = sent
  if (toDate !== null && toDate < fromDate)
    throw validationFailed([
      { pointer: '/backupWithholding/toDate', code: 'order', message: 'must not be before fromDate' },
    ])
  return { reason, fromDate, toDate }
}

const NO_CONTACT = { email: null, phone: null, role: null, notify: true }

export function toContacts(contacts: NonNullable<VendorCreate['contacts']>): Vendor['contacts'] {
  return contacts.map((contact) => ({ ...NO_CONTACT, ...contact }))
}

/** Returns the addresses of the vendor and its contacts that receive notifications, without duplicates. */
export function listRecipients(vendor: Pick<Vendor, 'email' | 'contacts'>): string[] {
  const addresses = [
    vendor.email,
    ...vendor.contacts.map((contact) => (contact.notify === true ? contact.email : null)),
  ]
  return [...new Set(addresses.filter((address) => typeof address === 'string'))]
}
