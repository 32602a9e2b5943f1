import type { LienWaiver, LienWaiverRequest, Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { findPlaceholderErrors } from '../../../platform/values/placeholders.ts'
import { queueMails } from '../../office/mail/queue-mails.ts'
import { DEFAULT_TEMPLATES } from '../../office/message-templates/default-templates.ts'
import { findWordings } from '../../office/message-templates/queries.ts'
import { ensurePortalLink } from '../../vendors/vendors/invite-to-portal.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { listRecipients } from '../../vendors/vendors/vendor.ts'
import * as payments from '../payments/queries.ts'
import { chooseWaiverType, computeAmountToPay, fillWaiverTemplate } from './lien-waiver.ts'
import * as waivers from './queries.ts'

/**
 * Requests the lien waiver that a payment currently needs. Locks the payment, so that two concurrent requests create
 * only one lien waiver.
 */
export async function requestLienWaiver(
  call: WriteCall,
  paymentId: string,
  request: LienWaiverRequest,
): Promise<LienWaiver> {
  const payment = await payments.lock(call, paymentId)
  const vendor = await vendors.lock(call, payment.vendorId)
  const waiver = await writeWaiver(call, payment, vendor, request)
  await ensurePortalLink(call, vendor)
  const { companyName } = vendor
  const values = { 'vendor.companyName': companyName, 'payment.number': payment.number }
  await queueMails(call, [
    {
      ...{ kind: 'lien_waiver', to: listRecipients(vendor), vendorId: vendor.id, aboutId: waiver.id },
      values: ({ amount, date }) => ({
        ...values,
        'payment.amount': amount(waiver.amount, waiver.currency),
        'waiver.throughDate': date(waiver.throughDate),
      }),
    },
  ])
  return waiver
}

/** Creates the lien waiver, or changes the wording of an unsigned lien waiver. */
async function writeWaiver(
  call: WriteCall,
  payment: Payment,
  { companyName }: Vendor,
  { throughDate: requested, exceptions = null, text = null }: LienWaiverRequest,
): Promise<LienWaiver> {
  const { id: paymentId, status, number, vendorId, homeId, poId, currency } = payment
  const amount = computeAmountToPay(payment, toLocalDate(call.timeZone, call.now))
  if (status === 'rejected' || status === 'voided')
    throw conflict('wrong_status', `Cannot request a lien waiver for ${number}: the payment is ${status}.`)
  const waiverType = chooseWaiverType(payment)
  const standing = (await waivers.findValidWaivers(call, paymentId)).find((other) => other.waiverType === waiverType)
  const isSigned = standing !== undefined && standing.status !== 'requested'
  if (isSigned && standing.amount === amount)
    throw conflict(
      'already_done',
      `${number} already has a signed lien waiver of type ${waiverType} (${standing.id}). Void that lien waiver to request a new one.`,
    )
  const throughDate = requested ?? payment.paidDate ?? payment.invoiceDate ?? toLocalDate(call.timeZone, call.now)
  const named = await waivers.findNamedOrders(
    call,
    payment.allocations.flatMap(({ poId }) => poId ?? []),
  )
  const facts = {
    vendor: companyName,
    builder: call.principal.organization.name,
    payment: { number, amount, currency },
    named,
  }
  const kind = `lien_waiver_${waiverType}` as const
  const errors = findPlaceholderErrors(text ?? '', '/text', DEFAULT_TEMPLATES[kind].placeholders)
  if (errors.length > 0) throw validationFailed(errors)
  const own = text ?? (await findWordings(call, [kind]))[kind].en.body
  const wording = fillWaiverTemplate(own, { ...facts, throughDate, exceptions })
  if (typeof wording !== 'string') throw validationFailed(wording)
  const words = { throughDate, amount, exceptions, text: wording }
  // The wording can change until the vendor signs the lien waiver. If the lien waiver was signed for a different
  // amount, void it and request a new one.
  if (isSigned) await voidWaiver(call, payment, standing.id)
  else if (standing !== undefined) return waivers.update(call, await waivers.lock(call, standing.id), words)
  const waiver = await waivers.insert(call, {
    ...{ paymentId, vendorId, homeId, poId, waiverType, status: 'requested', currency },
    ...words,
  })
  await recordStatusChange(call, { id: waiver.id, from: null, to: waiver.status })
  return waiver
}

/** Voids a lien waiver that was signed for an amount other than the payment's current amount. */
async function voidWaiver(call: WriteCall, payment: Payment, id: string): Promise<void> {
  const before = await waivers.lock(call, id)
  await waivers.update(call, before, { status: 'void' })
  const reason = `A lien waiver for a different amount of ${payment.number} was requested.`
  await recordStatusChange(call, { id, from: before.status, to: 'void', reason })
  if (payment.lienWaiverId === id) await payments.update(call, payment, { lienWaiverId: null })
}
