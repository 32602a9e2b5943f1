import type { EstimatedLine } from '../../../domain/costs/budgets/estimate-queries.ts'

/**
 * The content of one order: a contract, or a vendor's lines for a trade. The lines are for the base home or for one
 * selection.
 */
export interface OrderBundle {
  scope: string
  /** Null for a contract, which already specifies the vendor. */
  vendorId: string | null
  contractId: string | null
  optionSelectionId: string | null
  lines: { partId: string | null; quantity: number; costCodeId?: string }[]
}

/** The maximum number of lines in an order. Further lines become another order. */
const MAX_LINES = 200

/**
 * Groups lines into orders. A line with an amount instead of a price has no vendor, so a user must order it manually.
 */
export function bundleLines(lines: readonly EstimatedLine[], vendors: ReadonlyMap<string, string>): OrderBundle[] {
  const bundles = new Map<string, OrderBundle>()
  for (const line of omitCancelledLines(lines)) {
    const { scope, optionSelectionId, contractId, partId, costCodeId, quantity } = line
    const vendorId = vendors.get(line.priceId ?? '') ?? null
    if (contractId === null && (vendorId === null || partId === null || quantity === null)) continue
    // One order for a turnkey contract covers the home and all of its selections.
    const of = contractId === null ? optionSelectionId : null
    const key = contractId ?? `${vendorId} ${scope.toLowerCase()} ${of ?? ''}`
    const bundle = bundles.get(key) ?? { scope, vendorId, contractId, optionSelectionId: of, lines: [] }
    bundles.set(key, bundle)
    // Leaves out the price, so that the order uses the price from the vendor's price list and records where it came
    // from.
    if (contractId === null)
      bundle.lines.push({
        ...{ partId, quantity: quantity ?? 0 },
        ...(costCodeId !== null && { costCodeId }),
      })
  }
  return [...bundles.values()].flatMap(splitBundle)
}

/** Returns the lines without those that a selection removes, and without the lines that remove them. */
function omitCancelledLines(lines: readonly EstimatedLine[]): EstimatedLine[] {
  const bought = lines.filter(({ isTakenOut }) => !isTakenOut)
  for (const out of lines.filter(({ isTakenOut }) => isTakenOut)) {
    const i = bought.findIndex(
      ({ takeoffLineId, partId, quantity }) =>
        takeoffLineId === out.takeoffLineId && partId === out.partId && quantity === -(out.quantity ?? 0),
    )
    if (i >= 0) bought.splice(i, 1)
  }
  return bought
}

function splitBundle(bundle: OrderBundle): OrderBundle[] {
  const { lines } = bundle
  if (lines.length <= MAX_LINES) return [bundle]
  return Array.from({ length: Math.ceil(lines.length / MAX_LINES) }, (_, i) => ({
    ...bundle,
    lines: lines.slice(i * MAX_LINES, (i + 1) * MAX_LINES),
  }))
}
