import { useSession } from '../api/caller.ts'
import { type Days, daysIn } from './days.ts'
import { type Figures, figuresIn } from './figures.ts'

// Formatters are slow to create and every row needs them. A user has only a few organizations.
const made = new Map<string, Figures & Days>()

/** Returns formatters for amounts in the organization's currency and dates in its time zone. */
export function useFormats(): Figures & Days {
  const { currency, timeZone } = useSession().organization
  const key = `${currency} ${timeZone}`
  const known = made.get(key)
  if (known !== undefined) return known
  const formats = { ...figuresIn(currency), ...daysIn(timeZone) }
  made.set(key, formats)
  return formats
}
