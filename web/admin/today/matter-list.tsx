import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Panel } from '../../ui/panel.tsx'
import type { Tone } from '../../ui/status-styles.ts'

/** An item that needs the user's action, with a link to its page. */
export interface Matter {
  key: string
  icon: IconName
  tone: Tone
  title: ReactNode
  note?: ReactNode
  when?: ReactNode
  under?: ReactNode
  to: string
  verb: string
}

export function MatterList({ title, matters }: { title: string; matters: readonly Matter[] }) {
  if (matters.length === 0) return null
  return (
    <Panel title={title} hint={matters.length} isFlush>
      <ul className="line-list">
        {matters.map(({ key, icon, tone, title, note, when, under, to, verb }) => (
          <li key={key}>
            <span className="sign" data-tone={tone}>
              <Icon name={icon} />
            </span>
            <div className="what">
              <Link to={to}>{title}</Link>
              {note !== undefined && <span>{note}</span>}
            </div>
            {when !== undefined && (
              <div className="when">
                <strong>{when}</strong>
                {under}
              </div>
            )}
            <Link className="btn small" to={to} tabIndex={-1} aria-hidden="true">
              {verb}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
