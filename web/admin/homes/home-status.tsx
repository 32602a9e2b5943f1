import { useState } from 'react'
import type { Home, HomeStatus, Problem } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { Field, SelectField } from '../../ui/form.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { formatList } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'

const STATUS_EFFECTS: Record<HomeStatus, string> = {
  planning: 'The home returns to planning.',
  permitting: 'Permits have been requested.',
  ready_to_start: 'The home can be started. Its budget must be locked first.',
  under_construction: 'Work begins. The budget must be locked.',
  completed: 'The home is built. All work, inspection, and delivery tasks must be finished.',
  closed: 'The buyer owns the home. Its sale must be complete.',
  warranty: 'The warranty period begins.',
  archived: 'The home, its tasks, and its milestones are archived.',
  on_hold: 'Pauses the home. Resuming restores its current status.',
  cancelled: 'Remaining tasks and milestones are archived. This cannot be undone.',
}

/** All statuses in their usual order. */
const ALL_STATUSES = Object.keys(STATUS_EFFECTS) as HomeStatus[]

/**
 * Returns the most likely next status: the status that usually follows or, after a hold, the status before the hold.
 * The service decides whether the change is possible.
 */
function suggestNextStatus({ status, statusBeforeHold }: Home): HomeStatus {
  return statusBeforeHold ?? ALL_STATUSES[ALL_STATUSES.indexOf(status) + 1] ?? status
}

/**
 * Returns the statuses to which the home can change, as listed in the problem; undefined if the change was not
 * rejected.
 */
function readAllowedStatuses(problem: Problem | null): readonly HomeStatus[] | undefined {
  if (problem?.code !== 'invalid_transition' || !('allowed' in problem)) return undefined
  const { allowed } = problem
  return Array.isArray(allowed) ? ALL_STATUSES.filter((status) => allowed.includes(status)) : undefined
}

/** Lets the user change a home's status. First shows the obstacles to the change. */
export function HomeStatusButton({ home }: { home: Home }) {
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  if (!can('homes:write') || home.archivedAt !== null) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Change status</Button>
      {isOpen && <StatusDialog home={home} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function StatusDialog({ home, onClose }: { home: Home; onClose(): void }) {
  const [to, setTo] = useState<HomeStatus>(() => suggestNextStatus(home))
  const [override, setOverride] = useState('')
  // The text of the override reason does not affect the outcome, so typing it does not repeat the dry run.
  const isOverridden = to === 'closed' && override.trim() !== ''
  const trial = useChangePreview('changeHomeStatus', {
    ...{ homeId: home.id, status: to },
    ...(isOverridden && { overrideReason: 'Enter a reason.' }),
  })
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/status', {
    onSuccess: ({ name, status }) => {
      showToast(`${name}: ${STATUS_LOOKS.home[status].word.toLowerCase()}`)
      onClose()
    },
  })
  const problem = change.error ?? trial?.error ?? null
  const others = ALL_STATUSES.filter((one) => one !== home.status)
  const isRefused = problem?.status === 409
  const [allowed, setAllowed] = useState<readonly HomeStatus[]>()
  const named = readAllowedStatuses(problem)
  if (named !== undefined && named.join() !== allowed?.join()) setAllowed(named)
  return (
    <MoveDialog
      title={`Change status of ${home.name}`}
      effect={STATUS_EFFECTS[to]}
      word={to === 'cancelled' ? 'Cancel home' : `Set to ${STATUS_LOOKS.home[to].word.toLowerCase()}`}
      isDanger={to === 'cancelled'}
      reason="optional"
      trial={trial}
      error={change.error}
      remedy={() => (named === undefined ? undefined : describeAllowed(home, named))}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { homeId: home.id } },
          body: {
            status: to,
            ...(reason !== undefined && { reason }),
            ...(isOverridden && { overrideReason: override.trim() }),
          },
        })
      }
      fields={
        <>
          <SelectField
            name="status"
            label="New status"
            value={to}
            onChange={(value) => {
              change.reset()
              setTo(ALL_STATUSES.find((one) => one === value) ?? to)
            }}
            options={ALL_STATUSES.filter((one) => one === to || (allowed ?? others).includes(one)).map((status) => ({
              value: status,
              label: STATUS_LOOKS.home[status].word,
            }))}
          />
          {to === 'closed' && (isRefused || override !== '') && (
            <Field
              name="overrideReason"
              label="Reason for override"
              hint="Recorded in the history. Requires permission to edit sales."
            >
              {(control) => (
                <input
                  {...control}
                  className="input"
                  autoComplete="off"
                  maxLength={400}
                  value={override}
                  onChange={(event) => setOverride(event.target.value)}
                />
              )}
            </Field>
          )}
        </>
      }
    />
  )
}

function describeAllowed({ status }: Home, allowed: readonly HomeStatus[]): string {
  const was = STATUS_LOOKS.home[status].word.toLowerCase()
  if (allowed.length === 0) return `The status of a home that is ${was} cannot be changed.`
  return `A home that is ${was} can become ${formatList(allowed.map((one) => STATUS_LOOKS.home[one].word.toLowerCase()))}.`
}
