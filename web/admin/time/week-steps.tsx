import { Link, useSearchParams } from 'react-router'
import { Icon } from '../../ui/icon.tsx'
import { setQueryParam } from '../../ui/param-select.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import type { Week } from './use-week.ts'

/** Links to the previous and the next week. */
export function WeekSteps({ week: { from, to, previous, next } }: { week: Week }) {
  const { shortDay } = useFormats()
  const [params] = useSearchParams()
  return (
    <nav className="filters" aria-label="Week">
      <Link className="btn small" to={{ search: setQueryParam(params, 'week', previous) }}>
        <Icon name="left" />
        Previous week
      </Link>
      <strong aria-live="polite">
        {shortDay(from)} to {shortDay(to)}
      </strong>
      <Link className="btn small" to={{ search: setQueryParam(params, 'week', next) }}>
        Next week
        <Icon name="right" />
      </Link>
    </nav>
  )
}
