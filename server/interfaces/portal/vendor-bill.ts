import type {
  AttachmentContent,
  Bill,
  PortalAttachment,
  PortalBill,
  PortalBillInput,
} from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach-file.ts'
import { toInvoiceKey } from '../../domain/paying/bill-records/invoice-key.ts'
import * as bills from '../../domain/paying/bill-records/queries.ts'
import { voidBill } from '../../domain/paying/bills/change-bill-status.ts'
import { createBill } from '../../domain/paying/bills/create-bill.ts'
import * as orders from '../../domain/paying/purchase-orders/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { conflict, notFound, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { countUnapproved, findFileNames } from './order-queries.ts'

/** Vendors submit bills for their orders, add the invoices, and withdraw bills. */

/** The maximum number of unapproved bills. The builder must approve each of them. */
const MAX_UNAPPROVED = 20
/** The maximum number of files of a bill. An invoice is one file or a few photos. */
const MAX_FILES = 5

export async function submitBill(call: Call, body: PortalBillInput): Promise<PortalBill> {
  const { id: vendorId, subjectId } = call.principal
  if (vendorId === null || subjectId !== vendorId) throw notFound()
  const { invoiceNumber, invoiceDate, lines } = body
  const named = await orders.findAll(call, [...new Set(lines.map(({ poId }) => poId))].sort())
  const own = new Set(
    named.flatMap((order) => (order.vendorId === vendorId && order.issuedAt !== null ? order.id : [])),
  )
  const unknown = lines.flatMap(({ poId }, i) => (own.has(poId) ? [] : [`/lines/${i}/poId`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const today = toLocalDate(call.timeZone, call.now)
  if (invoiceDate !== undefined && invoiceDate > today)
    throw validationFailed([
      { pointer: '/invoiceDate', code: 'maximum', message: `must not be after today (${today})` },
    ])
  const { id } = await call.write(async (call) => {
    // Locks the vendor, so that bills that are submitted at the same time are counted one after another.
    await vendors.lock(call, vendorId)
    if ((await countUnapproved(call, vendorId)) >= MAX_UNAPPROVED)
      throw conflict(
        'limit_reached',
        `You already have ${MAX_UNAPPROVED} bills awaiting approval. Ask the builder to review the bills first.`,
      )
    const except = { bills: [], withPayments: false }
    const recorded = await bills.findRecordedInvoice(call, vendorId, toInvoiceKey(invoiceNumber), except)
    if (recorded !== undefined)
      throw conflict(
        'value_taken',
        `Invoice ${invoiceNumber} is already recorded. Each invoice can be submitted only once.`,
      )
    return createBill(call, {
      ...{ vendorId, billType: 'invoice', status: 'received', source: 'portal', invoiceNumber },
      ...(invoiceDate !== undefined && { invoiceDate }),
      lines: lines.map((line) => ({ ...line, taxAmount: 0 })),
    })
  })
  return readBill(call, id)
}

export async function readBill(call: Call, billId: string): Promise<PortalBill> {
  const { approval, ...bill } = await findVisibleBill(call, billId)
  const { id, number, status, invoiceNumber, invoiceDate, dueDate, grossAmount, retainageWithheld, amount } = bill
  const { paidAmount, openAmount, currency, version } = bill
  if (status === 'draft') throw notFound()
  return {
    ...{ id, number, status, invoiceNumber, invoiceDate, dueDate },
    // Vendors must not see the home and cost code to which a line is charged.
    lines: bill.lines.map(({ poId, description, amount }) => ({ poId, description, amount })),
    ...{ grossAmount, retainageWithheld, amount, paidAmount, openAmount, currency },
    ...{ rejectedReason: approval.rejectedReason, fileNames: await findFileNames(call, id) },
    ...{ canWithdraw: bill.source === 'portal' && status === 'received', version },
  }
}

export async function attachBillFile(
  call: Call,
  { billId, fileName }: { billId: string; fileName: string },
  file: AttachmentContent | ReceivedFile,
): Promise<PortalAttachment> {
  const bill = await findVisibleBill(call, billId)
  if (bill.source !== 'portal' || bill.status !== 'received')
    throw conflict('wrong_status', 'You can add files only to a bill that you submitted and that awaits approval.')
  const created = await attachFile(call, { recordId: bill.id, fileName }, file, { max: MAX_FILES })
  const { id, contentType, size, sha256, createdAt } = created
  return { id, fileName: created.fileName, contentType, size, sha256, from: 'vendor', createdAt }
}

export async function withdrawBill(call: Call, billId: string, reason: string | null): Promise<PortalBill> {
  await call.write(async (call) => {
    const bill = await findVisibleBill(call, billId)
    if (bill.status === 'void') return
    if (bill.source !== 'portal' || bill.status !== 'received')
      throw conflict('wrong_status', 'You can withdraw only a bill that you submitted and that awaits approval.')
    await voidBill(
      call,
      billId,
      reason === null ? 'The vendor withdrew the bill.' : `The vendor withdrew it: ${reason}`,
    )
  })
  return readBill(call, billId)
}

/**
 * Returns the bill if it belongs to the caller and the token covers all of the caller's records. Otherwise, throws
 * `not_found`.
 */
async function findVisibleBill(call: Call, id: string): Promise<Bill> {
  const { principal } = call
  const bill = await bills.findOptional(call, id)
  const isShown = principal.subjectId === principal.id && bill?.vendorId === principal.id && bill.status !== 'draft'
  if (bill === undefined || !isShown) throw notFound()
  return bill
}
