import type { LienWaiver, LienWaiverMove, PortalSignature } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as payments from '../payments/queries.ts'
import {
  applySignature,
  explainWhyWaiverCannotBeSigned,
  findStatusChangeErrors,
  LIEN_WAIVER_MOVES,
} from './lien-waiver.ts'
import * as waivers from './queries.ts'

export async function changeWaiverStatus(call: WriteCall, id: string, body: LienWaiverMove): Promise<LienWaiver> {
  const waiver = await lockWithPayment(call, id)
  const { status, signedBy = null, reason = null } = body
  assertTransition(LIEN_WAIVER_MOVES, waiver.status, status)
  const today = toLocalDate(call.timeZone, call.now)
  const errors = findStatusChangeErrors(body, today)
  if (errors.length > 0) throw validationFailed(errors)
  const signature = { signedBy, signedOn: body.signedOn ?? today, signedVia: 'paper' as const }
  return moveWaiver(
    call,
    waiver,
    { status, ...(status === 'signed' && applySignature(waiver, signature, null)) },
    reason,
  )
}

/** Signs a lien waiver in the portal. Throws if the text of the lien waiver has changed since the vendor read it. */
export async function signWaiverInPortal(
  call: WriteCall,
  id: string,
  { signedBy, version }: Pick<PortalSignature, 'signedBy' | 'version'>,
  signedVia: 'portal' | 'portal_copied_link',
): Promise<LienWaiver> {
  const waiver = await lockWithPayment(call, id)
  const reason = explainWhyWaiverCannotBeSigned(waiver)
  if (reason !== null) throw conflict('wrong_status', reason)
  if (version !== undefined && version !== waiver.version)
    throw conflict(
      'changed_meanwhile',
      'The text of this lien waiver has changed. Read the text again before you sign.',
    )
  const signature = { signedBy, signedOn: toLocalDate(call.timeZone, call.now), signedVia }
  const linkCopiedBy = call.principal.copiedBy?.name ?? null
  return moveWaiver(call, waiver, { status: 'signed', ...applySignature(waiver, signature, linkCopiedBy) }, null)
}

/** Locks the payment and then its lien waiver. Voiding a payment locks them in the same order. */
async function lockWithPayment(call: WriteCall, id: string): Promise<LienWaiver> {
  const { paymentId } = await waivers.find(call, id)
  await payments.lock(call, paymentId)
  return waivers.lock(call, id)
}

async function moveWaiver(
  call: WriteCall,
  before: LienWaiver,
  changes: Partial<Pick<LienWaiver, 'text' | 'textSha256' | 'signedBy' | 'signedOn' | 'signedVia'>> &
    Pick<LienWaiver, 'status'>,
  reason: string | null,
): Promise<LienWaiver> {
  const after = await waivers.update(call, before, changes)
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  await storeOnPayment(call, after)
  return after
}

/** Stores the ID of the latest signed, valid lien waiver on the payment. */
async function storeOnPayment(call: WriteCall, { id, paymentId, status }: LienWaiver): Promise<void> {
  const payment = await payments.find(call, paymentId)
  if (status === 'signed') await payments.update(call, payment, { lienWaiverId: id })
  if ((status !== 'rejected' && status !== 'void') || payment.lienWaiverId !== id) return
  await payments.update(call, payment, { lienWaiverId: await waivers.findLastSignedWaiverId(call, paymentId) })
}
