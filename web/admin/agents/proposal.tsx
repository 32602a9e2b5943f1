import { useParams } from 'react-router'
import type { Proposal } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ValueTable } from '../../ui/value-table.tsx'
import { ProposalDecision } from './proposal-decision.tsx'
import { ProposalOutcome } from './proposal-outcome.tsx'
import { describeProposal, listProposedSteps, ProposalTitle, SkillTitle } from './skill-title.tsx'

/** The polling interval. Another user may decide on the proposal while the page is open. */
const REFRESH_MS = 10_000

/** Shows one proposal: its effect, its input, its creator, and the decision. */
export function Component() {
  const { proposalId = '' } = useParams()
  const can = useCan()
  const proposal = plumbline.useQuery(
    'get',
    '/api/ext/proposals/{proposalId}',
    { params: { path: { proposalId } } },
    { refetchInterval: ({ state }) => (state.data?.status === 'proposed' ? REFRESH_MS : false) },
  )
  const { data } = proposal
  const title = data === undefined ? 'Proposal' : describeProposal(data)
  return (
    <Page
      title={title}
      crumbs={[{ name: 'Agents' }, { name: 'Proposals', to: '/agents/proposals' }, { name: title }]}
      actions={data !== undefined && can('proposals:write') && <ProposalDecision proposal={data} />}
    >
      {proposal.error !== null ? (
        <LoadError what="The proposal" error={proposal.error} onRetry={() => void proposal.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <ProposalDetails proposal={data} />
      )}
    </Page>
  )
}

function ProposalDetails({ proposal }: { proposal: Proposal }) {
  const steps = listProposedSteps(proposal)
  return (
    <>
      <TitleBlock
        name={<ProposalTitle of={proposal} />}
        state={<Status of="proposal" is={proposal.status} />}
        sub={<code>{proposal.skill}</code>}
        facts={useFacts(proposal, steps.length)}
      />
      {proposal.note !== null && (
        <div className="banner">
          <Icon name="info" />
          <div>
            <strong>Reason:</strong> {proposal.note}
          </div>
        </div>
      )}
      {proposal.decisionReason !== null && (
        <div className="banner">
          <Icon name="ban" />
          <div>
            <strong>Reason for rejection:</strong> {proposal.decisionReason}
          </div>
        </div>
      )}
      <div className="cols even">
        <ProposalOutcome of={proposal} />
        <div className="stack">
          {steps.map(({ key, skill, input }, at) => (
            <Panel
              key={key}
              title={steps.length === 1 ? 'Input' : `Step ${at + 1}`}
              hint={steps.length === 1 ? 'as sent' : <SkillTitle of={skill} />}
              isFlush
            >
              {Object.keys(input).length === 0 ? (
                <p className="muted">No input.</p>
              ) : (
                <ValueTable caption={`Input of ${skill}`} of={input} />
              )}
            </Panel>
          ))}
        </div>
      </div>
    </>
  )
}

function useFacts(proposal: Proposal, steps: number): readonly Fact[] {
  const { left, dateOf } = useFormats()
  const { createdBy, createdAt, decidedBy, decidedAt, expiresAt, status, outcome } = proposal
  return [
    { label: 'Proposed by', value: <ActorName of={createdBy} />, note: <TimeText at={createdAt} /> },
    { label: 'Steps', isFigure: true, isWideOnly: true, value: steps },
    {
      label: 'Events',
      isFigure: true,
      isWideOnly: true,
      value: outcome.events.length,
      note: outcome.truncated ? 'too many to store' : undefined,
    },
    decidedAt !== null && decidedBy !== null
      ? {
          label: status === 'approved' ? 'Approved by' : 'Rejected by',
          value: <ActorName of={decidedBy} />,
          note: <TimeText at={decidedAt} />,
        }
      : {
          label: status === 'expired' ? 'Expired' : 'Expires',
          value: <TimeText at={expiresAt} />,
          note: left(dateOf(expiresAt)),
        },
  ]
}
