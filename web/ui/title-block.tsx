import type { ReactNode } from 'react'

export interface Fact {
  label: string
  value: ReactNode
  note?: ReactNode
  /** Whether it is one of the one or two main figures of the page. */
  isFigure?: boolean
  /** Whether it is hidden on phones, because the first tab shows it too. */
  isWideOnly?: boolean
}

/** Shows the key facts of the page in ruled cells, as in the corner of a drawing. */
export function TitleBlock(props: { name: ReactNode; state?: ReactNode; sub?: ReactNode; facts: readonly Fact[] }) {
  return (
    <section className="title-block" aria-label="Facts">
      <div className="name">
        <h1>{props.name}</h1>
        {props.state}
        {props.sub !== undefined && <span className="sub">{props.sub}</span>}
      </div>
      <dl>
        {props.facts.map(({ label, value, note, isFigure, isWideOnly }) => (
          <div key={label} className={isWideOnly ? 'wide-only' : undefined}>
            <dt>{label}</dt>
            <dd className={isFigure ? 'fig' : undefined}>
              {value}
              {note !== undefined && <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
