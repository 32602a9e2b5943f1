/**
 * The number of decimals of each currency in ISO 4217, if it is not two. The list in ISO 4217 changes only every few
 * years. Intl cannot replace this list. The list describes how amounts are usually written, which differs from ISO 4217
 * for 17 currencies. For example, IQD has no decimals in Intl, but three in ISO 4217.
 */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF'].map((code) => [code, 0] as const),
  ...['UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
])

/** The maximum number of decimals of the currencies that the service supports. */
export const MAX_DECIMALS = 3

/** Returns the number of decimals of amounts in the currency. */
export function getMinorUnits(currency: string): number {
  return DECIMALS.get(currency) ?? 2
}

/** Returns an SQL expression for the number of decimals of the currency whose code is in the column. */
export function toMinorUnitsSql(column: string): string {
  const whens = [0, 3].map((decimals) => {
    const codes = [...DECIMALS].flatMap(([code, own]) => (own === decimals ? [`'${code}'`] : []))
    return `when ${column} in (${codes.join(', ')}) then ${decimals}`
  })
  return `(case ${whens.join(' ')} else 2 end)`
}
