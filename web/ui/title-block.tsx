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
export function TitleBlock(props: {
  name: ReactNode
  /** The level of the heading. A block below another one on the same page has level 2. */
  level?: 1 | 2
  state?: ReactNode
  sub?: ReactNode
  facts: readonly Fact[]
}) {
  const Heading = props.level === 2 ? 'h2' : 'h1'
  return (
    <section className="title-block" aria-label="Key facts">
      <div className="name">
        <Heading>{props.name}</Heading>
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
