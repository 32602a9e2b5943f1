import { sql } from 'kysely'
import type { Drawing } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { findRecipients } from '../../messages/find-recipients.ts'
import { sendMessage } from '../../messages/send-message.ts'
import { getVendorMessageWords } from '../words/vendor-message-words.ts'

/** The maximum number of orders that one message contains. */
const MAX_ORDERS = 500

/** If a drawing is revised, sends one message to each vendor with unfinished orders that were issued with it. */
export async function notifyVendorsOfRevision(call: WriteCall, drawing: Drawing): Promise<void> {
  const { sheetNumber, title, revisions } = drawing
  const [current] = revisions
  if (current === undefined) return
  const orders = await listOrdersWith(call, drawing)
  for (const [vendorId, own] of Map.groupBy(orders, (order) => order.vendorId)) {
    const { found } = await findRecipients(call, [{ type: 'vendor', id: vendorId }])
    const to = found.filter(({ gone }) => gone === null)
    if (to.length === 0) continue
    const [{ homeId } = { homeId: null }] = own
    const numbers = own.map(({ number }) => number).join(', ')
    const words = getVendorMessageWords(to[0]?.language).revision
    const body = words.body(`${sheetNumber} ${title}`, current.label, numbers)
    await sendMessage(call, {
      channel: 'email',
      subject: words.subject(sheetNumber),
      body: current.note === null ? body : `${body}\n\n${current.note}`,
      to,
      relatedTo: homeId === null ? null : { type: 'home', id: homeId },
      inReplyTo: null,
    })
  }
}

interface OrderWithDrawing {
  vendorId: string
  homeId: string
  number: string
}

/** Returns the unfinished orders that were issued with the drawing. */
async function listOrdersWith({ db, organizationId }: Tenant, drawing: Drawing): Promise<OrderWithDrawing[]> {
  const named = JSON.stringify([{ drawingId: drawing.id }])
  const { rows } = await sql<OrderWithDrawing>`
    select o."vendorId", o."homeId", o."number" from "purchaseOrders" as o
    join "homes" as h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    where o."organizationId" = ${organizationId} and o."status" in ('issued', 'accepted', 'partially_completed')
      and (h."id" = ${drawing.homeId} or h."planId" = ${drawing.planId}) and o."drawings" @> ${named}::jsonb
    order by o."number" limit ${MAX_ORDERS}`.execute(db)
  return rows
}
