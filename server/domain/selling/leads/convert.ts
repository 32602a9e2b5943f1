import type { Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition } from '../../../platform/problems/problem.ts'
import { assertNamed } from '../sales/place.ts'
import { sell } from '../sales/sell.ts'
import { LEAD_MOVES, nameOf } from './lead.ts'
import * as leads from './queries.ts'
import { scored } from './rescore.ts'

/** Converts the lead to a sale. If several leads want one home, the first request that locks the home gets it. */
export async function convert(call: WriteCall, leadId: string, body: Checked['LeadConversion']): Promise<Sale> {
  const before = await leads.lock(call, leadId)
  await assertNamed(call, body)
  if (before.archivedAt !== null) throw conflict('archived', `Cannot convert ${nameOf(before)}: the lead is archived.`)
  if (before.status === 'converted' || before.status === 'lost')
    throw invalidTransition(before.status, 'converted', LEAD_MOVES[before.status])
  const { email, phone, ownerUserId } = before
  const buyers = body.buyers ?? [{ name: nameOf(before), email, phone }]
  const sale = await sell(call, { ...body, buyers, salesRepId: body.salesRepId ?? ownerUserId }, leadId)
  const changes = { status: 'converted' as const, convertedSaleId: sale.id }
  const after = await leads.update(call, before, { ...changes, ...(await scored(call, { ...before, ...changes })) })
  await recordStatusChange(call, { id: leadId, from: before.status, to: after.status })
  await recordEvent(call, 'lead.converted', after, before)
  await recordEvent(call, 'sale.created', sale)
  return sale
}
