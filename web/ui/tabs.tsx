import { Link, useSearchParams } from 'react-router'
import { scrollToOpenTab } from './scroll-to-open-tab.ts'

/** Shows the tabs of a page. The URL contains the open tab. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly { name: Name; word: string; count?: number }[]
  open: Name
}) {
  return (
    <nav className="tabs" ref={scrollToOpenTab} aria-label={props.label}>
      {props.tabs.map(({ name, word, count }, at) => (
        // Removes the search and the page number of the list, because they do not apply to the list of another tab.
        <Link
          key={name}
          to={{ search: at === 0 ? '' : `?tab=${name}` }}
          replace
          aria-current={name === props.open ? 'page' : undefined}
        >
          {word} {count !== undefined && <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  )
}

/** Returns the tab in the URL or, if it contains none, the first tab. */
export function useOpenTab<Name extends string>(names: readonly [Name, ...Name[]]): Name {
  const [params] = useSearchParams()
  return names.find((name) => name === params.get('tab')) ?? names[0]
}
