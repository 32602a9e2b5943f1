/** The fields by which users recognize a record of any kind. */
export interface NamedRecord {
  readonly id: string
  readonly status?: string
  readonly [field: string]: unknown
}

/** The fields that can contain the name of a record. The first one that has a value is used. */
const TITLES = ['companyName', 'name', 'title', 'number', 'subject', 'description', 'code', 'fileName'] as const
/** The fields that can distinguish a record from others with the same name. */
const DETAILS = ['code', 'sku', 'number', 'lotNumber', 'email', 'scope', 'date'] as const

/** Returns the name of a record, and a detail that distinguishes it from other records with the same name. */
export function describeRecord(record: NamedRecord): { title: string | undefined; detail: string } {
  const { firstName, lastName, communityName } = record
  const person = [firstName, lastName].filter((part) => typeof part === 'string').join(' ')
  const title = [person, ...TITLES.map((field) => record[field])].find(isFilled)
  const detail = DETAILS.map((field) => record[field]).find((value) => isFilled(value) && value !== title)
  const place = typeof communityName === 'string' ? `, ${communityName}` : ''
  return {
    title: title === undefined ? undefined : `${String(title)}${place}`,
    detail: detail === undefined ? '' : String(detail),
  }
}

function isFilled(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}
