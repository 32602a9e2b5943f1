import type { Call } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, findAll, insert } = defineResource({
  schema: 'BudgetTransfer',
  // Columns that the database computes from the amounts of the lines before the transfer.
  computed: { fromBudgetedAfter: 't."fromBudgetedAfter"', toBudgetedAfter: 't."toBudgetedAfter"' },
  filters: {
    lineId: (line) => `(t."fromLineId" = ${line} or t."toLineId" = ${line})`,
    from: (day) => `t."createdAt" >= ${startOfDaySql(day, 0)}`,
    to: (day) => `t."createdAt" < ${startOfDaySql(day, 1)}`,
  },
})

/** Returns a date with its time zone, in the format of the filters `from` and `to`. */
export function toZonedDay({ timeZone }: Pick<Call, 'timeZone'>, date: string): string {
  return `${date} ${timeZone}`
}

function startOfDaySql(day: string, later: 0 | 1): string {
  return `(split_part(${day}, ' ', 1)::date + ${later})::timestamp at time zone split_part(${day}, ' ', 2)`
}
