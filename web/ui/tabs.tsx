import { Link, useSearchParams } from 'react-router'

/** The parts of one sheet; which is open stands in the address. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly { name: Name; word: string; count?: number }[]
  open: Name
}) {
  return (
    <nav className="tabs" aria-label={props.label}>
      {props.tabs.map(({ name, word, count }, at) => (
        // The search and the page of the list on one tab mean nothing to the list on another.
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

/** Which of the tabs the address names; the first one if it names none of them. */
export function useOpenTab<Name extends string>(names: readonly [Name, ...Name[]]): Name {
  const [params] = useSearchParams()
  return names.find((name) => name === params.get('tab')) ?? names[0]
}
