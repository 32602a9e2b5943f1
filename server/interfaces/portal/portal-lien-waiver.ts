import type { LienWaiver, PortalLienWaiver, PortalSignature } from '../../../client/contract.gen.ts'
import { signWaiverInPortal } from '../../domain/paying/lien-waivers/change-waiver-status.ts'
import { createWaiverPdf } from '../../domain/paying/lien-waivers/create-waiver-pdf.ts'
import { explainWhyWaiverCannotBeSigned } from '../../domain/paying/lien-waivers/lien-waiver.ts'
import * as waivers from '../../domain/paying/lien-waivers/queries.ts'
import * as payments from '../../domain/paying/payments/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { getPortalSource } from './portal-source.ts'

/** Returns a lien waiver that the vendor has been asked to sign. */
export async function readWaiver(call: Call, lienWaiverId: string): Promise<PortalLienWaiver> {
  return toPortalLienWaiver(call, await requireVisibleWaiver(call, lienWaiverId))
}

export async function createPortalWaiverPdf(call: Call, lienWaiverId: string): Promise<FileResponse> {
  return createWaiverPdf(call, await requireVisibleWaiver(call, lienWaiverId))
}

export async function signWaiver(
  call: Call,
  lienWaiverId: string,
  signature: PortalSignature,
): Promise<PortalLienWaiver> {
  await requireVisibleWaiver(call, lienWaiverId)
  return call.write(async (call) =>
    toPortalLienWaiver(call, await signWaiverInPortal(call, lienWaiverId, signature, getPortalSource(call))),
  )
}

async function toPortalLienWaiver(call: Call, waiver: LienWaiver): Promise<PortalLienWaiver> {
  const { number } = await payments.find(call, waiver.paymentId)
  const { companyName } = await vendors.find(call, waiver.vendorId)
  const { id, waiverType, status, throughDate, amount, currency } = waiver
  const { text, textSha256, signedBy, signedOn, version } = waiver
  return {
    ...{ id, waiverType, status, throughDate, amount, currency, paymentNumber: number },
    ...{ text, textSha256, signedBy, signedOn, canSign: explainWhyWaiverCannotBeSigned(waiver) === null, version },
    builder: { name: call.principal.organization.name },
    vendor: { id: waiver.vendorId, companyName },
  }
}

/**
 * Returns the lien waiver if the caller's token covers the whole portal of the vendor that signs it. Otherwise, throws
 * `not_found`.
 */
async function requireVisibleWaiver(call: Call, id: string): Promise<LienWaiver> {
  const { principal } = call
  const waiver = await waivers.findOptional(call, id)
  const isShown = principal.subjectId === principal.id && waiver?.vendorId === principal.id
  if (waiver === undefined || !isShown) throw notFound()
  return waiver
}
