import type { BudgetLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import * as budgetLines from './queries.ts'

/**
 * Records an event for each added or changed line. The lines must already be stored.
 *
 * @param former the lines before the change; lines whose version is the same have no event
 */
export async function recordBudgetLineEvents(
  call: WriteCall,
  former: readonly BudgetLine[],
  { added = [] }: { added?: readonly string[] } = {},
): Promise<void> {
  const before = new Map(former.map((line) => [line.id, line]))
  const stored = await budgetLines.findAll(call, [...added, ...before.keys()])
  const events = stored.flatMap((line) => {
    const old = before.get(line.id)
    if (old === undefined) return [buildEvent(call, 'budget_line.created', line)]
    return line.version === old.version ? [] : [buildEvent(call, 'budget_line.updated', line, old)]
  })
  if (events.length > 0) await recordEvents(call, events)
}
