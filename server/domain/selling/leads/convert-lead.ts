import type { Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition } from '../../../platform/problems/problem.ts'
import { createSale } from '../sales/create-sale.ts'
import { assertReferencesExist } from '../sales/sale-place.ts'
import { calculateLeadScore } from './calculate-lead-score.ts'
import { formatLeadName, LEAD_MOVES } from './lead.ts'
import * as leads from './queries.ts'

/**
 * Converts the lead to a sale. If several leads are converted for the same home, the first request that locks the home
 * succeeds.
 */
export async function convertLead(call: WriteCall, leadId: string, body: Checked['LeadConversion']): Promise<Sale> {
  const before = await leads.lock(call, leadId)
  await assertReferencesExist(call, body)
  if (before.archivedAt !== null)
    throw conflict('archived', `Cannot convert ${formatLeadName(before)}: the lead is archived.`)
  if (before.status === 'converted' || before.status === 'lost')
    throw invalidTransition(before.status, 'converted', LEAD_MOVES[before.status])
  const { email, phone, ownerUserId } = before
  const buyers = body.buyers ?? [{ name: formatLeadName(before), email, phone }]
  const sale = await createSale(call, { ...body, buyers, salesRepId: body.salesRepId ?? ownerUserId }, leadId)
  const changes = { status: 'converted' as const, convertedSaleId: sale.id }
  const after = await leads.update(call, before, {
    ...changes,
    ...(await calculateLeadScore(call, { ...before, ...changes })),
  })
  await recordStatusChange(call, { id: leadId, from: before.status, to: after.status })
  await recordEvent(call, 'lead.converted', after, before)
  await recordEvent(call, 'sale.created', sale)
  return sale
}
