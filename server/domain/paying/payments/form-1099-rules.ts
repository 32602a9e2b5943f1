import type { Form1099Box, Form1099Kind } from '../../../../client/contract.gen.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'

/** A box of Form 1099 that reports payments. */
export type Box = Form1099Box['box']

/** The boxes of each form, in the order of the form. */
export const BOXES: Readonly<Record<Form1099Kind, readonly Box[]>> = {
  '1099-NEC': ['nec_1'],
  '1099-MISC': ['misc_1', 'misc_3', 'misc_6', 'misc_10'],
}

/**
 * The minimum amounts that require a form, each with the first year in which it applies, newest first. Public Law
 * 119-21, section 70433, raised the threshold from $600 to $2,000 for payments made after 2025. After 2026, the
 * threshold is adjusted for inflation: add a row for each new amount. For gross proceeds paid to an attorney
 * (`misc_10`), the threshold is still $600.
 */
const THRESHOLDS = [
  { fromYear: 2026, usual: 2000, attorneys: 600 },
  { fromYear: 0, usual: 600, attorneys: 600 },
] as const

export interface Thresholds {
  /** The threshold for all boxes except `misc_10`. */
  readonly usual: number
  readonly attorneys: number
}

export function getForm1099Thresholds(year: number): Thresholds {
  return THRESHOLDS.find(({ fromYear }) => fromYear <= year) ?? THRESHOLDS[1]
}

/** The rate of backup withholding in percent (IRC 3406), with the first year in which it applies, newest first. */
const RATES = [{ fromYear: 2018, percent: 24 }] as const

export function getWithholdingPercent(year: number): number {
  return RATES.find(({ fromYear }) => fromYear <= year)?.percent ?? RATES[0].percent
}

const DECIMALS = toMinorUnitsSql('p."currency"')

/**
 * Returns an SQL expression for a column of the bill line that receives a part of an allocation; null if no bill line
 * receives a part.
 */
const lineColumn = (name: string) => `coalesce(w."${name}", o."${name}")`
const [WEIGHT, UP_TO, WHOLE] = [lineColumn('weight'), lineColumn('upTo'), lineColumn('whole')]

/**
 * Returns an SQL expression for a row's share of an amount according to the running weights. Rounding the running sums
 * makes the shares add up exactly.
 */
const shareOf = (amount: string) => `
  round(${amount} * ${UP_TO} / ${WHOLE}, ${DECIMALS}) - round(${amount} * (${UP_TO} - ${WEIGHT}) / ${WHOLE}, ${DECIMALS})`

/**
 * Returns the SQL columns of the bill lines `l` among which an allocation is divided in proportion to their weights.
 */
const weighLines = (weight: string) => `
  l."reportingBox" as "box", ${weight} as "weight", sum(${weight}) over (order by l."billId", l."position") as "upTo",
  sum(${weight}) over () as "whole",
  case when row_number() over (order by l."billId", l."position") = 1 then 1 else 0 end as "first"`

/** SQL expression for the weight of a bill line when a payment of its order has no bill. */
const WEIGHT_IN_ORDER = `case p."paymentType" when 'retainage_release' then l."retainageWithheld" else l."amount" end`

/**
 * Returns SQL for the amounts that payments report in each box, both before withholding and as withheld tax. Divides
 * the payment of a bill among the boxes of the bill lines that it pays, in proportion to their net amounts. Divides a
 * payment of an order without a bill among all approved bill lines of the order: a release in proportion to the
 * retainage that the lines withheld, and a deposit or an adjustment in proportion to the amounts of the lines. Uses the
 * vendor's box for a line without a box, and for a payment without bill lines. Does not report the box 'none'.
 *
 * If tax was withheld from a deposit, the deposit keeps the vendor's box. The withholding must be reported in that box,
 * even if the later bill lines are not reported.
 *
 * @param condition SQL condition for the payments `p`
 */
export function toBoxAmountsSql(condition: string): string {
  return `
    select b."vendorId", b."paymentId", b."box", b."amount",
      case when b."box" = 'none' then 0 when b."reported" = 0 then b."withheldTax" else
        round(b."withheldTax" * b."upTo" / b."reported", b."decimals")
          - round(b."withheldTax" * (b."upTo" - b."amount") / b."reported", b."decimals") end as "withheld"
    from (
      select s.*, sum("amount") filter (where "box" <> 'none') over "ofPayment" as "reported",
        sum("amount") filter (where "box" <> 'none') over ("ofPayment" order by "box") as "upTo"
      from (
        select p."vendorId", p."id" as "paymentId", p."backupWithheld" as "withheldTax", ${DECIMALS} as "decimals",
          case when v."is1099" then coalesce(${lineColumn('box')}, v."reportingBox") else 'none' end as "box",
          sum(case when ${WHOLE} is null or ${WHOLE} = 0 then a."net" * coalesce(${lineColumn('first')}, 1) else ${shareOf('a."net"')} end) as "amount"
        from "payments" as p
        join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
        cross join lateral (
          select x."billId", x."poId", x."lineId", x."amount" - x."retainageWithheld" - x."discountTaken" as "net"
          from "paymentAllocations" as x where x."organizationId" = p."organizationId" and x."paymentId" = p."id"
        ) as a
        left join lateral (
          select ${weighLines('(l."amount" - l."retainageWithheld")')}
          from "billLines" as l
          where l."organizationId" = p."organizationId" and l."billId" = a."billId" and l."poId" is not distinct from a."poId"
            and (a."lineId" is null or l."poLineId" = a."lineId" or l."poLineId" is null)
        ) as w on true
        left join lateral (
          select ${weighLines(WEIGHT_IN_ORDER)}
          from "billLines" as l
          join "bills" as b on b."organizationId" = l."organizationId" and b."id" = l."billId"
            and b."status" in ('approved', 'partially_paid', 'paid')
          where l."organizationId" = p."organizationId" and a."billId" is null and l."poId" = a."poId"
            and ${WEIGHT_IN_ORDER} <> 0 and (p."paymentType" <> 'deposit' or p."backupWithheld" = 0)
        ) as o on true
        where ${condition}
        group by p."organizationId", p."id", v."organizationId", v."id", 5
      ) as s
      window "ofPayment" as (partition by "paymentId")
    ) as b`
}
