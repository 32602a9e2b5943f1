import type { Call } from '../../../platform/calls/call.ts'
import { resource } from '../../../platform/resources/resource.ts'

export const { list, findAll, insert } = resource({
  schema: 'BudgetTransfer',
  // Computed by the database as columns, from what the lines had before.
  computed: { fromBudgetedAfter: 't."fromBudgetedAfter"', toBudgetedAfter: 't."toBudgetedAfter"' },
  filters: {
    lineId: (line) => `(t."fromLineId" = ${line} or t."toLineId" = ${line})`,
    from: (day) => `t."createdAt" >= ${startOf(day, 0)}`,
    to: (day) => `t."createdAt" < ${startOf(day, 1)}`,
  },
})

/** A calendar date together with the time zone in which it is a day, as the filters `from` and `to` take it. */
export function dayOf({ timeZone }: Pick<Call, 'timeZone'>, date: string): string {
  return `${date} ${timeZone}`
}

function startOf(day: string, later: 0 | 1): string {
  return `(split_part(${day}, ' ', 1)::date + ${later})::timestamp at time zone split_part(${day}, ' ', 2)`
}
