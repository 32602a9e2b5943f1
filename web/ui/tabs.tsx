import { Link, useSearchParams } from 'react-router'

/** Tabs of one page. The URL stores which tab is open. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly { name: Name; word: string; count?: number }[]
  open: Name
}) {
  return (
    <nav className="tabs" aria-label={props.label}>
      {props.tabs.map(({ name, word, count }, at) => (
        // The search and page of one tab's list do not apply to the list of another tab.
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

/** Returns the tab that the URL names, or the first one. */
export function useOpenTab<Name extends string>(names: readonly [Name, ...Name[]]): Name {
  const [params] = useSearchParams()
  return names.find((name) => name === params.get('tab')) ?? names[0]
}
