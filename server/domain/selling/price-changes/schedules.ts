import { sql } from 'kysely'
import type { ApplicationLine, BuyerChange, ScheduleOfValues } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toTotalPriceSql } from './sale-price.ts'
import { MAX_LINES, numberScheduleLines, sumScheduledValues } from './schedule-of-values.ts'

export const schedules = defineResource({
  schema: 'ScheduleOfValues',
  computed: {
    contractSum: `select ${toTotalPriceSql('s')} from "sales" as s
      where s."organizationId" = t."organizationId" and s."id" = t."saleId"`,
  },
})

/** Returns the schedule of values of a sale; undefined if there is none. */
export async function findScheduleOfSale(call: Tenant, saleId: string): Promise<ScheduleOfValues | undefined> {
  return (await schedules.findAllWith(call, { saleId: [saleId] }))[0]
}

type ScheduledChange = Pick<BuyerChange, 'saleId' | 'number' | 'title' | 'price' | 'scheduleLineId'>

/**
 * Adds a line for an approved change to the schedule of values, so that the total of the schedule still equals the
 * price. The caller must have locked the sale. Returns the ID of the line; null if there is no schedule or the price
 * does not change.
 */
export async function addChangeToSchedule(call: WriteCall, change: ScheduledChange): Promise<string | null> {
  const schedule = await findScheduleOfSale(call, change.saleId)
  if (schedule === undefined || change.price === 0) return null
  const lines = await addLine(call, schedule, `Change ${change.number}: ${change.title}`, change.price)
  return lines.at(-1)?.lineId ?? null
}

/**
 * Removes the line of a change that is being voided from the schedule of values. The caller must have locked the sale.
 * If the schedule has no line for the change, adds a deduction instead. This is the case, for example, if the schedule
 * was created after the change.
 */
export async function removeChangeFromSchedule(call: WriteCall, change: ScheduledChange): Promise<void> {
  const { saleId, number, title, price, scheduleLineId } = change
  const schedule = await findScheduleOfSale(call, saleId)
  if (schedule === undefined || price === 0) return
  const line = schedule.lines.find(({ lineId }) => lineId === scheduleLineId)
  if (line !== undefined && (await isBilled(call, saleId, line.lineId)))
    throw conflict(
      'in_use',
      `Cannot void change ${number}: its line ${line.lineId} in the schedule of values has been billed. Void the application first.`,
    )
  if (line?.scheduledValue !== price || schedule.lines.length === 1) {
    await addLine(call, schedule, `Void of change ${number}: ${title}`, -price)
    return
  }
  const lines = schedule.lines.filter(({ lineId }) => lineId !== scheduleLineId)
  await schedules.update(call, schedule, { lines, scheduledTotal: sumScheduledValues(lines) })
}

async function addLine(call: WriteCall, schedule: ScheduleOfValues, description: string, scheduledValue: number) {
  if (schedule.lines.length >= MAX_LINES)
    throw conflict(
      'limit_reached',
      `The schedule of values already has ${MAX_LINES} lines, so it cannot include the change. Combine lines first.`,
    )
  const lines = numberScheduleLines(schedule.lines, [...schedule.lines, { description, scheduledValue }])
  await schedules.update(call, schedule, { lines, scheduledTotal: sumScheduledValues(lines) })
  return lines
}

/**
 * Returns whether the newest application (ignoring void ones) contains completed work or stored materials of the line.
 */
async function isBilled({ db, organizationId }: Tenant, saleId: string, lineId: string): Promise<boolean> {
  const { rows } = await sql<{ lines: ApplicationLine[] }>`
    select "lines" from "applications"
    where "organizationId" = ${organizationId} and "saleId" = ${saleId} and "status" <> 'void'
    order by "number" desc limit 1`.execute(db)
  const billed = rows[0]?.lines.find((line) => line.lineId === lineId)
  return (
    billed !== undefined && [billed.previousAmount, billed.periodAmount, billed.storedAmount].some((each) => each !== 0)
  )
}
