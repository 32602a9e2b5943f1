import type { Form1099Box, Form1099Kind } from '../../../../client/contract.gen.ts'

/** A box that reports payments. */
export type Box = Form1099Box['box']

/** The boxes of each form, in their order on the form. */
export const BOXES: Readonly<Record<Form1099Kind, readonly Box[]>> = {
  '1099-NEC': ['nec_1'],
  '1099-MISC': ['misc_1', 'misc_3', 'misc_6', 'misc_10'],
}

/**
 * The amounts from which a form is required, by the first year in which they apply, newest first. Public Law 119-21,
 * section 70433, raised the threshold from $600 to $2,000 for payments made after 2025, and indexes it for inflation
 * after 2026: add a row for each adjusted amount. For gross proceeds paid to an attorney (`misc_10`) it is still $600.
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

export function getThresholds(year: number): Thresholds {
  return THRESHOLDS.find(({ fromYear }) => fromYear <= year) ?? THRESHOLDS[1]
}

/** The rate of backup withholding in percent (IRC 3406), by the first year in which it applies, newest first. */
const RATES = [{ fromYear: 2018, percent: 24 }] as const

export function getWithholdingPercent(year: number): number {
  return RATES.find(({ fromYear }) => fromYear <= year)?.percent ?? RATES[0].percent
}

/**
 * SQL of the box in which a payment is reported, or 'none' if it is not reported. Requires the vendor's row as `v`. Once
 * payments are made for bills, the box of the bill line must take precedence here.
 */
export const REPORTING_BOX = `case when v."is1099" then v."reportingBox" else 'none' end`
