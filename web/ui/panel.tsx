import type { ReactNode } from 'react'

/** Shows a section of a page with a heading. */
export function Panel(props: {
  title: string
  hint?: ReactNode
  actions?: ReactNode
  /** Whether the content has its own border, as a table does. */
  isFlush?: boolean
  foot?: ReactNode
  children: ReactNode
}) {
  const { title, hint, actions, isFlush = false, foot, children } = props
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {hint !== undefined && <span className="hint">{hint}</span>}
        {actions !== undefined && <span className="push row">{actions}</span>}
      </header>
      {isFlush ? children : <div className="body">{children}</div>}
      {foot !== undefined && foot !== false && <footer>{foot}</footer>}
    </section>
  )
}

/** Shows a list of two to seven labeled values. */
export function KeyValues({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="kv">
      {facts.map(([label, value]) => (
        <div className="pair" key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
