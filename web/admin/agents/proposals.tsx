import { Link } from 'react-router'
import type { Proposal } from '../../../client/contract.gen.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import type { Column } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { describeProposal, listProposedSteps, ProposalTitle } from './skill-title.tsx'

const TABS = ['status'] as const
const STATUSES = ['proposed', 'approved', 'refused', 'expired'] as const
/** The polling interval for new proposals, which have no events. */
const REFRESH_MS = 20_000

const COLUMNS: readonly Column<Proposal>[] = [
  {
    head: 'Proposal',
    className: 'long',
    cell: (proposal) => (
      <>
        <Link className="lead" to={`/agents/proposals/${proposal.id}`}>
          <ProposalTitle of={proposal} />
        </Link>
        <span className="sub clip">{proposal.note ?? summarizeInput(proposal)}</span>
      </>
    ),
    csv: describeProposal,
  },
  {
    head: 'Status',
    cell: ({ status }) => <Status of="proposal" is={status} />,
    csv: ({ status }) => STATUS_LOOKS.proposal[status].word,
  },
  {
    head: 'Proposed by',
    cell: ({ createdBy }) => <ActorName of={createdBy} />,
    csv: ({ createdBy }) => createdBy.id ?? createdBy.type,
  },
  {
    head: 'Proposed',
    sort: 'createdAt',
    className: 'nowrap',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  { head: 'Decided', className: 'nowrap', cell: (proposal) => <DecisionCell of={proposal} /> },
]

/** Lists proposals: the changes that agents propose, and the decisions. */
export function Component() {
  return (
    <Page title="Proposals" crumbs={[{ name: 'Agents' }, { name: 'Proposals' }]}>
      <div className="page-head">
        <h1>Proposals</h1>
        <p>Changes proposed by agents. Nothing changes until a user approves the proposal.</p>
      </div>
      <ViewTabs
        label="Proposals"
        name="status"
        views={[
          ...STATUSES.map((value) => ({ value, word: STATUS_LOOKS.proposal[value].word })),
          { value: undefined, word: 'All' },
        ]}
      />
      <Listing
        path="/api/ext/proposals"
        nouns={['proposal', 'proposals']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="-createdAt"
        everyMs={REFRESH_MS}
        tabs={TABS}
        empty={
          <EmptyState
            icon="agent"
            title="No proposals yet"
            actions={
              <Link className="btn small" to="/settings/keys">
                API keys
              </Link>
            }
          >
            Create an API key that can only propose changes. Its proposals appear here for approval.
          </EmptyState>
        }
      />
    </Page>
  )
}

/** Summarizes the first values of the input, so that users can distinguish proposals of the same kind. */
function summarizeInput(proposal: Proposal): string {
  const values = listProposedSteps(proposal).flatMap(({ input }) => Object.values(input))
  return values
    .filter((value) => typeof value === 'string' && !/^[a-z]+_[0-9a-z]{26}$/.test(value))
    .slice(0, 3)
    .join(' · ')
}

function DecisionCell({ of: { decidedBy, decidedAt, status, expiresAt } }: { of: Proposal }) {
  const { left, dateOf } = useFormats()
  if (status === 'proposed') return <span className="faint">{left(dateOf(expiresAt))}</span>
  if (decidedBy === null || decidedAt === null) return <span className="faint">no decision in time</span>
  return (
    <>
      <TimeText at={decidedAt} /> <span className="muted">by </span>
      <ActorName of={decidedBy} />
    </>
  )
}
