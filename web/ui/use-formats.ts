import { useSession } from '../api/session.ts'
import { createDateFormats, type DateFormats } from './date-formats.ts'
import { createNumberFormats, type NumberFormats } from './number-formats.ts'

// Caches formatters, because they are slow to create and every row needs them. A user belongs to only a few
// organizations.
const formatsByOrganization = new Map<string, NumberFormats & DateFormats>()

/** Returns functions that format amounts in the organization's currency and dates in its time zone. */
export function useFormats(): NumberFormats & DateFormats {
  const { currency, timeZone } = useSession().organization
  const key = `${currency} ${timeZone}`
  const known = formatsByOrganization.get(key)
  if (known !== undefined) return known
  const formats = { ...createNumberFormats(currency), ...createDateFormats(timeZone) }
  formatsByOrganization.set(key, formats)
  return formats
}
