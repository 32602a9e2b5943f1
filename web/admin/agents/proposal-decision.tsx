import { useState } from 'react'
import type { Event, ExecuteBatch, Problem, Proposal } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { queryClient } from '../../api/query-client.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ChangedValues } from './changed-values.tsx'
import { BATCH, humanizeSkill, useSkillTitle } from './skill-title.tsx'

/**
 * Lets the user approve or reject a proposal. The dialog first repeats the dry run and shows which records have changed
 * since.
 */
export function ProposalDecision({ proposal }: { proposal: Proposal }) {
  const [open, setOpen] = useState<'approve' | 'refuse' | null>(null)
  const props = { proposal, onClose: () => setOpen(null) }
  return (
    <>
      {proposal.status === 'proposed' && (
        <>
          <Button onClick={() => setOpen('refuse')}>Reject</Button>
          <Button look="primary" icon="check" onClick={() => setOpen('approve')}>
            Approve
          </Button>
        </>
      )}
      {open === 'approve' && <Approve {...props} />}
      {open === 'refuse' && <Refuse {...props} />}
    </>
  )
}

interface DecisionProps {
  proposal: Proposal
  onClose(): void
}

function Approve({ proposal, onClose }: DecisionProps) {
  const canTry = useCan()('skills:write')
  const title = useSkillTitle(proposal.skill)
  const name = proposal.skill === BATCH ? 'the steps' : title.charAt(0).toLowerCase() + title.slice(1)
  const trial = useTrial(proposal, canTry)
  const change = plumbline.useMutation('post', '/api/ext/proposals/{proposalId}/approve', {
    onSuccess: ({ skill }) => {
      showToast(`${humanizeSkill(skill)} approved and completed`)
      onClose()
    },
    onError: reloadProposal,
  })
  return (
    <MoveDialog
      title={`Approve ${name}?`}
      effect="The changes will be made immediately, with your permissions."
      word="Approve and run"
      trial={canTry ? trial : null}
      error={change.error}
      fields={<ChangedValues error={change.error} />}
      remedy={(error) => findRemedy(error, proposal)}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate({ params: { path: { proposalId: proposal.id } } })}
    />
  )
}

function Refuse({ proposal, onClose }: DecisionProps) {
  const change = plumbline.useMutation('post', '/api/ext/proposals/{proposalId}/refuse', {
    onSuccess: () => {
      showToast('Proposal rejected')
      onClose()
    },
    onError: reloadProposal,
  })
  return (
    <MoveDialog
      title="Reject this proposal?"
      effect="The changes will not be made. The proposer can read the reason. This cannot be undone."
      word="Reject proposal"
      isDanger
      reason="needed"
      trial={null}
      error={change.error}
      remedy={(error) => findRemedy(error, proposal)}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(reason) =>
        change.mutate({ params: { path: { proposalId: proposal.id } }, body: { reason: reason ?? null } })
      }
    />
  )
}

/** Runs the proposal as a dry run to show its current effect. */
function useTrial(
  { skill, input }: Proposal,
  enabled: boolean,
): { data?: { events: Event[] }; error: Problem | null; isFetching: boolean } {
  const isBatch = skill === BATCH
  const requested = { staleTime: 0, gcTime: 0 }
  const one = plumbline.useQuery(
    'post',
    '/api/ext/execute',
    { body: { skill, input, dryRun: true } },
    { ...requested, enabled: enabled && !isBatch },
  )
  const several = plumbline.useQuery(
    'post',
    '/api/ext/execute/batch',
    { body: { steps: (input as { steps?: ExecuteBatch['steps'] }).steps ?? [], dryRun: true } },
    { ...requested, enabled: enabled && isBatch },
  )
  const events = isBatch ? several.data?.steps.flatMap((step) => step.events) : one.data?.events
  const { error, isFetching } = isBatch ? several : one
  return { ...(events !== undefined && { data: { events } }), error, isFetching }
}

/** Another user may have decided on the proposal in the meantime. After reloading, the page shows who did. */
function reloadProposal(): void {
  void queryClient.invalidateQueries({ queryKey: ['get', '/api/ext/proposals/{proposalId}'] })
}

/** Returns advice for a user whose decision the service rejected. */
function findRemedy(error: unknown, { status }: Proposal): string | undefined {
  if (error === null || error === undefined) return undefined
  const { problem } = toErrorMessage(error)
  if (status !== 'proposed') return `This proposal is already ${humanizeName(status).toLowerCase()}.`
  if (problem?.status === 403) {
    return 'Your role does not allow this change. A colleague whose role allows the change can approve the proposal.'
  }
  if (problem?.reason === 'changed_meanwhile') {
    return 'The proposal is still open. Request a new proposal, or reject this one.'
  }
  if (problem !== null && problem.status < 500) {
    return 'Records have changed since this proposal was created. Resolve the conflict, or reject the proposal.'
  }
  return undefined
}
