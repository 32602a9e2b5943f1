import { useParams } from 'react-router'
import type { Proposal } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, SkeletonLines } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { Values } from '../../ui/values.tsx'
import { ProposalDecision } from './decision.tsx'
import { Outcome } from './outcome.tsx'
import { ProposalTitle, proposalInWords, SkillTitle, stepsOf } from './skill.tsx'

/** Refreshed, because it may be decided elsewhere while the page is open. */
const EVERY_MS = 10_000

/** Shows one proposal: what it would do, its input, who proposed it, and the decision. */
export function Component() {
  const { proposalId = '' } = useParams()
  const may = useMay()
  const proposal = plumbline.useQuery(
    'get',
    '/api/ext/proposals/{proposalId}',
    { params: { path: { proposalId } } },
    { refetchInterval: ({ state }) => (state.data?.status === 'proposed' ? EVERY_MS : false) },
  )
  const { data } = proposal
  const title = data === undefined ? 'Proposal' : proposalInWords(data)
  return (
    <Page
      title={title}
      crumbs={[{ name: 'Agents' }, { name: 'Proposals', to: '/agents/proposals' }, { name: title }]}
      actions={data !== undefined && may('proposals:write') && <ProposalDecision proposal={data} />}
    >
      {proposal.error !== null ? (
        <Failed what="The proposal" error={proposal.error} onRetry={() => void proposal.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Shown proposal={data} />
      )}
    </Page>
  )
}

function Shown({ proposal }: { proposal: Proposal }) {
  const steps = stepsOf(proposal)
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
        <Outcome of={proposal} />
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
                <Values caption={`Input of ${skill}`} of={input} />
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
    { label: 'Proposed by', value: <ActorName of={createdBy} />, note: <Time at={createdAt} /> },
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
          note: <Time at={decidedAt} />,
        }
      : {
          label: status === 'expired' ? 'Expired' : 'Expires',
          value: <Time at={expiresAt} />,
          note: left(dateOf(expiresAt)),
        },
  ]
}
