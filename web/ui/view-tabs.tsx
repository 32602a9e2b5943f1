import { Link, useSearchParams } from 'react-router'
import { scrollToOpenTab } from './scroll-to-open-tab.ts'

/** Shows tabs for the statuses of a list, because users choose this filter first. */
export function ViewTabs(props: {
  label: string
  name: string
  views: readonly { value: string | undefined; word: string }[]
}) {
  const { label, name, views } = props
  const [params] = useSearchParams()
  const chosen = params.get(name) ?? undefined
  return (
    <nav className="tabs" ref={scrollToOpenTab} aria-label={label}>
      {views.map(({ value, word }) => {
        const to = new URLSearchParams(params)
        to.delete('cursor')
        if (value === undefined) to.delete(name)
        else to.set(name, value)
        return (
          <Link key={word} to={{ search: to.toString() }} aria-current={chosen === value ? 'page' : undefined}>
            {word}
          </Link>
        )
      })}
    </nav>
  )
}
