import type { ReactNode } from 'react'

export interface Fact {
  label: string
  value: ReactNode
  note?: ReactNode
  /** Whether the fact is a main figure of the page. A page has one or two. */
  isFigure?: boolean
  /** Whether phones hide the fact. Set this property if the first tab also shows the fact. */
  isWideOnly?: boolean
}

/** Shows the key facts of a page in ruled cells, like the title block in the corner of a drawing. */
export function TitleBlock(props: { name: ReactNode; state?: ReactNode; sub?: ReactNode; facts: readonly Fact[] }) {
  return (
    <section className="title-block" aria-label="Key facts">
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
