import { useState } from 'react'
import type { Event, ExecuteBatch, Problem, Proposal } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { faultOf } from '../../api/fault.ts'
import { plumbline } from '../../api/plumbline.ts'
import { queries } from '../../api/queries.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move.tsx'
import { say } from '../../ui/toast.tsx'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'
import { BATCH, skillInWords, useSkillTitle } from './skill.tsx'

/** Approves or rejects a proposal. The dialog first tries it again and shows which records have changed since. */
export function ProposalDecision({ proposal }: { proposal: Proposal }) {
  const [open, setOpen] = useState<'approve' | 'refuse' | null>(null)
  const props = { proposal, onClose: () => setOpen(null) }
  return (
    <>
      {proposal.status === 'proposed' && (
        <>
          <Button className="keep" onClick={() => setOpen('refuse')}>
            Reject
          </Button>
          <Button className="keep" look="primary" icon="check" onClick={() => setOpen('approve')}>
            Approve
          </Button>
        </>
      )}
      {open === 'approve' && <Approve {...props} />}
      {open === 'refuse' && <Refuse {...props} />}
    </>
  )
}

interface Props {
  proposal: Proposal
  onClose(): void
}

function Approve({ proposal, onClose }: Props) {
  const canTry = useMay()('skills:write')
  const title = useSkillTitle(proposal.skill)
  const name = proposal.skill === BATCH ? 'the steps' : title.charAt(0).toLowerCase() + title.slice(1)
  const trial = useTrial(proposal, canTry)
  const change = plumbline.useMutation('post', '/api/ext/proposals/{proposalId}/approve', {
    onSuccess: ({ skill }) => {
      say(`${skillInWords(skill)} approved and completed`)
      onClose()
    },
    onError: readAgain,
  })
  return (
    <MoveDialog
      title={`Approve ${name}?`}
      effect="The changes are made now, once, with your permissions."
      word="Approve and run"
      trial={canTry ? trial : null}
      error={change.error}
      fields={<ChangedMeanwhile error={change.error} />}
      remedy={(error) => remedyFor(error, proposal)}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate({ params: { path: { proposalId: proposal.id } } })}
    />
  )
}

function Refuse({ proposal, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/ext/proposals/{proposalId}/refuse', {
    onSuccess: () => {
      say('Proposal rejected')
      onClose()
    },
    onError: readAgain,
  })
  return (
    <MoveDialog
      title="Reject this proposal?"
      effect="The changes are not made. The proposer can read the reason. This cannot be undone."
      word="Reject proposal"
      isDanger
      reason="needed"
      trial={null}
      error={change.error}
      remedy={(error) => remedyFor(error, proposal)}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(reason) =>
        change.mutate({ params: { path: { proposalId: proposal.id } }, body: { reason: reason ?? null } })
      }
    />
  )
}

/** Runs the proposal as a dry run, to show what it would do now. */
function useTrial(
  { skill, input }: Proposal,
  enabled: boolean,
): { data?: { events: Event[] }; error: Problem | null; isFetching: boolean } {
  const isBatch = skill === BATCH
  const asked = { staleTime: 0, gcTime: 0 }
  const one = plumbline.useQuery(
    'post',
    '/api/ext/execute',
    { body: { skill, input, dryRun: true } },
    { ...asked, enabled: enabled && !isBatch },
  )
  const several = plumbline.useQuery(
    'post',
    '/api/ext/execute/batch',
    { body: { steps: (input as { steps?: ExecuteBatch['steps'] }).steps ?? [], dryRun: true } },
    { ...asked, enabled: enabled && isBatch },
  )
  const events = isBatch ? several.data?.steps.flatMap((step) => step.events) : one.data?.events
  const { error, isFetching } = isBatch ? several : one
  return { ...(events !== undefined && { data: { events } }), error, isFetching }
}

/** Another user may have decided it in the meantime; the page then shows who. */
function readAgain(): void {
  void queries.invalidateQueries({ queryKey: ['get', '/api/ext/proposals/{proposalId}'] })
}

/** Returns what the user can do after the service rejected the decision. */
function remedyFor(error: unknown, { status }: Proposal): string | undefined {
  if (error === null || error === undefined) return undefined
  const { problem } = faultOf(error)
  if (status !== 'proposed') return `This proposal is already ${inWords(status).toLowerCase()}.`
  if (problem?.status === 403) {
    return 'Your role does not allow this change. A colleague whose role allows it can approve the proposal.'
  }
  if (problem?.reason === 'changed_meanwhile') {
    return 'The proposal is still open. Request a new proposal, or reject this one.'
  }
  if (problem !== null && problem.status < 500) {
    return 'Records have changed since this was proposed. Resolve the conflict, or reject the proposal.'
  }
  return undefined
}
