import { Link } from 'react-router'
import type { Proposal } from '../../../client/contract.gen.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { ProposalTitle, proposalInWords, stepsOf } from './skill.tsx'

const TABS = ['status'] as const
const STATUSES = ['proposed', 'approved', 'refused', 'expired'] as const
/** Proposals have no events, so the list polls for new ones. */
const EVERY_MS = 20_000

const COLUMNS: readonly Column<Proposal>[] = [
  {
    head: 'Proposal',
    className: 'long',
    cell: (proposal) => (
      <>
        <Link className="lead" to={`/agents/proposals/${proposal.id}`}>
          <ProposalTitle of={proposal} />
        </Link>
        <span className="sub clip">{proposal.note ?? gistOf(proposal)}</span>
      </>
    ),
    csv: proposalInWords,
  },
  {
    head: 'Status',
    cell: ({ status }) => <Status of="proposal" is={status} />,
    csv: ({ status }) => LOOKS.proposal[status].word,
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
    cell: ({ createdAt }) => <Time at={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  { head: 'Decided', className: 'nowrap', cell: (proposal) => <Decided of={proposal} /> },
]

/** Lists proposals: what agents would do if they were allowed to, and the decisions. */
export function Component() {
  return (
    <Page title="Proposals" crumbs={[{ name: 'Agents' }, { name: 'Proposals' }]}>
      <div className="page-head">
        <h1>Proposals</h1>
        <p>Changes proposed by agents. Nothing is changed until someone approves.</p>
      </div>
      <ViewTabs
        label="Proposals"
        name="status"
        views={[
          ...STATUSES.map((value) => ({ value, word: LOOKS.proposal[value].word })),
          { value: undefined, word: 'All' },
        ]}
      />
      <Listing
        path="/api/ext/proposals"
        nouns={['proposal', 'proposals']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="-createdAt"
        everyMs={EVERY_MS}
        tabs={TABS}
        empty={
          <Empty
            icon="agent"
            title="No proposals yet"
            actions={
              <Link className="btn small" to="/settings/keys">
                API keys
              </Link>
            }
          >
            Create an API key that can only propose changes. Its proposals appear here for approval.
          </Empty>
        }
      />
    </Page>
  )
}

/** Summarizes the first values of the input, to distinguish proposals of the same kind. */
function gistOf(proposal: Proposal): string {
  const values = stepsOf(proposal).flatMap(({ input }) => Object.values(input))
  return values
    .filter((value) => typeof value === 'string' && !/^[a-z]+_[0-9a-z]{26}$/.test(value))
    .slice(0, 3)
    .join(' · ')
}

function Decided({ of: { decidedBy, decidedAt, status, expiresAt } }: { of: Proposal }) {
  const { left, dateOf } = useFormats()
  if (status === 'proposed') return <span className="faint">{left(dateOf(expiresAt))}</span>
  if (decidedBy === null || decidedAt === null) return <span className="faint">no decision in time</span>
  return (
    <>
      <Time at={decidedAt} /> <span className="muted">by </span>
      <ActorName of={decidedBy} />
    </>
  )
}
