import { useState } from 'react'
import { Link } from 'react-router'
import type { Lead, LeadStatus } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Shape } from '../../ui/shape.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { LeadForm } from './lead-form.tsx'
import { formatLeadName, LeadMoves } from './lead-moves.tsx'
import { SalesTabs } from './sales-tabs.tsx'

/** The columns of the board. Converted leads are shown as sales, and lost leads need no action. */
const OPEN_STATUSES = ['new', 'contacted', 'qualified', 'appointment', 'proposal'] as const satisfies LeadStatus[]
/** The maximum number of leads in a column, most promising first. Nobody works on more leads at a time. */
const MAX_LEADS_PER_COLUMN = 25

/** Shows a board of leads by status, most promising first. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  return (
    <Page
      title="Leads"
      crumbs={[{ name: 'Sales' }]}
      actions={
        can('leads:write') && (
          <Button look="primary" onClick={() => setIsNew(true)}>
            New lead
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>Leads</h1>
        <p>Prospective buyers, sorted by score.</p>
      </div>
      <SalesTabs />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark around those of the columns. */}
      <div className="board" tabIndex={0} role="region" aria-label="Leads by status">
        {OPEN_STATUSES.map((status) => (
          <BoardColumn key={status} status={status} />
        ))}
      </div>
      {isNew && <LeadForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}

function BoardColumn({ status }: { status: (typeof OPEN_STATUSES)[number] }) {
  const leads = useListPage('/api/ext/leads', { status, sort: '-score', limit: MAX_LEADS_PER_COLUMN })
  const look = STATUS_LOOKS.lead[status]
  const rows = leads.data?.data
  return (
    <section aria-label={look.word}>
      <h2>
        <Shape name={look.shape} />
        {look.word}
        <span className="push faint">{leads.data?.nextCursor == null ? rows?.length : `${MAX_LEADS_PER_COLUMN}+`}</span>
      </h2>
      {leads.error !== null ? (
        <LoadError what="Leads" error={leads.error} onRetry={() => void leads.refetch()} />
      ) : rows === undefined ? (
        <SkeletonLines lines={3} />
      ) : rows.length === 0 ? (
        <p className="faint">No leads</p>
      ) : (
        <ul>
          {rows.map((lead) => (
            <LeadCard key={lead.id} lead={lead} />
          ))}
        </ul>
      )}
    </section>
  )
}

function LeadCard({ lead }: { lead: Lead }) {
  const { money, until, dateOf } = useFormats()
  const name = formatLeadName(lead)
  const isDue = lead.nextActivityAt !== null && until(dateOf(lead.nextActivityAt)) <= 0
  return (
    <li className="lead-card">
      <div className="row">
        <Link className="lead clip" title={name} to={`/sales/leads/${lead.id}`}>
          {name}
        </Link>
        <span
          className="push num"
          title={lead.scoreReasons.map(({ reason, points }) => `${humanizeName(reason)} ${points}`).join(', ')}
        >
          {lead.score}
          <span className="sr"> of 100</span>
        </span>
      </div>
      <p className="small muted">
        {humanizeName(lead.source)}
        {lead.budgetMax !== null && `, up to ${money(lead.budgetMax)}`}
      </p>
      <p className={isDue ? 'small tone-warn' : 'small muted'}>
        {lead.nextActivityAt === null ? (
          'no next contact'
        ) : (
          <>
            {isDue ? 'contact due since' : 'next'} <TimeText at={lead.nextActivityAt} />
          </>
        )}
      </p>
      <LeadMoves lead={lead} look="quiet" />
    </li>
  )
}
