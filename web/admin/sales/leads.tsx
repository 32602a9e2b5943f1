import { Link } from 'react-router'
import type { Lead, LeadStatus } from '../../../client/contract.gen.ts'
import { useLive } from '../../api/live.ts'
import { usePage } from '../../api/pages.ts'
import { inWords } from '../../ui/badge.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Shape } from '../../ui/shape.tsx'
import { Failed, SkeletonLines } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LeadMoves, leadName } from './lead-moves.tsx'
import { SalesTabs } from './sales-tabs.tsx'

/** The columns of the board. Converted leads are sales, and lost leads need no action. */
const OPEN = ['new', 'contacted', 'qualified', 'appointment', 'proposal'] as const satisfies LeadStatus[]
/** The most promising leads of each state; nobody works on more at a time. */
const SHOWN = 25

/** The board of leads by state, most promising first. */
export function Component() {
  useLive('at ease')
  return (
    <Page title="Leads" crumbs={[{ name: 'Sales' }]}>
      <div className="page-head">
        <h1>Leads</h1>
        <p>Prospective buyers, sorted by score.</p>
      </div>
      <SalesTabs />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark around those of the columns. */}
      <div className="board" tabIndex={0} role="region" aria-label="Leads by status">
        {OPEN.map((status) => (
          <BoardColumn key={status} status={status} />
        ))}
      </div>
    </Page>
  )
}

function BoardColumn({ status }: { status: (typeof OPEN)[number] }) {
  const leads = usePage('/api/ext/leads', { status, sort: '-score', limit: SHOWN })
  const look = LOOKS.lead[status]
  const rows = leads.data?.data
  return (
    <section aria-label={look.word}>
      <h2>
        <Shape name={look.shape} />
        {look.word}
        <span className="push faint">{leads.data?.nextCursor == null ? rows?.length : `${SHOWN}+`}</span>
      </h2>
      {leads.error !== null ? (
        <Failed what="Leads" error={leads.error} onRetry={() => void leads.refetch()} />
      ) : rows === undefined ? (
        <SkeletonLines lines={3} />
      ) : rows.length === 0 ? (
        <p className="faint">No leads</p>
      ) : (
        <ul>
          {rows.map((lead) => (
            <Card key={lead.id} lead={lead} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Card({ lead }: { lead: Lead }) {
  const { money, until, dateOf } = useFormats()
  const name = leadName(lead)
  const isDue = lead.nextActivityAt !== null && until(dateOf(lead.nextActivityAt)) <= 0
  return (
    <li className="lead-card">
      <div className="row">
        <Link className="lead clip" title={name} to={`/sales/leads/${lead.id}`}>
          {name}
        </Link>
        <span
          className="push num"
          title={lead.scoreReasons.map(({ reason, points }) => `${inWords(reason)} ${points}`).join(', ')}
        >
          {lead.score}
          <span className="sr"> of 100</span>
        </span>
      </div>
      <p className="small muted">
        {inWords(lead.source)}
        {lead.budgetMax !== null && `, up to ${money(lead.budgetMax)}`}
      </p>
      <p className={isDue ? 'small tone-warn' : 'small muted'}>
        {lead.nextActivityAt === null ? (
          'no next contact'
        ) : (
          <>
            {isDue ? 'due since' : 'next'} <Time at={lead.nextActivityAt} />
          </>
        )}
      </p>
      <LeadMoves lead={lead} look="quiet" />
    </li>
  )
}
